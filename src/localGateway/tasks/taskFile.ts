import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../../base/node/clock.ts';
import { type Database, StorageError } from '../../storage/database.ts';
import { followSetAside } from '../../storage/followHealth.ts';
import { retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import { UnbilledError } from '../http/httpError.ts';
import { type TaskCreation, TaskStore } from './taskStore.ts';
import { openTaskDatabase } from './taskTable.ts';

/** The interval of attempts to open a read-only file for writing, in milliseconds. */
const reopenIntervalMs = 5_000;

/**
 * The pause between two attempts to create a task in a locked file, in milliseconds. Other requests are served
 * during it.
 */
const createPauseMs = 100;

/** The file of tasks. It is opened at its first use. */
export interface TaskFile {
  /** @throws {StorageError} as long as the file cannot be used; the gateway then still serves all other requests */
  open(): TaskStore;
  /**
   * Creates a task before the request is sent to its upstream. Waits up to 5 s while other gateways write to the
   * file.
   *
   * @param create runs again if the file was locked
   * @throws {UnbilledError} if the task cannot be stored
   */
  create(create: (store: TaskStore) => TaskCreation): Promise<TaskCreation>;
  /** Whether the file exists, so that opening does not create it. */
  exists(): boolean;
  /** The folder for results, next to the file. */
  readonly resultsFolder: string;
  close(): void;
}

/** Creates access to the file at `path`. A read-only file is opened again until it can be written. */
export function createTaskFile(path: string, log: (line: string) => void): TaskFile {
  let openedFile: { readonly database: Database; readonly store: TaskStore } | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  function open(): TaskStore {
    openedFile ??= openStore(path, log);
    const { database, store } = openedFile;
    if (database.readOnly !== undefined && performance.now() - triedAt >= reopenIntervalMs) {
      triedAt = performance.now();
      if (database.reopenForWriting()) log('the file of the tasks can be written again');
      else log(`the file of the tasks is read-only (${database.readOnly})`);
    }
    return store;
  }
  return {
    open,
    create: (create) =>
      retryWhileBusy(() => create(open()), systemClock, createPauseMs).catch((error: unknown) => {
        throw error instanceof StorageError ? new UnbilledError(error) : error;
      }),
    exists: () => existsSync(path),
    resultsFolder: `${path.replace(/\.sqlite$/, '')}.results`,
    close: () => openedFile?.store.close(),
  };
}

function openStore(path: string, log: (line: string) => void) {
  const database = openTaskDatabase(path);
  followSetAside(database, (file, { saved, lost } = { saved: 0, lost: 0, isComplete: false }) =>
    log(`the file of the tasks was damaged; it was moved to ${file} (tasks saved: ${saved}, lost: ${lost})`),
  );
  const clocks = { now: Date.now, monotonic: () => performance.now() };
  return { database, store: new TaskStore(database, clocks) };
}
