import { randomUUID } from 'node:crypto';
import { mayPass } from '../../storage/sqlite/storageError.ts';
import { whenFree } from '../../storage/whenFree.ts';
import type { ConversationRecord, MessageRecord, WholeConversation } from '../conversation/record.ts';
import { storeBeginning } from './asking.ts';
import { headOf, pathTo, storeHead } from './branches.ts';
import { insertConversation, orNull } from './conversationRows.ts';
import { keptDeletedMs, removeSome } from './deletion.ts';
import { besideThose, parentsFirst, underOwnId } from './importedMessages.ts';
import { findLacking, type Lacking, placeOf, putInPlace } from './lacking.ts';
import { insertMessage, storeContent } from './messageRows.ts';
import type { StoreChanges } from './storeChanges.ts';
import type { StoreContext } from './storeContext.ts';

/** What an import did. `known`: all of it was there, so nothing changed. */
export interface Imported {
  readonly kind: 'new' | 'extended' | 'restored' | 'known';
  readonly id: string;
  /** How many messages were added, or have their text or place again that a damaged file had lost. */
  readonly added: number;
}

export interface Importing {
  readonly context: StoreContext;
  readonly changes: StoreChanges;
  /** Called between two transactions, so that others can write. */
  readonly pause: () => Promise<void>;
  /** Whether the ids of messages were given here, so that what says something else is the same message. */
  readonly knowsIds?: boolean;
}

/** Other windows wait for the end of a transaction, which has at least one message and at most so many. */
const partMs = 4;
const messagesAtOnce = 250;

/** What is left of an import that was cut goes after a day. */
const cutGoesAfterMs = 24 * 3_600_000;

/**
 * Yields wherever a transaction may end. Its result is undefined where another window came between, and all begins
 * anew.
 */
type Work<Result = number> = Generator<undefined, Result | undefined>;

/**
 * Adds a conversation, or to one that is there, by its id or its origin, the messages that it lacks, also where they
 * have the id of another. A deleted one comes back. It takes several transactions: a new conversation is hidden until the last one, and one that is there
 * grows from its root.
 */
export async function importWhole(importing: Importing, whole: WholeConversation): Promise<Imported> {
  const { context } = importing;
  let ordered: WholeConversation = { ...whole, messages: parentsFirst(whole.messages) };
  for (;;) {
    const known = findKnown(context, ordered.conversation);
    const mayBeOthers = known !== undefined && !importing.knowsIds;
    const beside = mayBeOthers ? besideThose(context, known.key, ordered.messages) : ordered.messages;
    if (!beside) {
      ordered = underOwnId(ordered);
      continue;
    }
    const messages = { ...ordered, messages: beside };
    const imported = known ? await extend(importing, known, messages) : await addNew(importing, messages);
    if (imported) return imported;
  }
}

/**
 * As `importWhole`, without the messages that the database rejects, which are found by halving the list. What follows
 * one of them is stored below the message above it.
 */
export async function importAllowed(
  importing: Importing,
  { conversation, messages }: WholeConversation,
  onRejected: (error: unknown) => void,
): Promise<void> {
  const rejected = new Map<string, string | undefined>();
  const placed = ({ parent, ...message }: MessageRecord): MessageRecord => {
    let above = parent;
    while (above !== undefined && rejected.has(above)) above = rejected.get(above);
    return { ...message, ...(above !== undefined && { parent: above }) };
  };
  async function add(part: readonly MessageRecord[]): Promise<void> {
    try {
      await importWhole(importing, { conversation, messages: part.map(placed) });
    } catch (error) {
      if (mayPass(error)) throw error;
      const half = part.length >> 1;
      if (half > 0) {
        await add(part.slice(0, half));
        return add(part.slice(half));
      }
      for (const { id, parent } of part) rejected.set(id, parent);
      onRejected(error);
    }
  }
  await add(parentsFirst(messages));
}

