import { randomUUID } from 'node:crypto';
import type { WriteContext } from '../../storage/database.ts';
import { retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import { isRetryable } from '../../storage/sqlite/storageError.ts';
import type {
  ConversationRecord,
  ConversationWithMessages,
  MessageRecord,
} from '../conversation/conversationRecord.ts';
import { readHead, readPathKeys, storeHead } from './branches.ts';
import { findConversationKey, insertConversation, orNull } from './conversationRows.ts';
import { deletedRetentionMs, purgePart } from './deletion.ts';
import {
  findMissingMessages,
  type MissingMessages,
  moveBelowParent,
  resolveIdConflicts,
  sortParentsFirst,
  withDerivedId,
} from './importedMessages.ts';
import { findMessagePosition, insertMessage, storeContent } from './messageRows.ts';
import { storeBeginning } from './newMessages.ts';
import type { StoreChanges } from './storeChanges.ts';

/** The result of an import into the store. `known`: all messages existed, so nothing changed. */
export interface ImportResult {
  readonly kind: 'new' | 'extended' | 'restored' | 'known';
  readonly id: string;
  /** The number of messages that were added, or whose text or position was restored after damage. */
  readonly added: number;
}

interface ConversationImport {
  readonly context: WriteContext;
  readonly changes: StoreChanges;
  /** Called between two transactions, so that others can write. */
  readonly pause: () => Promise<void>;
  /** Whether this store generated the message ids, so that a message with another content is the same message. */
  readonly hasOwnIds?: boolean;
}

/** Limits of one transaction, because other windows wait for its end. It stores at least one message. */
const maxPartMs = 4;
const messagesAtOnce = 250;

/** The rest of an interrupted import is deleted after a day. */
const interruptedImportLifetimeMs = 24 * 3_600_000;

/**
 * A generator that yields wherever a transaction may end. The result is undefined if a change by another window
 * requires the import to start again.
 */
type Work<Result = number> = Generator<undefined, Result | undefined>;

/**
 * Adds a conversation, or adds missing messages to an existing one with the same id or origin, even if different
 * existing messages have the same ids. A deleted conversation is restored. The import takes several transactions:
 * a new conversation is hidden until the last transaction, and an existing conversation grows from its root.
 */
export async function importConversation(
  importing: ConversationImport,
  source: ConversationWithMessages,
): Promise<ImportResult> {
  const { context } = importing;
  let ordered: ConversationWithMessages = { ...source, messages: sortParentsFirst(source.messages) };
  for (;;) {
    const existing = findExisting(context, ordered.conversation);
    const mayHaveForeignIds = existing !== undefined && !importing.hasOwnIds;
    const resolvedMessages = mayHaveForeignIds
      ? resolveIdConflicts(context, existing.key, ordered.messages)
      : ordered.messages;
    if (!resolvedMessages) {
      ordered = withDerivedId(ordered);
      continue;
    }
    const messages = { ...ordered, messages: resolvedMessages };
    const imported = existing
      ? await extendExisting(importing, existing, messages)
      : await addNew(importing, messages);
    if (imported) return imported;
  }
}

/**
 * Like `importConversation`, without the messages that the database rejects, which are found by bisection. Their
 * children are stored below the nearest accepted ancestor.
 */
export async function importAccepted(
  importing: ConversationImport,
  { conversation, messages }: ConversationWithMessages,
  onRejected: (error: unknown) => void,
): Promise<void> {
  const rejected = new Map<string, string | undefined>();
  const withAcceptedParent = ({ parent, ...message }: MessageRecord): MessageRecord => {
    let ancestor = parent;
    while (ancestor !== undefined && rejected.has(ancestor)) ancestor = rejected.get(ancestor);
    return { ...message, ...(ancestor !== undefined && { parent: ancestor }) };
  };
  async function add(part: readonly MessageRecord[]): Promise<void> {
    try {
      await importConversation(importing, { conversation, messages: part.map(withAcceptedParent) });
    } catch (error) {
      if (isRetryable(error)) throw error;
      const half = part.length >> 1;
      if (half > 0) {
        await add(part.slice(0, half));
        return add(part.slice(half));
      }
      for (const { id, parent } of part) rejected.set(id, parent);
      onRejected(error);
    }
  }
  await add(sortParentsFirst(messages));
}

async function addNew(
  importing: ConversationImport,
  { conversation, messages }: ConversationWithMessages,
): Promise<ImportResult | undefined> {
  const { context } = importing;
  const temporaryId = `importing-${randomUUID()}`;
  const { origin: _, ...withoutOrigin } = conversation;
  const deletedAt = context.now() - deletedRetentionMs + interruptedImportLifetimeMs;
  function* work(touched: Set<number>): Work {
    const key = insertConversation(context, { ...withoutOrigin, id: temporaryId, deletedAt });
    const keys = new Map<string, number>();
    for (const message of messages) {
      keys.set(message.id, insertImported(context, key, message, keys.get(message.parent ?? '')));
      yield;
    }
    yield* storeLastChildren(context, messages, (id) => keys.get(id));
    if (findExisting(context, conversation)) return undefined;
    storeBeginning(context, key, messages);
    const head = keys.get(conversation.head ?? '') ?? keys.get(messages.at(-1)?.id ?? '');
    if (!revealConversation(context, key, conversation, head)) return undefined;
    touched.add(key);
    return keys.size;
  }
  let added: number | undefined;
  try {
    added = await runInParts(importing, work);
  } finally {
    // This also fails if the disk is full; then the purge deletes the hidden conversation.
    if (added === undefined) await purgeHidden(importing, temporaryId).catch(() => undefined);
  }
  return added === undefined ? undefined : { kind: 'new', id: conversation.id, added };
}

/**
 * Gives a hidden conversation its id, which makes it visible.
 *
 * @returns false if another window purged it
 */
function revealConversation(
  { database }: WriteContext,
  key: number,
  { id, origin, deletedAt }: ConversationRecord,
  head: number | undefined,
): boolean {
  const changedRows = database.run(
    'UPDATE conversations SET id = ?, originSource = ?, originId = ?, deletedAt = ?, head = ? WHERE key = ?',
    id,
    orNull(origin?.source),
    orNull(origin?.id),
    orNull(deletedAt),
    orNull(head),
    key,
  );
  return changedRows > 0;
}

async function purgeHidden(importing: ConversationImport, id: string): Promise<void> {
  const { context, changes, pause } = importing;
  const key = findConversationKey(context, id);
  const remove = (conversation: number) => changes.write(() => purgePart(context, conversation, id).isPurged);
  while (key !== undefined && !(await retryWhileBusy(() => remove(key)))) await pause();
}

async function extendExisting(
  importing: ConversationImport,
  existing: ExistingConversation,
  { conversation, messages }: ConversationWithMessages,
): Promise<ImportResult | undefined> {
  const { context } = importing;
  const { key, id } = existing;
  const missing = findMissingMessages(context, key, messages);
  const hasAll = missing.withoutText.length + missing.messages.length + missing.misplaced.length === 0;
  if (hasAll && existing.deletedAt === null) return { kind: 'known', id, added: 0 };
  let isRestored = false;
  function* work(touched: Set<number>): Work {
    const added = yield* addMissing(context, key, missing, touched);
    if (added === undefined || !hasConversation(context, key)) return undefined;
    if (missing.messages.length > 0) showContinuation(context, key, conversation, missing.messages);
    const sql = 'UPDATE conversations SET deletedAt = NULL WHERE key = ? AND deletedAt IS NOT NULL';
    isRestored = context.database.run(sql, key) > 0;
    if (isRestored || added > 0) touched.add(key);
    return added;
  }
  const added = await runInParts(importing, work);
  if (added === undefined) return undefined;
  return { kind: isRestored ? 'restored' : added > 0 ? 'extended' : 'known', id, added };
}

/** @returns the number of messages that were added, filled or moved back to their position */
function* addMissing(
  context: WriteContext,
  conversation: number,
  { withoutText, messages, misplaced, forks }: MissingMessages,
  touched: Set<number>,
): Work {
  const findKey = (id: string | undefined) => findMessagePosition(context, conversation, id)?.key;
  let count = 0;
  for (const { id, choices, request } of withoutText) {
    const key = findKey(id);
    if (key === undefined) return undefined;
    storeContent(context, key, choices, request);
    count++;
    touched.add(conversation);
    yield;
  }
  for (const message of messages) {
    // Another window may have purged the conversation, or imported the same one.
    if (!hasConversation(context, conversation) || findKey(message.id) !== undefined) return undefined;
    inheritDeletion(context, insertImported(context, conversation, message, findKey(message.parent)));
    count++;
    touched.add(conversation);
    yield;
  }
  const added = new Set(messages.map(({ id }) => id));
  for (const message of misplaced) {
    if (moveBelowParent(context, conversation, message, added)) count++;
    yield;
  }
  yield* storeLastChildren(context, forks, findKey, (id) => added.has(id));
  storeBeginning(context, conversation, messages);
  return count;
}

/** Shows the end of the imported path if it was added and continues the path that is shown here. */
function showContinuation(
  context: WriteContext,
  key: number,
  conversation: ConversationRecord,
  added: readonly MessageRecord[],
): void {
  const sql = 'UPDATE conversations SET changedAt = max(changedAt, ?) WHERE key = ?';
  context.database.run(sql, conversation.changedAt, key);
  const isAdded = added.some(({ id }) => id === conversation.head);
  const head = isAdded ? findMessagePosition(context, key, conversation.head)?.key : undefined;
  const currentHead = readHead(context, key);
  if (
    head !== undefined &&
    (currentHead === undefined || readPathKeys(context, head).includes(currentHead))
  ) {
    storeHead(context, key, head);
  }
}

/** Marks a message below a deleted one as deleted with it, so that both are restored together. */
function inheritDeletion({ database }: WriteContext, message: number): void {
  database.run(
    `UPDATE messages SET deletedAt = parent.deletedAt, deletedWith = parent.deletedWith FROM messages AS parent
     WHERE messages.key = ? AND parent.key = messages.parent AND parent.deletedAt IS NOT NULL`,
    message,
  );
}

interface ExistingConversation {
  readonly key: number;
  readonly id: string;
  readonly deletedAt: number | null;
}

function findExisting(
  { database }: WriteContext,
  { id, origin }: ConversationRecord,
): ExistingConversation | undefined {
  return database.get(
    `SELECT key, id, deletedAt FROM conversations WHERE id = ?1 OR (originSource = ?2 AND originId = ?3) LIMIT 1`,
    id,
    origin?.source ?? null,
    origin?.id ?? null,
  );
}

function hasConversation({ database }: WriteContext, conversation: number): boolean {
  return database.get('SELECT 1 FROM conversations WHERE key = ?', conversation) !== undefined;
}

/** A message whose parent does not exist becomes a root. */
function insertImported(
  context: WriteContext,
  conversation: number,
  { parent: _, lastChild: __, ...message }: MessageRecord,
  parent: number | undefined,
): number {
  const state = message.state === 'arriving' ? 'stopped' : message.state;
  return insertMessage(context, { ...message, state, conversation, parent });
}

/** Stores the last shown children; for existing messages, only if damage removed the stored child. */
function* storeLastChildren(
  { database }: WriteContext,
  messages: readonly MessageRecord[],
  findKey: (id: string) => number | undefined,
  isNew: (id: string) => boolean = () => true,
): Generator<undefined, void> {
  for (const { id, lastChild } of messages) {
    const child = lastChild === undefined ? undefined : findKey(lastChild);
    const parent = child === undefined ? undefined : findKey(id);
    if (child === undefined || parent === undefined) continue;
    const sql =
      'UPDATE messages SET lastChild = ? WHERE key = ? AND (? OR lastChild NOT IN (SELECT key FROM messages))';
    database.run(sql, child, parent, isNew(id) ? 1 : 0);
    yield;
  }
}

/**
 * Runs the work in several transactions with pauses.
 *
 * @param begin starts the work, which adds the keys of changed conversations to the set
 */
async function runInParts<Result>(
  { changes, pause }: ConversationImport,
  begin: (touched: Set<number>) => Work<Result>,
): Promise<Result | undefined> {
  const touched = new Set<number>();
  const work = begin(touched);
  for (;;) {
    let runs = 0;
    const write = () =>
      changes.write((touch): IteratorResult<undefined, Result | undefined> => {
        // After a repair the transaction runs again, in a file that may lack earlier writes.
        if (runs++ > 0) return { done: true, value: undefined };
        const part = runPart(work);
        for (const key of touched) touch(key);
        return part;
      });
    const { done, value } = await retryWhileBusy(write);
    if (done) return value;
    await pause();
  }
}

function runPart<Result>(work: Work<Result>): IteratorResult<undefined, Result | undefined> {
  const deadline = performance.now() + maxPartMs;
  let part = work.next();
  for (let n = 1; !part.done && n < messagesAtOnce && performance.now() < deadline; n++) part = work.next();
  return part;
}
