import { createHash } from 'node:crypto';
import { parseStored, type WriteContext } from '../../storage/database.ts';
import type { ConversationWithMessages, MessageRecord } from '../conversation/conversationRecord.ts';
import { findMessagePosition } from './messageRows.ts';

/**
 * Sorts messages so that each message follows its parent; otherwise their order does not change. A cycle is
 * broken at its first message.
 */
export function sortParentsFirst(messages: readonly MessageRecord[]): readonly MessageRecord[] {
  const ids = new Set(messages.map(({ id }) => id));
  const placed = new Set<string>();
  const waiting = new Map<string, MessageRecord[]>();
  const ordered: MessageRecord[] = [];
  const addWithChildren = (first: MessageRecord) => {
    const stack = [first];
    for (let message = stack.pop(); message; message = stack.pop()) {
      if (placed.has(message.id)) continue;
      placed.add(message.id);
      ordered.push(message);
      for (const child of (waiting.get(message.id) ?? []).reverse()) stack.push(child);
      waiting.delete(message.id);
    }
  };
  for (const message of messages) {
    const { parent } = message;
    if (parent === undefined || !ids.has(parent) || placed.has(parent)) addWithChildren(message);
    else {
      const siblings = waiting.get(parent);
      if (siblings) siblings.push(message);
      else waiting.set(parent, [message]);
    }
  }
  for (const message of messages) addWithChildren(message);
  return ordered;
}

interface ContentRow {
  readonly id: string;
  readonly choices: string | null;
}

/**
 * Prepares the messages of an import for an existing conversation. A message whose content differs from the
 * existing message with its id gets a new, deterministic id, so that both are stored as siblings.
 *
 * @returns undefined if no existing message has the same content, so that the import is another conversation with
 *   the same id
 */
export function resolveIdConflicts(
  { database }: WriteContext,
  conversation: number,
  messages: readonly MessageRecord[],
): readonly MessageRecord[] | undefined {
  const rows = database.all<ContentRow>(
    `SELECT messages.id, choices FROM messages JOIN contents ON contents.message = messages.key
     WHERE conversation = ? AND state <> 'arriving' AND messages.id IN (SELECT value FROM json_each(?))`,
    conversation,
    JSON.stringify(messages.map(({ id }) => id)),
  );
  const existingTexts = new Map(rows.map(({ id, choices }) => [id, joinTexts(parseStored(choices ?? '[]'))]));
  const newIds = new Map<string, string>();
  let hasCommonMessage = false;
  for (const { id, choices } of messages) {
    const existingText = existingTexts.get(id) ?? '';
    const text = joinTexts(choices);
    if (existingText === '' || text === '') continue;
    hasCommonMessage ||= existingText.startsWith(text) || text.startsWith(existingText);
    // An earlier export may contain the beginning of a reply that has continued since.
    if (!existingText.startsWith(text)) newIds.set(id, hashJson([id, choices]));
  }
  if (newIds.size === 0) return messages;
  return hasCommonMessage ? messages.map((message) => replaceIds(message, newIds)) : undefined;
}

/** Replaces the id and the origin of a conversation by an id that is derived from its messages. */
export function withDerivedId({
  conversation,
  messages,
}: ConversationWithMessages): ConversationWithMessages {
  const { origin: _, ...withoutOrigin } = conversation;
  const id = hashJson([conversation.id, messages.map((message) => [message.id, message.choices])]);
  return { conversation: { ...withoutOrigin, id }, messages };
}

function replaceIds(message: MessageRecord, newIds: ReadonlyMap<string, string>): MessageRecord {
  const { id, parent, lastChild } = message;
  return {
    ...message,
    id: newIds.get(id) ?? id,
    ...(parent !== undefined && { parent: newIds.get(parent) ?? parent }),
    ...(lastChild !== undefined && { lastChild: newIds.get(lastChild) ?? lastChild }),
  };
}

function joinTexts(choices: MessageRecord['choices']): string {
  return choices
    .flat()
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n');
}

function hashJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

/** The differences between a stored conversation and another version of it. */
export interface MissingMessages {
  /** Messages that lost their text by damage. */
  readonly withoutText: readonly MessageRecord[];
  /** Messages that do not exist, parents first. */
  readonly messages: readonly MessageRecord[];
  /** Messages at the wrong position, because a damaged file had lost their parents. */
  readonly misplaced: readonly MessageRecord[];
  /** Messages that are missing, or whose last shown child is missing. */
  readonly forks: readonly MessageRecord[];
}

