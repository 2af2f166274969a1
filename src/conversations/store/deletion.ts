import type { WriteContext } from '../../storage/database.ts';
import type { Attachments } from './attachments.ts';
import { findLeaf, readHead, readParent, storeHead } from './branches.ts';
import { findMessageKey, findMessagePosition } from './messageRows.ts';

/** The time during which deleted messages and conversations can be restored. */
export const deletedRetentionMs = 30 * 24 * 3_600_000;

/** The approximate number of rows purged in one transaction. Other windows wait for its end. */
const conversationsAtOnce = 50;
const messagesAtOnce = 500;

/**
 * Runs within a transaction. Deletes a message and all messages below it. If the head is deleted, the branch of
 * the newest sibling is shown, or else the parent.
 *
 * @returns the number of deleted messages
 */
export function deleteBranch(context: WriteContext, conversation: number, id: string): number {
  const { database, now } = context;
  const root = findMessageKey(context, conversation, id);
  if (root === undefined) return 0;
  const deleted = database.run(
    `WITH RECURSIVE below (key) AS (
       SELECT ?1
       UNION ALL SELECT messages.key FROM below JOIN messages ON messages.parent = below.key
       WHERE messages.deletedAt IS NULL AND messages.key > below.key
     ) UPDATE messages SET deletedAt = ?2, deletedWith = ?1 WHERE key IN (SELECT key FROM below)`,
    root,
    now(),
  );
  const head = readHead(context, conversation);
  if (head !== undefined && isDeleted(context, head)) {
    storeHead(context, conversation, findHeadAfterDeletion(context, conversation, root));
  }
  return deleted;
}

/**
 * Runs within a transaction. Restores the messages deleted with a message, and shows them. Messages below
 * another deleted message are restored together with it.
 *
 * @returns whether the message was restored
 */
export function undeleteBranch(context: WriteContext, conversation: number, id: string): boolean {
  const { database } = context;
  const root = findMessagePosition(context, conversation, id)?.key;
  if (root === undefined) return false;
  const { restorable, waiting } = findRestorable(context, root);
  database.run(
    'UPDATE messages SET deletedAt = NULL, deletedWith = NULL WHERE key IN (SELECT value FROM json_each(?))',
    JSON.stringify(restorable),
  );
  for (const [key, outer] of waiting) {
    database.run('UPDATE messages SET deletedWith = ? WHERE key = ?', outer, key);
  }
  if (restorable.length === 0 || isDeleted(context, root)) return false;
  storeHead(context, conversation, findLeaf(context, root));
  return true;
}

/** Finds the roots of the last deletion that can be restored. Empty messages are omitted. */
export function findLastDeleted({ database }: WriteContext, conversation: number): readonly string[] {
  const rows = database.values(
    `SELECT id, rank() OVER (ORDER BY messages.deletedAt DESC) AS rank FROM messages
     LEFT JOIN contents ON contents.message = messages.key
     WHERE conversation = ? AND deletedWith = messages.key AND deletedAt IS NOT NULL
       AND (role = 'user' OR length(choices) > length('[[]]'))
       AND NOT EXISTS (SELECT 1 FROM messages AS above WHERE above.key = messages.parent AND above.deletedAt IS NOT NULL)`,
    conversation,
  );
  return rows.filter(([, rank]) => rank === 1).map(([id]) => String(id));
}

/**
 * Finds the messages that were deleted with a message: the messages to restore now, and the messages below another
 * deleted message, each with the key of that message.
 */
function findRestorable(
  { database }: WriteContext,
  root: number,
): { readonly restorable: readonly number[]; readonly waiting: ReadonlyMap<number, number> } {
  const rows = database.all<{ key: number; parent: number | null; outer: number | null }>(
    `SELECT messages.key, messages.parent, parent.deletedWith AS outer FROM messages
     LEFT JOIN messages AS parent ON parent.key = messages.parent AND parent.deletedAt IS NOT NULL
     WHERE messages.deletedWith = ? AND messages.deletedAt IS NOT NULL ORDER BY messages.key`,
    root,
  );
  const restorable = new Set<number>();
  const waiting = new Map<number, number>();
  for (const { key, parent, outer } of rows) {
    // Parents come before their children.
    const waitsFor = restorable.has(parent ?? 0) ? null : (waiting.get(parent ?? 0) ?? outer);
    if (waitsFor === null) restorable.add(key);
    else waiting.set(key, waitsFor);
  }
  return { restorable: [...restorable], waiting };
}

