import { stat } from 'node:fs/promises';
import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import { Throttle } from '../base/throttle.ts';
import type { StorageNotice } from '../storage/followHealth.ts';
import { BackgroundWork, type Pause, type TaskLog } from './backgroundWork.ts';
import type { LedgerNotice } from './ledgerNotice.ts';
import type { TaskRuntime, TaskRuntimeOptions } from './taskRuntime.ts';

export interface TaskLifecycleOptions extends TaskRuntimeOptions {
  readonly log: TaskLog;
  /** Called with what the user must know about the ledger. */
  readonly onNotice: (notice: LedgerNotice) => void;
}

/** Another window's first task is noticed within this time, in milliseconds. */
const fileCheckMs = 5000;

/** Changes are reported at most this often, in milliseconds. */
const batchMs = 100;

/**
 * Opens the ledger when it is first needed, or at the start if it exists, and lets its tasks go on until the
 * window closes.
 */
export class TaskLifecycle {
  readonly #options: TaskLifecycleOptions;
  readonly #didChange = new Emitter<string | undefined>();
  readonly #didPause = new Emitter<Pause>();
  readonly #changes = new ChangeBatch((key) => this.#didChange.fire(key));
  readonly #closing = new AbortController();
  #opening: Promise<TaskRuntime> | undefined;
  #runtime: TaskRuntime | undefined;
  #work: BackgroundWork | undefined;
  #fileCheck: NodeJS.Timeout | undefined;

  /** Fires with the key of a task that changed. Without a key any task may have changed. */
  readonly onDidChange = this.#didChange.event;
  readonly onDidPause = this.#didPause.event;

  constructor(options: TaskLifecycleOptions) {
    this.#options = options;
  }

  /** The open ledger with all that works on it; undefined before it is open. */
  get runtime(): TaskRuntime | undefined {
    return this.#runtime;
  }

  /** Aborted when the window closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Opens the ledger, unless it is open. A failed attempt is repeated by the next call.
   *
   * @throws {StorageError} or another error, when tasks cannot be stored here, or the window closes
   */
  opened(): Promise<TaskRuntime> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Opens a ledger that exists, and one that another window creates. */
  async start(): Promise<void> {
    await this.#openIfThere();
    if (this.#closing.signal.aborted) return;
    this.#fileCheck = setInterval(() => {
      if (this.#opening) clearInterval(this.#fileCheck);
      else void this.#openIfThere().catch((error) => this.#options.log.error('task', errorMessage(error)));
    }, fileCheckMs);
  }

  /** Resumes tasks that waited for a new address or a new credential. */
  gatewaysChanged(): void {
    this.#options.gateways.forgetAll();
    this.#work?.gatewaysChanged();
  }

  /** Lets another window lead at once. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    this.#changes.dispose();
    clearInterval(this.#fileCheck);
    this.#work?.dispose();
    const runtime = this.#runtime;
    this.#runtime = undefined;
    await runtime?.close();
  }

  async #open(): Promise<TaskRuntime> {
    const { log, onNotice } = this.#options;
    const { openTaskRuntime } = await import('./taskRuntime.ts');
    const onHealth = (notice: StorageNotice) => {
      if (notice.type === 'set-aside') log.warn('task', `the file of tasks was damaged: ${notice.file}`);
      onNotice(notice);
    };
    const onError = (error: unknown) => log.warn('task', errorMessage(error));
    // A window that has closed meanwhile would never close the ledger.
    const runtime = await openTaskRuntime(this.#options, this.#closing.signal, {
      onNotice: onHealth,
      onError,
    });
    this.#runtime = runtime;
    this.#work = new BackgroundWork(runtime, this.#closing.signal, {
      ...this.#options,
      onHealth,
      onChange: (key) => this.#changes.add(key),
      onPause: (pause) => this.#didPause.fire(pause),
    });
    this.#work.start();
    return runtime;
  }

  async #openIfThere(): Promise<void> {
    const there = await stat(this.#options.file).catch(() => undefined);
    if (there) await this.opened();
  }
}

/** Reports many changes at once, since a thousand tasks change several times a second. */
class ChangeBatch implements Disposable {
  readonly #tell: (key: string | undefined) => void;
  readonly #keys = new Set<string | undefined>();
  readonly #throttle = new Throttle(() => this.#report(), batchMs);

  /** @param tell called with the key if one task changed, and without a key if several did */
  constructor(tell: (key: string | undefined) => void) {
    this.#tell = tell;
  }

  add(key: string | undefined): void {
    this.#keys.add(key);
    this.#throttle.schedule();
  }

  /** Reports nothing after this. */
  dispose(): void {
    this.#throttle.dispose();
  }

  #report(): void {
    const [first, ...others] = this.#keys;
    this.#keys.clear();
    this.#tell(others.length === 0 ? first : undefined);
  }
}