interface MessageRow {
  readonly id: string;
  readonly isRoot: number;
  readonly isEmpty: number;
}

/** All columns that contain the key of a message. */
const keyColumns = [
  'messages.key',
  'messages.parent',
  'messages.lastChild',
  'messages.deletedWith',
  'conversations.head',
  'contents.message',
  'chunks.message',
  'attachmentUses.message',
];

/**
 * Compares a stored conversation with another version of it.
 *
 * @param messages the messages of the other version, parents first
 */
export function findMissingMessages(
  { database }: WriteContext,
  conversation: number,
  messages: readonly MessageRecord[],
): MissingMessages {
  const rows = database.all<MessageRow>(
    `SELECT id, parent IS NULL AS isRoot, state <> 'arriving' AND ifnull(choices, '[]') = '[]' AS isEmpty FROM messages
     LEFT JOIN contents ON contents.message = messages.key WHERE conversation = ?`,
    conversation,
  );
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const withoutText = messages.filter(
    ({ id, choices }) => rowsById.get(id)?.isEmpty === 1 && choices.flat().length > 0,
  );
  const lost = messages.filter(({ id }) => !rowsById.has(id));
  const lostIds = new Set(lost.map(({ id }) => id));
  const misplaced = messages.filter(({ id, parent }) => {
    const row = rowsById.get(id);
    if (!row || parent === undefined) return false;
    return lostIds.has(parent) || (row.isRoot === 1 && rowsById.has(parent));
  });
  const forks = messages.filter(({ id, lastChild }) => lostIds.has(id) || lostIds.has(lastChild ?? ''));
  return { withoutText, messages: lost, misplaced, forks };
}

/**
 * Runs within a transaction. If a damaged file lost messages, their children became roots. Once the lost
 * messages are restored, this moves the children back below them. Cycles are not created.
 *
 * @param added the ids of messages that did not exist before
 * @returns whether the message was moved
 */
export function moveBelowParent(
  context: WriteContext,
  conversation: number,
  { id, parent }: MessageRecord,
  added: ReadonlySet<string>,
): boolean {
  const position = findMessagePosition(context, conversation, id);
  const newParent = findMessagePosition(context, conversation, parent);
  if (!position || !newParent || position.parent === newParent.key) return false;
  // A message keeps its position, unless it had no parent or its parent was lost.
  if (position.parent !== null && !added.has(parent ?? '')) return false;
  return moveBelow(context, conversation, position.key, newParent.key);
}

/** @returns false if the new parent is the message itself or below it */
function moveBelow(context: WriteContext, conversation: number, message: number, parent: number): boolean {
  const keys = readSubtreeKeys(context, conversation, message);
  if (keys.includes(parent)) return false;
  const { database } = context;
  const key = parent < message ? message : renumber(context, keys);
  database.run('UPDATE messages SET parent = ? WHERE key = ?', parent, key);
  return true;
}

/** Reads the keys of a message and of all its descendants, including deleted ones, in insertion order. */
function readSubtreeKeys(
  { database }: WriteContext,
  conversation: number,
  message: number,
): readonly number[] {
  const rows = database.values(
    'SELECT key, parent FROM messages WHERE conversation = ? ORDER BY key',
    conversation,
  );
  const subtree = new Set([message]);
  for (const [key, parent] of rows) if (subtree.has(Number(parent))) subtree.add(Number(key));
  return [...subtree];
}

/**
 * Gives messages new keys, greater than all others, in the same order.
 *
 * @returns the new key of the first one
 */
function renumber({ database }: WriteContext, keys: readonly number[]): number {
  const lastSql = `SELECT max(seq, (SELECT max(key) FROM messages)) AS last FROM sqlite_sequence WHERE name = 'messages'`;
  const first = 1 + (database.get<{ last: number }>(lastSql)?.last ?? 0);
  const old = JSON.stringify(keys);
  for (const keyColumn of keyColumns) {
    const [table, column] = keyColumn.split('.');
    database.run(
      `UPDATE ${table} SET ${column} = ? + old.key FROM json_each(?) AS old WHERE ${keyColumn} = old.value`,
      first,
      old,
    );
  }
  const sql = `UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'`;
  database.run(sql, first + keys.length - 1);
  return first;
}