/**
 * Runs within a transaction. Purges some of the messages and conversations deleted 30 days before a time.
 *
 * @returns whether there may be more
 */
export function purgeSome(context: WriteContext, attachments: Attachments, now: number): boolean {
  const { database } = context;
  const before = now - deletedRetentionMs;
  let removed = removeMessages(context, 'deletedAt < ?', before);
  const purgeable = database.all<{ key: number; id: string }>(
    `SELECT key, id FROM conversations WHERE deletedAt < ?1
     OR (createdAt < ?1 AND changedAt < ?1 AND head IS NULL
       AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation = conversations.key)
       AND id NOT IN (SELECT conversation FROM drafts))
     LIMIT ${conversationsAtOnce}`,
    before,
  );
  for (const { key, id } of purgeable) {
    if (removed >= messagesAtOnce) return true;
    const result = purgePart(context, key, id);
    if (!result.isPurged) return true;
    removed += result.removed;
  }
  if (removed >= messagesAtOnce || purgeable.length === conversationsAtOnce) return true;
  database.run(
    `DELETE FROM chunks WHERE message IN (
       SELECT key FROM messages WHERE state = 'stopped' AND createdAt < ? AND key IN (SELECT message FROM chunks))`,
    before,
  );
  attachments.purge(before);
  return false;
}

/** The id prefix of a partly purged conversation. */
const partlyPurgedPrefix = 'rest-of-';

/**
 * Runs within a transaction. Purges some messages of a conversation, and after its last message the conversation.
 * A partly purged conversation gets another id, so that it cannot be found.
 */
export function purgePart(
  context: WriteContext,
  key: number,
  id: string,
): { readonly removed: number; readonly isPurged: boolean } {
  const { database } = context;
  const removed = removeMessages(context, 'conversation = ?', key);
  database.run('DELETE FROM details WHERE conversation = ?', key);
  database.run('DELETE FROM drafts WHERE conversation = ?', id);
  if (removed === messagesAtOnce) {
    const name = id.startsWith(partlyPurgedPrefix) ? id : partlyPurgedPrefix + id;
    const sql =
      'UPDATE conversations SET id = ?, originSource = NULL, originId = NULL, head = NULL WHERE key = ?';
    database.run(sql, name, key);
    return { removed, isPurged: false };
  }
  database.run('DELETE FROM conversations WHERE key = ?', key);
  return { removed, isPurged: true };
}

/** @returns the number of removed messages, at most `messagesAtOnce` */
function removeMessages({ database }: WriteContext, condition: string, value: number): number {
  const rows = database.values(`SELECT key FROM messages WHERE ${condition} LIMIT ${messagesAtOnce}`, value);
  const keys = JSON.stringify(rows.map(([key]) => key));
  for (const table of ['contents', 'chunks', 'attachmentUses']) {
    database.run(`DELETE FROM ${table} WHERE message IN (SELECT value FROM json_each(?))`, keys);
  }
  database.run('DELETE FROM messages WHERE key IN (SELECT value FROM json_each(?))', keys);
  return rows.length;
}

/** Finds the leaf of the newest sibling, or else the message above. */
function findHeadAfterDeletion(
  context: WriteContext,
  conversation: number,
  message: number,
): number | undefined {
  const parent = readParent(context, message);
  const sibling = context.database.get<{ key: number | null }>(
    'SELECT max(key) AS key FROM messages WHERE conversation = ? AND parent IS ? AND deletedAt IS NULL',
    conversation,
    parent ?? null,
  )?.key;
  return typeof sibling === 'number' ? findLeaf(context, sibling) : parent;
}

function isDeleted({ database }: WriteContext, message: number): boolean {
  const sql = 'SELECT 1 FROM messages WHERE key = ? AND deletedAt IS NULL';
  return database.get(sql, message) === undefined;
}
