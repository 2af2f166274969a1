import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isObject, parseJson } from '../base/json.ts';
import { type Database, openDatabase, StorageError } from '../storage/database.ts';
import type { RequestHandlers, RequestKind } from '../storage/worker/requestWorker.ts';
import { createCredentialRedactor } from '../wire/secrets/redact.ts';
import { type ContentLimits, hideCredentials, type RequestContent } from './requestContent.ts';
import type { OpenedRequest, RequestFigures, UnhiddenContent } from './requestRecord.ts';

const maxStoredFailures = 500;

const migrations = [
  `CREATE TABLE failure (
    id TEXT PRIMARY KEY,
    requested_at INTEGER NOT NULL,
    figures TEXT NOT NULL,
    content TEXT
  ) STRICT;
  CREATE INDEX failure_by_time ON failure (requested_at)`,
];

const maxClearTries = 20;
const clearPauseMs = 100;

/**
 * The file of failed requests, which several windows share. Its methods block while they wait for the disk and for
 * other windows, so only a worker should call them.
 */
export class FailureStore {
  readonly #file: string;
  #database: Database | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Stores a failure, and deletes all but the newest 500.
   *
   * @throws {StorageError} also if the file is read-only
   */
  store({ figures, content }: OpenedRequest): void {
    const database = this.#open();
    database.reopenForWriting();
    database.write(() => {
      database.run(
        'INSERT OR REPLACE INTO failure (id, requested_at, figures, content) VALUES (?, ?, ?, ?)',
        figures.id,
        figures.requestedAt,
        JSON.stringify(figures),
        content ? JSON.stringify(content) : null,
      );
      database.run(
        `DELETE FROM failure WHERE id NOT IN
           (SELECT id FROM failure ORDER BY requested_at DESC, rowid DESC LIMIT ?)`,
        maxStoredFailures,
      );
    });
  }

  /** All stored failures, newest first. */
  list(): readonly RequestFigures[] {
    return this.#open()
      .all<{ figures: string }>('SELECT figures FROM failure ORDER BY requested_at DESC, rowid DESC')
      .flatMap(({ figures }) => parseStored<RequestFigures>(figures) ?? []);
  }

  /** @returns undefined for a failure that is no longer stored */
  get(id: string): OpenedRequest | undefined {
    const row = this.#open().get<{ figures: string; content: string | null }>(
      'SELECT figures, content FROM failure WHERE id = ?',
      id,
    );
    const figures = row && parseStored<RequestFigures>(row.figures);
    return figures && { figures, content: parseStored<RequestContent>(row.content ?? '') };
  }

  /**
   * Erases all failures, in the file, in its log, and in copies of it.
   *
   * @param pause waits for this many milliseconds while another window reads
   * @throws {StorageError} of kind `busy` if another window still reads after 2 s. Then no failure is listed any more,
   * but the log may still contain deleted failures.
   */
  async clear(pause: (ms: number) => Promise<unknown>): Promise<void> {
    const database = this.#open();
    database.reopenForWriting();
    database.write(() => database.run('DELETE FROM failure'));
    removeCopies(this.#file);
    // Until the file is rewritten, its free pages contain the deleted rows.
    database.run('VACUUM');
    for (let tries = 0; !database.emptyLog(); tries++) {
      if (tries === maxClearTries) throw new StorageError('busy', 'The log is being read.');
      await pause(clearPauseMs);
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #open(): Database {
    this.#database ??= openDatabase({ path: this.#file, migrations });
    return this.#database;
  }
}

/** @returns undefined for a damaged text */
function parseStored<Value>(text: string): Value | undefined {
  const value = parseJson(text);
  return isObject(value) ? (value as Value) : undefined;
}

/** Removes the copies of damaged files and of earlier versions. Their names contain the name of the file. */
function removeCopies(file: string): void {
  const folder = dirname(file);
  const copies = readdirSync(folder).filter(
    (name) => /^(?:corrupt|backup)-/.test(name) && name.includes(`-${basename(file)}`),
  );
  for (const name of copies) rmSync(join(folder, name), { force: true });
}

/** A failed request that may contain the credential. The worker hides the credential and stores the request. */
export interface UnhiddenFailure {
  readonly figures: RequestFigures;
  readonly raw: UnhiddenContent | undefined;
}

/** The content of a request, which may contain the credential. The worker hides the credential. */
export interface UnhiddenRequest extends Pick<ContentLimits, 'hidesAll'> {
  readonly raw: UnhiddenContent;
}

/** The requests to the worker that stores failures. */
export interface FailureRequests {
  readonly store: RequestKind<UnhiddenFailure, undefined>;
  readonly list: RequestKind<undefined, readonly RequestFigures[]>;
  /** Undefined for a failure that is no longer stored. */
  readonly get: RequestKind<string, OpenedRequest | undefined>;
  readonly clear: RequestKind<undefined, undefined>;
  /** Hides the credential in a content, which is not stored. */
  readonly hide: RequestKind<UnhiddenRequest, RequestContent>;
}

/** Creates the handlers of these requests, in the worker. */
export function createFailureHandlers({ file }: { readonly file: string }): RequestHandlers<FailureRequests> {
  const store = new FailureStore(file);
  return {
    async store(failure) {
      store.store(hideInFailure(failure));
      return undefined;
    },
    list: async () => store.list(),
    get: async (id) => store.get(id),
    async clear() {
      await store.clear(setTimeout);
      return undefined;
    },
    hide: async (request) => hideInRequest(request),
  };
}

function hideInFailure({ figures, raw }: UnhiddenFailure): OpenedRequest {
  return raw ? { figures, content: hideInRequest({ raw, hidesAll: true }) } : { figures };
}

function hideInRequest({ raw: { content, secrets }, hidesAll }: UnhiddenRequest): RequestContent {
  const redactor = createCredentialRedactor(secrets);
  return hideCredentials(content, redactor, hidesAll ? redactor.hide : redactor.hideCredential);
}