async function addNew(importing: Importing, whole: WholeConversation): Promise<Imported | undefined> {
  const { context } = importing;
  const { conversation, messages } = whole;
  const hidden = `importing-${randomUUID()}`;
  const { origin: _, ...named } = conversation;
  const deletedAt = context.now() - keptDeletedMs + cutGoesAfterMs;
  function* work(touched: Set<number>): Work {
    const key = insertConversation(context, { ...named, id: hidden, deletedAt });
    const keys = new Map<string, number>();
    for (const message of messages) {
      keys.set(message.id, insert(context, key, message, keys.get(message.parent ?? '')));
      yield;
    }
    yield* storeLastChildren(context, messages, (id) => keys.get(id));
    if (findKnown(context, conversation)) return undefined;
    storeBeginning(context, key, messages);
    const head = keys.get(conversation.head ?? '') ?? keys.get(messages.at(-1)?.id ?? '');
    if (!show(context, key, conversation, head)) return undefined;
    touched.add(key);
    return keys.size;
  }
  let added: number | undefined;
  try {
    added = await inParts(importing, work);
  } finally {
    // A disk that is full may refuse this too; then it goes with what is purged.
    if (added === undefined) await removeHidden(importing, hidden).catch(() => undefined);
  }
  return added === undefined ? undefined : { kind: 'new', id: conversation.id, added };
}

/**
 * Gives a hidden conversation its id, by which it is found from then on.
 *
 * @returns whether it is there
 */
function show(
  { database }: StoreContext,
  key: number,
  { id, origin, deletedAt }: ConversationRecord,
  head: number | undefined,
): boolean {
  const shown = database.run(
    'UPDATE conversations SET id = ?, originSource = ?, originId = ?, deletedAt = ?, head = ? WHERE key = ?',
    ...[id, orNull(origin?.source), orNull(origin?.id), orNull(deletedAt), orNull(head), key],
  );
  return shown > 0;
}

async function removeHidden(importing: Importing, id: string): Promise<void> {
  const { context, changes, pause } = importing;
  const key = context.database.get<{ key: number }>('SELECT key FROM conversations WHERE id = ?', id)?.key;
  const remove = (found: number) => changes.write(() => removeSome(context, found, id).isGone);
  while (key !== undefined && !(await whenFree(() => remove(key)))) await pause();
}

async function extend(
  importing: Importing,
  known: Known,
  { conversation, messages }: WholeConversation,
): Promise<Imported | undefined> {
  const { context } = importing;
  const { key, id } = known;
  const lacking = findLacking(context, key, messages);
  const isWhole = lacking.texts.length + lacking.messages.length + lacking.places.length === 0;
  if (isWhole && known.deletedAt === null) return { kind: 'known', id, added: 0 };
  let isRestored = false;
  function* work(touched: Set<number>): Work {
    const added = yield* addLacking(context, key, lacking, touched);
    if (added === undefined || !isThere(context, key)) return undefined;
    if (lacking.messages.length > 0) showFurther(context, key, conversation, lacking.messages);
    const sql = 'UPDATE conversations SET deletedAt = NULL WHERE key = ? AND deletedAt IS NOT NULL';
    isRestored = context.database.run(sql, key) > 0;
    if (isRestored || added > 0) touched.add(key);
    return added;
  }
  const added = await inParts(importing, work);
  if (added === undefined) return undefined;
  return { kind: isRestored ? 'restored' : added > 0 ? 'extended' : 'known', id, added };
}

/** @returns how many messages were added, filled or put in their place again */
function* addLacking(
  context: StoreContext,
  conversation: number,
  { texts, messages, places, forks }: Lacking,
  touched: Set<number>,
): Work {
  const keyOf = (id: string | undefined) => placeOf(context, conversation, id)?.key;
  let count = 0;
  for (const { id, choices, request } of texts) {
    const key = keyOf(id);
    if (key === undefined) return undefined;
    storeContent(context, key, choices, request);
    count++;
    touched.add(conversation);
    yield;
  }
  for (const message of messages) {
    // Another window may have purged the conversation, or imported the same.
    if (!isThere(context, conversation) || keyOf(message.id) !== undefined) return undefined;
    followParent(context, insert(context, conversation, message, keyOf(message.parent)));
    count++;
    touched.add(conversation);
    yield;
  }
  const added = new Set(messages.map(({ id }) => id));
  for (const message of places) {
    if (putInPlace(context, conversation, message, added)) count++;
    yield;
  }
  yield* storeLastChildren(context, forks, keyOf, (id) => added.has(id));
  storeBeginning(context, conversation, messages);
  return count;
}

