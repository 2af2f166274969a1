import type { MessageRecord } from '../conversation/record.ts';
import type { StoreContext } from './storeContext.ts';

/** What a conversation lacks of another state of it. */
export interface Lacking {
  /** Messages of which a damaged file had nothing left but their place. */
  readonly texts: readonly MessageRecord[];
  /** Messages that are not there, parents first. */
  readonly messages: readonly MessageRecord[];
  /** Messages that stand where they do not belong, because a damaged file had lost what was above them. */
  readonly places: readonly MessageRecord[];
  /** Messages of which the child that was shown last, or they themselves, are not there. */
  readonly forks: readonly MessageRecord[];
}

interface Row {
  readonly id: string;
  readonly isRoot: number;
  readonly isEmpty: number;
}

interface Placed {
  readonly key: number;
  readonly parent: number | null;
}

/** Where the key of a message stands. */
const keyPlaces = [
  ...['messages.key', 'messages.parent', 'messages.lastChild', 'messages.deletedWith'],
  ...['conversations.head', 'contents.message', 'chunks.message', 'attachmentUses.message'],
];

/** @param messages parents first */
export function findLacking(
  { database }: StoreContext,
  conversation: number,
  messages: readonly MessageRecord[],
): Lacking {
  const rows = database.all<Row>(
    `SELECT id, parent IS NULL AS isRoot, state <> 'arriving' AND ifnull(choices, '[]') = '[]' AS isEmpty FROM messages
     LEFT JOIN contents ON contents.message = messages.key WHERE conversation = ?`,
    conversation,
  );
  const known = new Map(rows.map((row) => [row.id, row]));
  const texts = messages.filter(
    ({ id, choices }) => known.get(id)?.isEmpty === 1 && choices.flat().length > 0,
  );
  const lost = messages.filter(({ id }) => !known.has(id));
  const lostIds = new Set(lost.map(({ id }) => id));
  const places = messages.filter(({ id, parent }) => {
    const row = known.get(id);
    if (!row || parent === undefined) return false;
    return lostIds.has(parent) || (row.isRoot === 1 && known.has(parent));
  });
  const forks = messages.filter(({ id, lastChild }) => lostIds.has(id) || lostIds.has(lastChild ?? ''));
  return { texts, messages: lost, places, forks };
}

/**
 * Runs within a transaction. A damaged file lost messages, and those below them became roots: once the lost ones are
 * there again, these stand below them as before. Circles stay apart.
 *
 * @param added the ids of messages that were not there before
 * @returns whether it was not in its place
 */
export function putInPlace(
  context: StoreContext,
  conversation: number,
  { id, parent }: MessageRecord,
  added: ReadonlySet<string>,
): boolean {
  const place = placeOf(context, conversation, id);
  const above = placeOf(context, conversation, parent);
  if (!place || !above || place.parent === above.key) return false;
  // A message keeps its place, unless nothing or less was left above it.
  if (place.parent !== null && !added.has(parent ?? '')) return false;
  return moveBelow(context, conversation, place.key, above.key);
}

/** Where a message stands, also one that is deleted. */
export function placeOf(
  { database }: StoreContext,
  conversation: number,
  id: string | undefined,
): Placed | undefined {
  const sql = 'SELECT key, parent FROM messages WHERE conversation = ? AND id = ?';
  return database.get<Placed>(sql, conversation, id ?? '');
}

/** @returns whether it was moved: none is moved below itself */
function moveBelow(context: StoreContext, conversation: number, message: number, parent: number): boolean {
  const keys = keysBelow(context, conversation, message);
  if (keys.includes(parent)) return false;
  const { database } = context;
  const key = parent < message ? message : renumber(context, keys);
  database.run('UPDATE messages SET parent = ? WHERE key = ?', parent, key);
  return true;
}

/** A message and all that follows it, deleted ones too, in the order in which they were added. */
function keysBelow({ database }: StoreContext, conversation: number, message: number): readonly number[] {
  const rows = database.values(
    'SELECT key, parent FROM messages WHERE conversation = ? ORDER BY key',
    conversation,
  );
  const below = new Set([message]);
  for (const [key, parent] of rows) if (below.has(Number(parent))) below.add(Number(key));
  return [...below];
}

/**
 * Gives messages new keys, greater than all others, in the same order.
 *
 * @returns the new key of the first one
 */
function renumber({ database }: StoreContext, keys: readonly number[]): number {
  const last = `SELECT max(seq, (SELECT max(key) FROM messages)) AS last FROM sqlite_sequence WHERE name = 'messages'`;
  const first = 1 + (database.get<{ last: number }>(last)?.last ?? 0);
  const old = JSON.stringify(keys);
  for (const place of keyPlaces) {
    const [table, column] = place.split('.');
    database.run(
      `UPDATE ${table} SET ${column} = ? + old.key FROM json_each(?) AS old WHERE ${place} = old.value`,
      ...[first, old],
    );
  }
  const sql = `UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'`;
  database.run(sql, first + keys.length - 1);
  return first;
}
