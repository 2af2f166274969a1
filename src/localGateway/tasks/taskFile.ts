import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../../base/node/clock.ts';
import { type Database, StorageError } from '../../storage/database.ts';
import { eachSetAside } from '../../storage/eachSetAside.ts';
import { whenFree } from '../../storage/whenFree.ts';
import { NothingMadeError } from '../http/nothingMade.ts';
import { openTaskDatabase } from './taskSchema.ts';
import { type TaskCreation, TaskStore } from './taskStore.ts';

/** How often a file that could only be read is tried again, in milliseconds. */
const tryAgainMs = 5_000;

/** The time for other replies between two attempts to create a task in a locked file, in milliseconds. */
const createPauseMs = 100;

/** The file of tasks, which is opened when it is first used. */
export interface TaskFile {
  /** @throws {StorageError} as long as the file cannot be used; the gateway serves everything else */
  open(): TaskStore;
  /**
   * Creates a task before its upstream is asked. Waits up to 5 s while other gateways write to the file.
   *
   * @param create runs again where the file was locked
   * @throws {NothingMadeError} when the task cannot be stored
   */
  create(create: (store: TaskStore) => TaskCreation): Promise<TaskCreation>;
  /** Whether there is a file, so that opening it makes none. */
  exists(): boolean;
  /** The folder beside it in which results are kept. */
  readonly results: string;
  close(): void;
}

/** Opens the file at `path` with the first call that needs it, and tries a read-only one again. */
export function taskFile(path: string, log: (line: string) => void): TaskFile {
  let opened: { readonly database: Database; readonly store: TaskStore } | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  function open(): TaskStore {
    opened ??= openStore(path, log);
    const { database, store } = opened;
    if (database.readOnly !== undefined && performance.now() - triedAt >= tryAgainMs) {
      triedAt = performance.now();
      if (database.reopenForWriting()) log('the file of the tasks can be written again');
      else log(`the file of the tasks can only be read (${database.readOnly})`);
    }
    return store;
  }
  return {
    open,
    create: (create) =>
      whenFree(() => create(open()), systemClock, createPauseMs).catch((error: unknown) => {
        throw error instanceof StorageError ? new NothingMadeError(error) : error;
      }),
    exists: () => existsSync(path),
    results: `${path.replace(/\.sqlite$/, '')}.results`,
    close: () => opened?.store.close(),
  };
}

function openStore(path: string, log: (line: string) => void) {
  const database = openTaskDatabase(path);
  eachSetAside(database, (file, { kept, lost } = { kept: 0, lost: 0, isWhole: false }) =>
    log(
      `the file of the tasks was broken; it was set aside as ${file} (tasks saved: ${kept}, lost: ${lost})`,
    ),
  );
  const clocks = { now: Date.now, monotonic: () => performance.now() };
  return { database, store: new TaskStore(database, clocks) };
}
