import { randomUUID } from 'node:crypto';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import { openDatabase } from '../../storage/database.ts';
import { Ledger } from '../../tasks/ledger.ts';
import { ledgerMigrations } from '../../tasks/ledgerSchema.ts';
import { problemOf } from '../../tasks/problem.ts';
import type { ResultClient } from '../../tasks/resultFetch.ts';
import { type FetchProgress, Results } from '../../tasks/results.ts';
import { type SubmitOutcome, submit } from '../../tasks/submit.ts';
import type { Task } from '../../tasks/task.ts';
import type { WatchEvent } from '../../tasks/watchEvent.ts';
import { Watcher } from '../../tasks/watcher.ts';
import { Windows } from '../../tasks/windows.ts';
import { readWatchPace } from '../settings.ts';

// Loaded when tasks are first needed: it brings the database and the HTTP library along.

/** The client of the gateway at which a task lives. */
export type Reach = (gateway: string, profile: string) => Promise<GatewayClient>;

export interface TaskDeskOptions {
  readonly file: string;
  readonly resultsFolder: () => string;
  readonly reach: Reach;
  /** Where a result lies now: the local gateway has another address each time it starts. */
  readonly locate: (task: Task, address: string) => Promise<string>;
  readonly onEvent: (event: WatchEvent) => void;
  readonly onProgress: (progress: FetchProgress) => void;
}

/** The open ledger, and those who work with it. */
export interface TaskDesk {
  readonly ledger: Ledger;
  readonly windows: Windows;
  readonly watcher: Watcher;
  readonly results: Results;
  /** Where a damaged ledger was put, when there was one. */
  readonly setAside: string | undefined;
  /** Why nothing can be written down here: a newer version wrote the ledger, or its folder is closed to us. */
  readonly readOnly: 'newer' | 'unwritable' | undefined;
  /** Sends the request of a task, once. Throws a StorageError when nothing was sent, since it could not be kept. */
  send(task: Task, request: object, closing: AbortSignal): Promise<SubmitOutcome>;
  /** Ends the watching and gives up the lead, within a second or so. */
  close(): Promise<void>;
}

/** Opens the ledger. Throws a StorageError. */
export function openTaskDesk(options: TaskDeskOptions): TaskDesk {
  const { reach } = options;
  const window = randomUUID();
  const database = openDatabase({ path: options.file, migrations: ledgerMigrations });
  const ledger = new Ledger(database, { window });
  const windows = new Windows(database, { window });
  const watcher = new Watcher({ ledger, windows, reach, pace: readWatchPace });
  const results = new Results({
    ledger,
    windows,
    folder: options.resultsFolder,
    client: (task) => resultClient(task, options),
  });
  watcher.onEvent(options.onEvent);
  results.onProgress(options.onProgress);
  return {
    ledger,
    windows,
    watcher,
    results,
    setAside: database.setAside,
    readOnly: database.readOnly,
    async send(task, request, closing) {
      let client: GatewayClient;
      try {
        client = await reach(task.gateway, task.profile);
      } catch (error) {
        return refuseUnsent(ledger, task, error);
      }
      return submit(task, request, { ledger, client, windowEnd: closing });
    },
    async close() {
      await watcher.stop();
      ledger.close();
    },
  };
}

/** Fetches with the client of the task's gateway, which is there once it is needed. */
function resultClient(task: Task, { reach, locate }: TaskDeskOptions): ResultClient {
  const client = () => reach(task.gateway, task.profile);
  return {
    download: async (address, ...rest) => (await client()).download(await locate(task, address), ...rest),
    readTask: async (...args) => (await client()).readTask(...args),
  };
}

/** The gateway could not even be asked: nothing was made, and the user is told why. */
function refuseUnsent(ledger: Ledger, task: Task, error: unknown): SubmitOutcome {
  if (!ledger.claimSubmit(task.key, randomUUID())) return { kind: 'taken' };
  ledger.refuse(task.key, problemOf(error));
  return { kind: 'ended' };
}
