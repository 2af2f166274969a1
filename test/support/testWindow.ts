import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { WindowRegistry } from '../../src/storage/windowRegistry.ts';
import { Ledger } from '../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations } from '../../src/tasks/ledger/ledgerSchema.ts';
import type { PollClient } from '../../src/tasks/polling/poller.ts';
import type { PollOptions } from '../../src/tasks/polling/pollPauses.ts';
import type { WatchEvent } from '../../src/tasks/polling/pollReports.ts';
import type { Task, TaskDraft } from '../../src/tasks/record/task.ts';
import { TaskWatcher } from '../../src/tasks/taskWatcher.ts';
import { findMemoryFolder } from './databaseFolder.ts';
import { type TestClock, WindowClock } from './testClock.ts';

export const gateway = 'https://gateway.example';

export const defaultPollOptions: PollOptions = {
  intervalMs: 5_000,
  maxIntervalMs: 30_000,
  timeoutMs: 3_600_000,
  pollsInFlight: 4,
};

/** Creates a folder for database files, in memory if the system supports that. */
export function createTasksFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(findMemoryFolder(), 'tasks-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface TestWindowOptions {
  readonly file: string;
  readonly name: string;
  readonly clock: TestClock;
  readonly getClient: (gateway: string, gatewayName: string) => Promise<PollClient>;
  readonly pollOptions?: Partial<PollOptions>;
  readonly random?: () => number;
  /** Receives the database before it is used. */
  readonly prepare?: (database: Database) => void;
}

/** The parts of a window for tasks: its own ledger on the shared file, and a watcher. */
export class TestWindow {
  readonly ledger: Ledger;
  readonly windows: WindowRegistry;
  readonly watcher: TaskWatcher;
  readonly events: WatchEvent[] = [];
  readonly clock: WindowClock;
  #isOpen = true;

  constructor({ file, name, clock: common, getClient, pollOptions, random, prepare }: TestWindowOptions) {
    const clock = new WindowClock(common);
    this.clock = clock;
    const database = openDatabase({ path: file, migrations: ledgerMigrations });
    prepare?.(database);
    const times = { now: () => clock.now(), monotonic: () => clock.monotonic() };
    this.ledger = new Ledger(database, { window: name, now: times.now });
    this.windows = new WindowRegistry(database, { window: name, ...times });
    this.watcher = new TaskWatcher({
      ledger: this.ledger,
      windows: this.windows,
      getClient,
      clock,
      pollOptions: () => ({ ...defaultPollOptions, ...pollOptions }),
      random: random ?? (() => 0.5),
    });
    this.watcher.onEvent((event) => this.events.push(event));
  }

  /** Lists the watcher's events of one type. */
  listEvents(type: WatchEvent['type']): readonly WatchEvent[] {
    return this.events.filter((event) => event.type === type);
  }

  /** Adds a task that runs at the gateway. */
  addRunning(key: string, taskId: string, facts: Partial<TaskDraft> = {}): Task {
    this.ledger.create(createDraft(key, facts));
    this.ledger.claimSubmission(key, `request-${key}`);
    this.ledger.accept(key, taskId);
    return this.readTask(key);
  }

  /** Adds a task whose request was sent but whose outcome is unknown. */
  addUnknown(key: string, unclearReply?: string): Task {
    this.ledger.create(createDraft(key));
    this.ledger.claimSubmission(key, `request-${key}`);
    this.ledger.markUnknown(key, { message: 'The reply was cut.' }, unclearReply);
    return this.readTask(key);
  }

  readTask(key: string): Task {
    const task = this.ledger.get(key);
    if (!task) throw new Error(`no task ${key}`);
    return task;
  }

  /** The process ends abruptly: no code runs any more, and nothing more is written. */
  die(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.clock.die();
    this.ledger.close();
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.watcher.stop();
    this.ledger.close();
  }
}

export function createDraft(key: string, facts: Partial<TaskDraft> = {}): TaskDraft {
  return {
    key,
    gateway,
    gatewayName: 'work',
    route: 'interactions',
    model: 'video-1',
    prompt: 'a lake',
    request: { model: 'video-1', input: 'a lake', background: true },
    ...facts,
  };
}
