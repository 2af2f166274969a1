import type { SQLInputValue } from 'node:sqlite';
import type { Database } from '../../storage/sharedDatabase.ts';
import { lookupsOf } from './foldedText.ts';
import type { TextKind } from './indexFilling.ts';
import type { SearchFilters, SearchQuery } from './searchQuery.ts';

/** A text that may be a hit: the indexes do not know in which order tokens stand. */
export interface Candidate {
  readonly key: number;
  readonly conversation: string;
  readonly title: string;
  /** Empty for the title. */
  readonly message: string;
  readonly kind: TextKind;
  readonly at: number;
  readonly model: string | null;
  readonly text: string;
}

/**
 * How the index is asked for terms: first for whole words and beginnings of words, then also for parts of words, for
 * which one or two letters are only looked for in what the others find. An empty lookup finds all texts.
 */
export function lookups({ terms }: SearchQuery): readonly string[] {
  const all = terms.map(lookupsOf);
  const words = all.flatMap((each) => each.words);
  const parts = all.flatMap((each) => each.parts);
  const tokens = [words, parts.length > 0 ? parts : all.flatMap((each) => each.short)];
  return [...new Set(tokens.map((one) => [...new Set(one)].join(' AND ')))];
}

/**
 * Reads the newest texts that a lookup finds, of those with smaller keys than `below`.
 *
 * @returns all of them that the filters let pass, and the key below which to go on; undefined when it was the end
 */
export function readCandidates(
  index: Database,
  lookup: string,
  filters: SearchFilters,
  { below, limit }: { readonly below: number; readonly limit: number },
): { readonly candidates: readonly Candidate[]; readonly next: number | undefined } {
  const keys = readKeys(index, lookup, below, limit);
  const conditions = conditionsOf(filters);
  const candidates = index.all<Candidate>(
    `SELECT texts.key, conversations.id AS conversation, title, message, kind, at, model, contents.text
     FROM json_each(?) AS found JOIN texts ON texts.key = found.value
     JOIN conversations ON conversations.key = texts.conversation JOIN contents ON contents.key = texts.key
     WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    JSON.stringify(keys),
    ...conditions.flatMap(({ values }) => values),
  );
  return { candidates, next: keys.length < limit ? undefined : keys.at(-1) };
}

function readKeys(index: Database, lookup: string, below: number, limit: number): readonly number[] {
  const rows =
    lookup === ''
      ? index.values('SELECT key FROM texts WHERE key < ? ORDER BY key DESC LIMIT ?', below, limit)
      : index.values(
          'SELECT rowid FROM tokens WHERE tokens MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
          ...[lookup, below, limit],
        );
  return rows.map(keyOf);
}

function keyOf([key]: readonly unknown[]): number {
  return Number(key);
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

function conditionsOf(filters: SearchFilters): readonly Condition[] {
  const { models, workspaces, before, after, hasImage, inReasoning } = filters;
  return [
    { sql: `(kind = 'reasoning') = ?`, values: [inReasoning ? 1 : 0] },
    ...models.map((model) => ({
      sql: 'instr(coalesce(model, conversations.models), ?) > 0',
      values: [model],
    })),
    ...workspaces.map((workspace) => ({ sql: 'instr(conversations.workspace, ?) > 0', values: [workspace] })),
    ...(before === undefined ? [] : [{ sql: 'at < ?', values: [before] }]),
    ...(after === undefined ? [] : [{ sql: 'at >= ?', values: [after] }]),
    ...(hasImage ? [{ sql: 'hasImage = 1', values: [] }] : []),
  ];
}