/** Who went on elsewhere goes on from there, unless another branch is open here. */
function showFurther(
  context: StoreContext,
  key: number,
  conversation: ConversationRecord,
  added: readonly MessageRecord[],
): void {
  const sql = 'UPDATE conversations SET changedAt = max(changedAt, ?) WHERE key = ?';
  context.database.run(sql, conversation.changedAt, key);
  const isAdded = added.some(({ id }) => id === conversation.head);
  const head = isAdded ? placeOf(context, key, conversation.head)?.key : undefined;
  const shown = headOf(context, key);
  if (head !== undefined && (shown === undefined || pathTo(context, head).includes(shown))) {
    storeHead(context, key, head);
  }
}

/** What is added below a message that was deleted here comes back with it. */
function followParent({ database }: StoreContext, message: number): void {
  database.run(
    `UPDATE messages SET deletedAt = parent.deletedAt, deletedWith = parent.deletedWith FROM messages AS parent
     WHERE messages.key = ? AND parent.key = messages.parent AND parent.deletedAt IS NOT NULL`,
    message,
  );
}

interface Known {
  readonly key: number;
  readonly id: string;
  readonly deletedAt: number | null;
}

function findKnown({ database }: StoreContext, { id, origin }: ConversationRecord): Known | undefined {
  return database.get(
    `SELECT key, id, deletedAt FROM conversations WHERE id = ?1 OR (originSource = ?2 AND originId = ?3) LIMIT 1`,
    ...[id, origin?.source ?? null, origin?.id ?? null],
  );
}

function isThere({ database }: StoreContext, conversation: number): boolean {
  return database.get('SELECT 1 FROM conversations WHERE key = ?', conversation) !== undefined;
}

/** A message whose parent is nowhere becomes a root. */
function insert(
  context: StoreContext,
  conversation: number,
  { parent: _, lastChild: __, ...message }: MessageRecord,
  parent: number | undefined,
): number {
  const state = message.state === 'arriving' ? 'stopped' : message.state;
  return insertMessage(context, { ...message, state, conversation, parent });
}

/** Of what was there already, only one that a damaged file had lost is shown again. */
function* storeLastChildren(
  { database }: StoreContext,
  messages: readonly MessageRecord[],
  keyOf: (id: string) => number | undefined,
  isNew: (id: string) => boolean = () => true,
): Generator<undefined, void> {
  for (const { id, lastChild } of messages) {
    const child = lastChild === undefined ? undefined : keyOf(lastChild);
    const parent = child === undefined ? undefined : keyOf(id);
    if (child === undefined || parent === undefined) continue;
    const sql =
      'UPDATE messages SET lastChild = ? WHERE key = ? AND (? OR lastChild NOT IN (SELECT key FROM messages))';
    database.run(sql, child, parent, isNew(id) ? 1 : 0);
    yield;
  }
}

/** @param begin gets the set in which it names the conversations that it changes */
async function inParts<Result>(
  { changes, pause }: Importing,
  begin: (touched: Set<number>) => Work<Result>,
): Promise<Result | undefined> {
  const touched = new Set<number>();
  const work = begin(touched);
  for (;;) {
    let runs = 0;
    const write = () =>
      changes.write((touch): IteratorResult<undefined, Result | undefined> => {
        // After damage a transaction runs once more, in a file that may lack what was written before.
        if (runs++ > 0) return { done: true, value: undefined };
        const part = partOf(work);
        for (const key of touched) touch(key);
        return part;
      });
    const { done, value } = await whenFree(write);
    if (done) return value;
    await pause();
  }
}

function partOf<Result>(work: Work<Result>): IteratorResult<undefined, Result | undefined> {
  const until = performance.now() + partMs;
  let part = work.next();
  for (let n = 1; !part.done && n < messagesAtOnce && performance.now() < until; n++) part = work.next();
  return part;
}
