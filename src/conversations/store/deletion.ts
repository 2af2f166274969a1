import type { Attachments } from './attachments.ts';
import { headOf, leafBelow, parentOf, storeHead } from './branches.ts';
import { messageKey } from './messageRows.ts';
import type { StoreContext } from './storeContext.ts';

/** How long deleted messages and conversations can be brought back, in milliseconds. */
export const keptDeletedMs = 30 * 24 * 3_600_000;

/** About so much is purged in one transaction, for which other windows wait. */
const conversationsAtOnce = 50;
const messagesAtOnce = 500;

/**
 * Runs within a transaction. Deletes a message and all below it. When the head is among them, the branch beside
 * it is shown, else its parent.
 *
 * @returns how many messages were deleted
 */
export function deleteBranch(context: StoreContext, conversation: number, id: string): number {
  const { database, now } = context;
  const root = messageKey(context, conversation, id);
  if (root === undefined) return 0;
  const deleted = database.run(
    `WITH RECURSIVE below (key) AS (
       SELECT ?1
       UNION ALL SELECT messages.key FROM below JOIN messages ON messages.parent = below.key
       WHERE messages.deletedAt IS NULL AND messages.key > below.key
     ) UPDATE messages SET deletedAt = ?2, deletedWith = ?1 WHERE key IN (SELECT key FROM below)`,
    ...[root, now()],
  );
  const head = headOf(context, conversation);
  if (head !== undefined && isDeleted(context, head)) {
    storeHead(context, conversation, headBeside(context, conversation, root));
  }
  return deleted;
}

/**
 * Runs within a transaction. Brings back what was deleted with a message, and shows it. What is below another
 * deleted message waits for that to come back.
 *
 * @returns whether the message came back
 */
export function undeleteBranch(context: StoreContext, conversation: number, id: string): boolean {
  const { database } = context;
  const sql = 'SELECT key FROM messages WHERE conversation = ? AND id = ?';
  const root = database.get<{ key: number }>(sql, conversation, id)?.key;
  if (root === undefined) return false;
  const { back, waiting } = undeletable(context, root);
  database.run(
    'UPDATE messages SET deletedAt = NULL, deletedWith = NULL WHERE key IN (SELECT value FROM json_each(?))',
    JSON.stringify(back),
  );
  for (const [key, outer] of waiting) {
    database.run('UPDATE messages SET deletedWith = ? WHERE key = ?', outer, key);
  }
  if (back.length === 0 || isDeleted(context, root)) return false;
  storeHead(context, conversation, leafBelow(context, root));
  return true;
}

/** The messages that were deleted last with all below them, where they can come back, without those that say nothing. */
export function lastDeleted({ database }: StoreContext, conversation: number): readonly string[] {
  const rows = database.values(
    `SELECT id, rank() OVER (ORDER BY messages.deletedAt DESC) AS nth FROM messages
     LEFT JOIN contents ON contents.message = messages.key
     WHERE conversation = ? AND deletedWith = messages.key AND deletedAt IS NOT NULL
       AND (role = 'user' OR length(choices) > length('[[]]'))
       AND NOT EXISTS (SELECT 1 FROM messages AS above WHERE above.key = messages.parent AND above.deletedAt IS NOT NULL)`,
    conversation,
  );
  return rows.filter(([, nth]) => nth === 1).map(([id]) => String(id));
}

/** What was deleted with a message: what can come back, and what waits for another deleted message. */
function undeletable(
  { database }: StoreContext,
  root: number,
): { readonly back: readonly number[]; readonly waiting: ReadonlyMap<number, number> } {
  const rows = database.all<{ key: number; parent: number | null; outer: number | null }>(
    `SELECT messages.key, messages.parent, parent.deletedWith AS outer FROM messages
     LEFT JOIN messages AS parent ON parent.key = messages.parent AND parent.deletedAt IS NOT NULL
     WHERE messages.deletedWith = ? AND messages.deletedAt IS NOT NULL ORDER BY messages.key`,
    root,
  );
  const back = new Set<number>();
  const waiting = new Map<number, number>();
  for (const { key, parent, outer } of rows) {
    // Parents come before their children.
    const waitsFor = back.has(parent ?? 0) ? null : (waiting.get(parent ?? 0) ?? outer);
    if (waitsFor === null) back.add(key);
    else waiting.set(key, waitsFor);
  }
  return { back: [...back], waiting };
}

