import { randomUUID } from 'node:crypto';
import type { ConversationRecord, MessageRecord, WholeConversation } from '../record.ts';
import { beginningOf } from './asking.ts';
import { headOf, pathTo, storeHead } from './branches.ts';
import { insertConversation, readConversation } from './conversationRows.ts';
import { insertMessage, readMessages, storeContent } from './messageRows.ts';
import { placeOf, putInPlace } from './misplaced.ts';
import type { Touch } from './storeChanges.ts';
import type { StoreContext } from './storeContext.ts';

/** What an import did. `known`: all of it was there, so nothing changed. */
export interface Imported {
  readonly kind: 'new' | 'extended' | 'restored' | 'known';
  readonly id: string;
  /** How many messages were added, or have their text again that a damaged file had lost. */
  readonly added: number;
}

/** Reads a conversation with all its messages that are not deleted. */
export function readWhole(context: StoreContext, id: string): WholeConversation | undefined {
  const conversation = readConversation(context, id);
  if (!conversation) return undefined;
  const keys = context.database.values(
    `SELECT messages.key FROM messages JOIN conversations ON conversations.key = messages.conversation
     WHERE conversations.id = ? AND messages.deletedAt IS NULL`,
    id,
  );
  return {
    conversation,
    messages: readMessages(
      context,
      keys.map(([key]) => Number(key)),
      { withExtra: true },
    ),
  };
}

/**
 * Runs within a transaction. Adds a conversation, or to one that is there, by its id or its origin, the messages
 * that it lacks. A deleted one comes back.
 */
export function importWhole(context: StoreContext, whole: WholeConversation, touch: Touch): Imported {
  const { conversation } = whole;
  const known = findKnown(context, conversation);
  if (!known) return importNew(context, whole, touch);
  const isRestored = known.deletedAt !== null;
  const added = extend(context, known.key, whole);
  if (isRestored) {
    context.database.run('UPDATE conversations SET deletedAt = NULL WHERE key = ?', known.key);
  }
  if (isRestored || added > 0) touch(known.key);
  return { kind: isRestored ? 'restored' : added > 0 ? 'extended' : 'known', id: known.id, added };
}

/**
 * Runs within a transaction. Copies a message and what is above it into a new conversation.
 *
 * @returns undefined while a message of them arrives
 */
export function copyPath(
  context: StoreContext,
  original: ConversationRecord,
  message: number,
): { readonly key: number; readonly id: string } | undefined {
  const { database } = context;
  const path = pathTo(context, message);
  const keys = JSON.stringify(path);
  const arriving = `SELECT 1 FROM messages WHERE state = 'arriving' AND key IN (SELECT value FROM json_each(?))`;
  if (database.get(arriving, keys)) return undefined;
  const now = context.now();
  const fork = {
    ...original,
    ...{ id: randomUUID(), createdAt: now, changedAt: now, forkOf: original.id },
    // They are those of the original alone.
    ...{
      pinnedAt: undefined,
      archivedAt: undefined,
      deletedAt: undefined,
      compared: undefined,
      origin: undefined,
      extra: undefined,
    },
  };
  const key = insertConversation(context, fork);
  const first = copyMessages(context, keys, key);
  database.run('UPDATE conversations SET head = ? WHERE key = ?', first + path.length - 1, key);
  const question = `SELECT min(key) AS key FROM messages WHERE role = 'user' AND key IN (SELECT value FROM json_each(?))`;
  const asked = database.get<{ key: number | null }>(question, keys)?.key;
  storeBeginning(context, key, readMessages(context, [asked ?? 0])[0]);
  return { key, id: fork.id };
}

/**
 * Copies a path as rows, since reading thousands of messages would take longer than a window may stand still.
 *
 * @param path the keys of its messages, as JSON
 * @returns the key of the first copy; the others follow it
 */
function copyMessages({ database }: StoreContext, path: string, conversation: number): number {
  const next = `SELECT seq + 1 AS first FROM sqlite_sequence WHERE name = 'messages'`;
  const first = database.get<{ first: number }>(next)?.first ?? 1;
  database.run(
    `INSERT INTO messages (key, conversation, id, parent, role, state, createdAt, model, editOf)
     SELECT ?1 + path.key, ?2, messages.id, iif(path.key = 0, NULL, ?1 + path.key - 1), role, state, createdAt, model, editOf
     FROM json_each(?3) AS path JOIN messages ON messages.key = path.value`,
    ...[first, conversation, path],
  );
  database.run(
    `INSERT INTO contents (message, choices, request, extra) SELECT ?1 + path.key, choices, request, extra
     FROM json_each(?2) AS path JOIN contents ON contents.message = path.value`,
    ...[first, path],
  );
  database.run(
    `INSERT INTO attachmentUses (hash, message) SELECT hash, ?1 + path.key
     FROM json_each(?2) AS path JOIN attachmentUses ON attachmentUses.message = path.value`,
    ...[first, path],
  );
  return first;
}

function importNew(
  context: StoreContext,
  { conversation, messages }: WholeConversation,
  touch: Touch,
): Imported {
  const key = insertConversation(context, conversation);
  touch(key);
  const keys = insertAll(context, key, messages, new Map());
  const head = keys.get(conversation.head ?? '') ?? keys.get(messages.at(-1)?.id ?? '');
  context.database.run('UPDATE conversations SET head = ? WHERE key = ?', head ?? null, key);
  return { kind: 'new', id: conversation.id, added: keys.size };
}

