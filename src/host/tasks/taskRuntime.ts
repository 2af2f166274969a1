import { randomUUID } from 'node:crypto';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import { openDatabase, type Standing } from '../../storage/database.ts';
import { ledgerMigrations, ledgerSalvage } from '../../tasks/ledger/ledgerSchema.ts';
import { Ledger } from '../../tasks/ledger.ts';
import type { WatchEvent } from '../../tasks/polling/watchEvent.ts';
import { problemOf } from '../../tasks/problem.ts';
import type { ResultClient } from '../../tasks/results/resultFetch.ts';
import { type FetchProgress, Results } from '../../tasks/results.ts';
import { type SubmitOutcome, submit } from '../../tasks/submit.ts';
import type { Task } from '../../tasks/task.ts';
import { Watcher } from '../../tasks/watcher.ts';
import { WindowRegistry } from '../../tasks/windowRegistry.ts';
import { readWatchPace } from '../settings.ts';
import type { TaskGateways } from './taskGateways.ts';

// Loaded when tasks are first needed: it brings the database and the HTTP library along.

export interface TaskRuntimeOptions {
  readonly file: string;
  readonly resultsFolder: () => string;
  readonly gateways: TaskGateways;
  readonly onEvent: (event: WatchEvent) => void;
  readonly onProgress: (progress: FetchProgress) => void;
}

/** The open ledger, and those who work with it. */
export interface TaskRuntime {
  readonly ledger: Ledger;
  readonly windows: WindowRegistry;
  readonly watcher: Watcher;
  readonly results: Results;
  /** Where damaged ledgers were put and why nothing can be written down, as it is now. */
  readonly standing: Standing;
  /** Told when the ledger took another file: a damaged one was set aside, by this window or another. */
  onDidReplace(listener: () => void): void;
  /** Whether something can be written down now, where nothing could be. */
  becameWritable(): boolean;
  /** Sends the request of a task, once. Throws a StorageError when nothing was sent, since it could not be kept. */
  send(task: Task, request: object, closing: AbortSignal): Promise<SubmitOutcome>;
  /** Ends the watching and gives up the lead, within a second or so. */
  close(): Promise<void>;
}

/** Opens the ledger. Throws a StorageError. */
export function openTaskRuntime(options: TaskRuntimeOptions): TaskRuntime {
  const { gateways } = options;
  const window = randomUUID();
  const database = openDatabase({ path: options.file, migrations: ledgerMigrations, plan: ledgerSalvage });
  const ledger = new Ledger(database, { window });
  const windows = new WindowRegistry(database, { window });
  const watcher = new Watcher({
    ledger,
    windows,
    reach: (gateway, gatewayName) => gateways.reach(gateway, gatewayName),
    pace: readWatchPace,
  });
  const results = new Results({
    ledger,
    windows,
    folder: options.resultsFolder,
    client: (task) => resultClient(task, gateways),
  });
  watcher.onEvent(options.onEvent);
  results.onProgress(options.onProgress);
  return {
    ledger,
    windows,
    watcher,
    results,
    standing: database,
    onDidReplace: (listener) => void database.onDidReplace(listener),
    becameWritable: () => database.becameWritable(),
    async send(task, request, closing) {
      let client: GatewayClient;
      try {
        client = await gateways.reach(task.gateway, task.gatewayName);
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
function resultClient({ gateway, gatewayName }: Task, gateways: TaskGateways): ResultClient {
  const client = () => gateways.reach(gateway, gatewayName);
  return {
    download: async (address, ...rest) =>
      (await client()).download(await gateways.locate(gateway, address), ...rest),
    readTask: async (...args) => (await client()).readTask(...args),
  };
}

/** The gateway could not even be asked: nothing was made, and the user is told why. */
function refuseUnsent(ledger: Ledger, task: Task, error: unknown): SubmitOutcome {
  if (!ledger.claimSubmit(task.key, randomUUID())) return { kind: 'taken' };
  ledger.refuse(task.key, problemOf(error));
  return { kind: 'ended' };
}
