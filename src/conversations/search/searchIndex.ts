import { existsSync } from 'node:fs';
import type { Database } from '../../storage/sharedDatabase.ts';
import { type Candidate, lookups, readCandidates } from './candidates.ts';
import { folded } from './foldedText.ts';
import { IndexFilling } from './indexFilling.ts';
import { openSearchDatabase } from './searchDatabase.ts';
import { hitOf, type SearchHit, scoreOf } from './searchHit.ts';
import { parseQuery, type SearchQuery } from './searchQuery.ts';
import { StoreReader } from './storeReader.ts';

export interface SearchIndexFiles {
  /** The store, which is only read. */
  readonly store: string;
  /** The index, which may be deleted at any time. */
  readonly index: string;
}

/** What was found. */
export interface Found {
  /** The best first. */
  readonly hits: readonly SearchHit[];
  /** How much of the chats was searched, from 0 to 1: less while the index is made for the first time. */
  readonly searched: number;
}

/** Lets others work; throws when nobody waits any more. */
type Pause = () => Promise<void>;

/** How long the index is filled in one transaction, for which other windows wait, in milliseconds. */
const sliceMs = 80;
/** How often what was found so far is told while the index is filled, in milliseconds. */
const tellEveryMs = 500;
const candidatesAtOnce = 200;
/** How many texts are looked through at most: of more the newest. */
const maxLookedThrough = 5_000;

/** Finds words in all branches of all chats that are not deleted. Made for a worker. */
export class SearchIndex {
  readonly #files: SearchIndexFiles;
  #opened: Database | undefined;

  constructor(files: SearchIndexFiles) {
    this.#files = files;
  }

  /**
   * Takes in what changed, also when nothing is typed yet, and searches. While that takes longer it tells what it
   * found so far.
   *
   * @param limit the most hits
   * @throws {StorageError} when the chats cannot be read, or the index cannot be written
   */
  async search(typed: string, limit: number, pause: Pause, tell: (found: Found) => void): Promise<Found> {
    const query = parseQuery(typed);
    if (!StoreReader.isThere(this.#files.store)) return { hits: [], searched: 1 };
    const find = async () => (isSearch(query) ? this.#find(query, limit, pause) : []);
    await this.#fill(pause, async (searched) => tell({ hits: await find(), searched }));
    return { hits: await find(), searched: 1 };
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  get #index(): Database {
    this.#opened ??= openSearchDatabase(this.#files.index);
    return this.#opened;
  }

  async #fill(pause: Pause, meanwhile: (searched: number) => Promise<void>): Promise<void> {
    const store = new StoreReader(this.#files.store);
    try {
      // Somebody deleted it.
      if (!existsSync(this.#files.index)) this.close();
      this.#index.followReplaced();
      const filling = new IndexFilling(this.#index, store);
      let told = performance.now();
      while (filling.fill(sliceMs)) {
        await pause();
        if (performance.now() - told < tellEveryMs) continue;
        await meanwhile(filling.share());
        told = performance.now();
      }
    } finally {
      store.close();
    }
  }

  async #find(query: SearchQuery, limit: number, pause: Pause): Promise<readonly SearchHit[]> {
    const found = new Map<number, { readonly candidate: Candidate; readonly score: number }>();
    let lookedThrough = 0;
    for (const lookup of lookups(query)) {
      let below: number | undefined = Number.MAX_SAFE_INTEGER;
      while (below !== undefined && found.size < limit && lookedThrough < maxLookedThrough) {
        const page = readCandidates(this.#index, lookup, query.filters, { below, limit: candidatesAtOnce });
        for (const candidate of page.candidates) {
          const text = folded(candidate.text);
          if (!query.terms.every((term) => text.includes(term))) continue;
          found.set(candidate.key, { candidate, score: scoreOf(candidate.kind, text, query.terms) });
        }
        lookedThrough += page.candidates.length;
        below = page.next;
        await pause();
      }
    }
    return [...found.values()]
      .toSorted((one, other) => other.score - one.score || other.candidate.at - one.candidate.at)
      .slice(0, limit)
      .map(({ candidate }) => hitOf(candidate, query.terms));
  }
}

/** Whether there is anything to look for. */
function isSearch({ terms, filters }: SearchQuery): boolean {
  const { models, workspaces, before, after, hasImage, inReasoning } = filters;
  return (
    terms.length > 0 ||
    models.length > 0 ||
    workspaces.length > 0 ||
    before !== undefined ||
    after !== undefined ||
    hasImage ||
    inReasoning
  );
}