/**
 * Runs within a transaction. Deletes for good some of what was deleted 30 days before a time.
 *
 * @returns whether there may be more
 */
export function purgeSome(context: StoreContext, attachments: Attachments, now: number): boolean {
  const { database } = context;
  const before = now - keptDeletedMs;
  let removed = removeMessages(context, 'deletedAt < ?', before);
  const gone = database.all<{ key: number; id: string }>(
    `SELECT key, id FROM conversations WHERE deletedAt < ?1
     OR (createdAt < ?1 AND changedAt < ?1 AND head IS NULL
       AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation = conversations.key)
       AND id NOT IN (SELECT conversation FROM drafts))
     LIMIT ${conversationsAtOnce}`,
    before,
  );
  for (const { key, id } of gone) {
    if (removed >= messagesAtOnce) return true;
    const some = removeSome(context, key, id);
    if (!some.isGone) return true;
    removed += some.removed;
  }
  if (removed >= messagesAtOnce || gone.length === conversationsAtOnce) return true;
  database.run(
    `DELETE FROM chunks WHERE message IN (
       SELECT key FROM messages WHERE state = 'stopped' AND createdAt < ? AND key IN (SELECT message FROM chunks))`,
    before,
  );
  attachments.purge(before);
  return false;
}

/** So begins the id of a conversation of which some messages are gone. */
const rest = 'rest-of-';

/**
 * Runs within a transaction. Deletes some messages of a conversation for good, and with the last ones itself. Nothing
 * finds what is left until then.
 */
export function removeSome(
  context: StoreContext,
  key: number,
  id: string,
): { readonly removed: number; readonly isGone: boolean } {
  const { database } = context;
  const removed = removeMessages(context, 'conversation = ?', key);
  database.run('DELETE FROM details WHERE conversation = ?', key);
  database.run('DELETE FROM drafts WHERE conversation = ?', id);
  if (removed === messagesAtOnce) {
    const name = id.startsWith(rest) ? id : rest + id;
    const sql =
      'UPDATE conversations SET id = ?, originSource = NULL, originId = NULL, head = NULL WHERE key = ?';
    database.run(sql, name, key);
    return { removed, isGone: false };
  }
  database.run('DELETE FROM conversations WHERE key = ?', key);
  return { removed, isGone: true };
}

/** @returns how many were removed, at most `messagesAtOnce` */
function removeMessages({ database }: StoreContext, which: string, value: number): number {
  const found = database.values(`SELECT key FROM messages WHERE ${which} LIMIT ${messagesAtOnce}`, value);
  const keys = JSON.stringify(found.map(([key]) => key));
  for (const table of ['contents', 'chunks', 'attachmentUses']) {
    database.run(`DELETE FROM ${table} WHERE message IN (SELECT value FROM json_each(?))`, keys);
  }
  database.run('DELETE FROM messages WHERE key IN (SELECT value FROM json_each(?))', keys);
  return found.length;
}

/** What is shown instead of a message that was deleted: its newest sibling's branch, else what is above it. */
function headBeside(context: StoreContext, conversation: number, message: number): number | undefined {
  const parent = parentOf(context, message);
  const sibling = context.database.get<{ key: number | null }>(
    'SELECT max(key) AS key FROM messages WHERE conversation = ? AND parent IS ? AND deletedAt IS NULL',
    ...[conversation, parent ?? null],
  )?.key;
  return typeof sibling === 'number' ? leafBelow(context, sibling) : parent;
}

function isDeleted({ database }: StoreContext, message: number): boolean {
  const sql = 'SELECT 1 FROM messages WHERE key = ? AND deletedAt IS NULL';
  return database.get(sql, message) === undefined;
}
