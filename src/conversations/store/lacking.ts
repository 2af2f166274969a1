import type { MessageRecord } from '../record.ts';
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