/** @returns how many messages were added, filled or put in their place again */
function extend(context: StoreContext, key: number, { conversation, messages }: WholeConversation): number {
  const { database } = context;
  const rows = database.all<{ id: string; key: number }>(
    'SELECT id, key FROM messages WHERE conversation = ?',
    key,
  );
  const known = new Map(rows.map((row) => [row.id, row.key]));
  const filled = fillLost(context, messages, known);
  const added = insertAll(context, key, messages, known);
  for (const message of added.values()) followParent(context, message);
  const moved = putInPlace(context, key, parentsFirst(messages), added);
  if (added.size === 0) return filled + moved;
  database.run(
    'UPDATE conversations SET changedAt = max(changedAt, ?) WHERE key = ?',
    conversation.changedAt,
    key,
  );
  const head = added.has(conversation.head ?? '') ? placeOf(context, key, conversation.head)?.key : undefined;
  const shown = headOf(context, key);
  // Who went on elsewhere goes on from there, unless another branch is open here.
  if (head !== undefined && (shown === undefined || pathTo(context, head).includes(shown))) {
    storeHead(context, key, head);
  }
  return added.size + filled + moved;
}

/**
 * Gives messages their text again of which a damaged file had nothing left but their place.
 *
 * @returns how many
 */
function fillLost(
  context: StoreContext,
  messages: readonly MessageRecord[],
  known: ReadonlyMap<string, number>,
): number {
  const keys = JSON.stringify([...known.values()]);
  const rows = context.database.values(
    `SELECT messages.key FROM messages LEFT JOIN contents ON contents.message = messages.key
     WHERE messages.key IN (SELECT value FROM json_each(?)) AND state <> 'arriving' AND ifnull(choices, '[]') = '[]'`,
    keys,
  );
  const empty = new Set(rows.map(([key]) => Number(key)));
  let filled = 0;
  for (const { id, choices, request } of messages) {
    const key = known.get(id);
    if (key === undefined || !empty.has(key) || choices.flat().length === 0) continue;
    storeContent(context, key, choices, request);
    filled++;
  }
  return filled;
}

/** What is added below a message that was deleted here comes back with it. */
function followParent({ database }: StoreContext, message: number): void {
  database.run(
    `UPDATE messages SET deletedAt = parent.deletedAt, deletedWith = parent.deletedWith FROM messages AS parent
     WHERE messages.key = ? AND parent.key = messages.parent AND parent.deletedAt IS NOT NULL`,
    message,
  );
}

function findKnown(
  { database }: StoreContext,
  { id, origin }: ConversationRecord,
): { readonly key: number; readonly id: string; readonly deletedAt: number | null } | undefined {
  return database.get(
    `SELECT key, id, deletedAt FROM conversations WHERE id = ?1 OR (originSource = ?2 AND originId = ?3) LIMIT 1`,
    ...[id, origin?.source ?? null, origin?.id ?? null],
  );
}

/**
 * Inserts the messages that are not known, parents first, siblings in their order. A message whose parent is
 * nowhere becomes a root.
 *
 * @returns the keys of the new messages by their ids
 */
function insertAll(
  context: StoreContext,
  conversation: number,
  messages: readonly MessageRecord[],
  known: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const added = new Map<string, number>();
  const ordered = parentsFirst(messages);
  for (const { parent, lastChild: _, ...message } of ordered) {
    if (known.has(message.id) || added.has(message.id)) continue;
    const parentKey = parent === undefined ? undefined : (added.get(parent) ?? known.get(parent));
    const state = message.state === 'arriving' ? 'stopped' : message.state;
    added.set(message.id, insertMessage(context, { ...message, state, conversation, parent: parentKey }));
  }
  for (const { id, lastChild } of messages) {
    const child = lastChild === undefined ? undefined : (added.get(lastChild) ?? known.get(lastChild));
    const parent = added.get(id) ?? known.get(id);
    if (child === undefined || parent === undefined) continue;
    // Of what was there already, only one that a damaged file had lost is shown again.
    const sql =
      'UPDATE messages SET lastChild = ? WHERE key = ? AND (? OR lastChild NOT IN (SELECT key FROM messages))';
    context.database.run(sql, child, parent, added.has(id) ? 1 : 0);
  }
  if (added.size > 0) {
    storeBeginning(
      context,
      conversation,
      ordered.find(({ role }) => role === 'user'),
    );
  }
  return added;
}

/** Unless it is known already. */
function storeBeginning(
  { database }: StoreContext,
  conversation: number,
  question: MessageRecord | undefined,
): void {
  if (!question) return;
  const sql = `UPDATE conversations SET beginning = ? WHERE key = ? AND beginning = ''`;
  database.run(sql, beginningOf(question.choices), conversation);
}

/** In the order given, but that a message waits for its parent. Of those in a circle the first does not wait. */
function parentsFirst(messages: readonly MessageRecord[]): readonly MessageRecord[] {
  const ids = new Set(messages.map(({ id }) => id));
  const placed = new Set<string>();
  const waiting = new Map<string, MessageRecord[]>();
  const ordered: MessageRecord[] = [];
  const place = (first: MessageRecord) => {
    const open = [first];
    for (let message = open.pop(); message; message = open.pop()) {
      if (placed.has(message.id)) continue;
      placed.add(message.id);
      ordered.push(message);
      for (const child of (waiting.get(message.id) ?? []).reverse()) open.push(child);
      waiting.delete(message.id);
    }
  };
  for (const message of messages) {
    const { parent } = message;
    if (parent === undefined || !ids.has(parent) || placed.has(parent)) place(message);
    else {
      const others = waiting.get(parent);
      if (others) others.push(message);
      else waiting.set(parent, [message]);
    }
  }
  for (const message of messages) place(message);
  return ordered;
}
