import { existsSync } from 'node:fs';
import type { SQLInputValue } from 'node:sqlite';
import type { Database } from '../../storage/sharedDatabase.ts';
import { createTermLookups, foldText } from './foldedText.ts';
import { IndexFiller } from './indexFiller.ts';
import { openSearchDatabase } from './searchDatabase.ts';
import { type Candidate, computeScore, createHit, type SearchHit } from './searchHit.ts';
import { parseQuery, type SearchFilters, type SearchQuery } from './searchQuery.ts';
import { StoreReader } from './storeReader.ts';

interface SearchIndexFiles {
  /** The store, which is only read. */
  readonly store: string;
  /** The index, which may be deleted at any time. */
  readonly index: string;
}

/** The result of a search. */
export interface SearchResult {
  /** The best hit first. */
  readonly hits: readonly SearchHit[];
  /** The searched share of the chats, from 0 to 1: below 1 while the index is built for the first time. */
  readonly searched: number;
}

/** Pauses so that other code can run; throws if the search was cancelled. */
type Pause = () => Promise<void>;

/** The duration of one transaction that fills the index, in milliseconds. Other windows wait for its end. */
const sliceMs = 80;
/** The interval of progress reports while the index is filled, in milliseconds. */
const progressIntervalMs = 500;
const candidatesAtOnce = 200;
/** The maximum number of texts to check; the newest ones are checked first. */
const maxCheckedTexts = 5_000;

/** Searches all branches of all chats that are not deleted. Blocks its thread, so only a worker should use it. */
export class SearchIndex {
  readonly #files: SearchIndexFiles;
  #database: Database | undefined;

  constructor(files: SearchIndexFiles) {
    this.#files = files;
  }

  /**
   * Updates the index, even for an empty query, and searches. During a long update it reports the results so
   * far.
   *
   * @param limit the maximum number of hits
   * @throws {StorageError} if the chats cannot be read, or the index cannot be written
   */
  async search(
    text: string,
    limit: number,
    pause: Pause,
    reportProgress: (result: SearchResult) => void,
  ): Promise<SearchResult> {
    const query = parseQuery(text);
    if (!StoreReader.exists(this.#files.store)) return { hits: [], searched: 1 };
    const findHits = async () => (hasTermOrFilter(query) ? this.#findHits(query, limit, pause) : []);
    await this.#updateIndex(pause, async (searched) => reportProgress({ hits: await findHits(), searched }));
    return { hits: await findHits(), searched: 1 };
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  get #index(): Database {
    this.#database ??= openSearchDatabase(this.#files.index);
    return this.#database;
  }

  async #updateIndex(pause: Pause, reportShare: (searched: number) => Promise<void>): Promise<void> {
    const store = new StoreReader(this.#files.store);
    try {
      // The index file was deleted.
      if (!existsSync(this.#files.index)) this.close();
      this.#index.reopenIfReplaced();
      const filler = new IndexFiller(this.#index, store);
      let reportedAt = performance.now();
      while (filler.fill(sliceMs)) {
        await pause();
        if (performance.now() - reportedAt < progressIntervalMs) continue;
        await reportShare(filler.readShare());
        reportedAt = performance.now();
      }
    } finally {
      store.close();
    }
  }

  async #findHits(query: SearchQuery, limit: number, pause: Pause): Promise<readonly SearchHit[]> {
    const matches = new Map<number, { readonly candidate: Candidate; readonly score: number }>();
    let checkedTexts = 0;
    for (const lookup of createLookups(query)) {
      let below: number | undefined = Number.MAX_SAFE_INTEGER;
      while (below !== undefined && matches.size < limit && checkedTexts < maxCheckedTexts) {
        const page = readCandidates(this.#index, lookup, query.filters, { below, limit: candidatesAtOnce });
        for (const candidate of page.candidates) {
          const text = foldText(candidate.text);
          if (!query.terms.every((term) => text.includes(term))) continue;
          matches.set(candidate.key, { candidate, score: computeScore(candidate.kind, text, query.terms) });
        }
        checkedTexts += page.candidates.length;
        below = page.next;
        await pause();
      }
    }
    return [...matches.values()]
      .toSorted((one, other) => other.score - one.score || other.candidate.at - one.candidate.at)
      .slice(0, limit)
      .map(({ candidate }) => createHit(candidate, query.terms));
  }
}

/** Whether the query has any term or filter. */
function hasTermOrFilter({ terms, filters }: SearchQuery): boolean {
  const { models, workspaces, before, after, hasImage, searchesReasoning } = filters;
  return (
    terms.length > 0 ||
    models.length > 0 ||
    workspaces.length > 0 ||
    before !== undefined ||
    after !== undefined ||
    hasImage ||
    searchesReasoning
  );
}

/**
 * Creates the index queries for the terms: the first for whole words and prefixes of words, the second also for
 * parts of words. The second omits words of one or two letters if there are longer ones. An empty lookup finds
 * all texts.
 */
function createLookups({ terms }: SearchQuery): readonly string[] {
  const termLookups = terms.map(createTermLookups);
  const words = termLookups.flatMap((each) => each.words);
  const parts = termLookups.flatMap((each) => each.parts);
  const partsOrShort = parts.length > 0 ? parts : termLookups.flatMap((each) => each.shortWords);
  return [...new Set([words, partsOrShort].map((list) => [...new Set(list)].join(' AND ')))];
}

/**
 * Reads the newest matches of a lookup with keys smaller than `below`.
 *
 * @returns the matches that pass the filters, and the value of `below` for the next call; undefined at the end
 */
function readCandidates(
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
          lookup,
          below,
          limit,
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
