import { type Database, openDatabase } from '../../src/storage/database.ts';
import type { Ledger } from '../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations, ledgerSalvage } from '../../src/tasks/ledger/ledgerSchema.ts';
import type { Task, TaskDraft } from '../../src/tasks/record/task.ts';
import type { TaskSnapshot } from '../../src/wire/apis/taskRecord/snapshot.ts';

export const gateway = 'https://gateway.example';

/** A clock that only moves if the test moves it. */
export class ManualClock {
  time = Date.UTC(2030, 0, 1);
  readonly now = (): number => this.time;
}

export function openLedgerDatabase(path = ':memory:'): Database {
  return openDatabase({ path, migrations: ledgerMigrations, plan: ledgerSalvage });
}

export function createDraft(key: string, change: Partial<TaskDraft> = {}): TaskDraft {
  return {
    key,
    gateway,
    gatewayName: 'work',
    route: 'videoSynthesis',
    model: 'film-1',
    prompt: 'a cat on a wall',
    request: { model: 'film-1', input: { prompt: 'a cat on a wall' } },
    ...change,
  };
}

export function createSnapshot(change: Partial<TaskSnapshot> = {}): TaskSnapshot {
  return { status: 'running', results: [], raw: { status: change.rawStatus }, ...change };
}

export const completedSnapshot = createSnapshot({
  status: 'completed',
  rawStatus: 'SUCCEEDED',
  results: [{ url: 'https://files.example/film.mp4?Signature=obviously-fake' }],
});

/** Adds a task that the gateway has accepted. */
export function addRunningTask(ledger: Ledger, key: string, taskId = `task-${key}`): Task {
  ledger.create(createDraft(key));
  ledger.claimSubmission(key, `request-${key}`);
  ledger.accept(key, taskId);
  return readStoredTask(ledger, key);
}

/** Adds a completed task with one result that is not downloaded yet. */
export function addFinishedTask(ledger: Ledger, key: string): Task {
  addRunningTask(ledger, key);
  ledger.recordSnapshot(key, completedSnapshot);
  return readStoredTask(ledger, key);
}

export function readStoredTask(ledger: Ledger, key: string): Task {
  const task = ledger.get(key);
  if (!task) throw new Error(`The ledger does not know ${key}.`);
  return task;
}

/** Lists the successive statuses of a task, each with the gateway's raw status. */
export function listStatuses(ledger: Ledger, key: string): readonly string[] {
  const changes = ledger.readHistory(key)?.statusChanges ?? [];
  return changes.map(({ status, rawStatus }) =>
    rawStatus === undefined ? status : `${status} ${rawStatus}`,
  );
}
