import type { SQLInputValue } from 'node:sqlite';
import type { Database } from '../../storage/sharedDatabase.ts';
import { createTermLookups } from './foldedText.ts';
import type { TextKind } from './indexFiller.ts';
import type { SearchFilters, SearchQuery } from './searchQuery.ts';

/** A text that may match: the index does not store the order of tokens. */
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
 * Creates the index queries for the terms: the first for whole words and prefixes of words, the second also for
 * parts of words. The second omits words of one or two letters if there are longer ones. An empty lookup finds
 * all texts.
 */
export function createLookups({ terms }: SearchQuery): readonly string[] {
  const termLookups = terms.map(createTermLookups);
  const words = termLookups.flatMap((each) => each.words);
  const parts = termLookups.flatMap((each) => each.parts);
  const partsOrShort = parts.length > 0 ? parts : termLookups.flatMap((each) => each.short);
  return [...new Set([words, partsOrShort].map((list) => [...new Set(list)].join(' AND ')))];
}

/**
 * Reads the newest matches of a lookup with keys smaller than `below`.
 *
 * @returns the matches that pass the filters, and the value of `below` for the next call; undefined at the end
 */
export function readCandidates(
  index: Database,
  lookup: string,
  filters: SearchFilters,
  { below, limit }: { readonly below: number; readonly limit: number },
): { readonly candidates: readonly Candidate[]; readonly next: number | undefined } {
  const keys = readKeys(index, lookup, below, limit);
  const conditions = createConditions(filters);
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
  return rows.map(([key]) => Number(key));
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

function createConditions(filters: SearchFilters): readonly Condition[] {
  const { models, workspaces, before, after, hasImage, searchesReasoning } = filters;
  return [
    { sql: `(kind = 'reasoning') = ?`, values: [searchesReasoning ? 1 : 0] },
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
