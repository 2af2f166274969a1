import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { maxTimerMs } from '../base/maxTimer.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { SteadyRecord } from '../wire/apis/taskRecord/taskStatus.ts';
import { type Explanation, explain, inEnglish } from '../wire/explanations/explanation.ts';
import { GatewayError } from '../wire/failures/gatewayError.ts';
import { isMissingRecord, isMissingTaskError, isUnknownRecord } from './missingTask.ts';
import type { CallOptions, TaskReader, WaitOptions } from './types.ts';

/** The wait ended before the task did. The task may continue, and `waitForTask` can be called again. */
export class TaskWaitError extends Error {
  override readonly name = 'TaskWaitError';
  /** `timed-out`: the timeout was reached. `unknown`: the gateway no longer has the task. */
  readonly reason: 'timed-out' | 'unknown';
  readonly taskId: string;
  /** The last snapshot; absent if all reads failed. */
  readonly snapshot?: TaskSnapshot;

  constructor(
    reason: TaskWaitError['reason'],
    taskId: string,
    snapshot: TaskSnapshot | undefined,
    cause?: unknown,
  ) {
    super(inEnglish(explanations[reason]), { cause });
    this.reason = reason;
    this.taskId = taskId;
    if (snapshot) this.snapshot = snapshot;
  }

  /** Whether `error` is a `TaskWaitError`. */
  static readonly is = isTaskWaitError;
}

/** Outside the class: see `GatewayError.is`. */
function isTaskWaitError(error: unknown): error is TaskWaitError {
  return error instanceof TaskWaitError;
}

const explanations: Record<TaskWaitError['reason'], Explanation> = {
  'timed-out': explain('wait-timed-out'),
  unknown: explain('task-unknown'),
};

const hourMs = 3_600_000;
const maxIntervalMs = 60_000;
/** How long a gateway may take until it returns a new task, in milliseconds. */
const unknownGraceMs = 60_000;
const maxReadMs = 60_000;

/**
 * Reads a task until its snapshot has completed or failed. It retries if the gateway is unreachable, fails, limits
 * the rate, or does not return a new task yet. It does not read earlier than the gateway allows.
 *
 * @throws {TaskWaitError} after the timeout, or if the gateway no longer has the task
 * @throws {GatewayError} for a refusal, or as `cancelled` if the signal is aborted
 * @throws {RangeError} for an invalid interval or timeout
 */
export async function waitForTask(
  client: TaskReader,
  taskId: string,
  { intervalMs = 5_000, timeoutMs = hourMs, signal, onSnapshot }: WaitOptions = {},
): Promise<TaskSnapshot> {
  requirePositive('intervalMs', intervalMs);
  requirePositive('timeoutMs', timeoutMs);
  const wait = new Wait(taskId, intervalMs, timeoutMs, signal);
  for (;;) {
    const snapshot = await wait.read(client);
    if (snapshot) onSnapshot?.(snapshot);
    if (snapshot && wait.isOver(snapshot)) return snapshot;
    await wait.pause();
  }
}

function requirePositive(name: string, milliseconds: number): void {
  if (!Number.isFinite(milliseconds) || milliseconds <= 0) {
    throw new RangeError(`${name} must be a number of milliseconds above 0, but is ${milliseconds}`);
  }
}

/** One wait: its deadline, its last snapshot, and its next pause. */
class Wait {
  readonly #taskId: string;
  readonly #intervalMs: number;
  readonly #startedAt = performance.now();
  readonly #deadline: number;
  readonly #signal: AbortSignal | undefined;
  readonly #steadyRecord = new SteadyRecord();
  #latest: TaskSnapshot | undefined;
  #failure: GatewayError | undefined;
  #failureCount = 0;
  /** When the gateway first reported that the task is unknown. */
  #unknownSince: number | undefined;

  constructor(taskId: string, intervalMs: number, timeoutMs: number, signal: AbortSignal | undefined) {
    this.#taskId = taskId;
    this.#intervalMs = intervalMs;
    this.#deadline = this.#startedAt + timeoutMs;
    this.#signal = signal;
  }

  /** @returns undefined if this read failed but a later one may succeed */
  async read(client: TaskReader): Promise<TaskSnapshot | undefined> {
    const remaining = this.#deadline - performance.now();
    if (remaining <= 0) throw this.#waitError('timed-out');
    const options: CallOptions = {
      ...(this.#signal && { signal: this.#signal }),
      timeouts: { total: Math.max(1, Math.min(maxReadMs, remaining)) },
    };
    try {
      const snapshot = await client.readTask(this.#taskId, options);
      this.#latest = this.#steadyRecord.update(snapshot, performance.now());
      this.#failure = undefined;
      this.#failureCount = 0;
      return this.#latest;
    } catch (error) {
      this.#recordFailure(error);
      return undefined;
    }
  }

  isOver(snapshot: TaskSnapshot): boolean {
    if (isMissingRecord(snapshot) || isUnknownRecord(snapshot)) {
      this.#recordUnknown();
      return false;
    }
    this.#unknownSince = undefined;
    return snapshot.status !== 'running';
  }

  async pause(): Promise<void> {
    const longerInterval = Math.min(
      this.#intervalMs * 2 ** this.#failureCount,
      Math.max(this.#intervalMs, maxIntervalMs),
    );
    const pauseMs = Math.max(
      this.#failureCount > 0 ? longerInterval : this.#intervalMs,
      this.#failure?.retryAfterMs ?? 0,
    );
    const remaining = this.#deadline - performance.now();
    await this.#sleep(Math.min(pauseMs, remaining));
    if (pauseMs >= remaining) throw this.#waitError('timed-out');
  }

  #recordFailure(error: unknown): void {
    if (!GatewayError.is(error)) throw error;
    if (isMissingTaskError(error)) this.#recordUnknown(error);
    else if (!isTemporary(error)) throw error;
    this.#failure = error;
    this.#failureCount += 1;
  }

  /** A task that is unknown for a short time may be new. After a longer time it is missing. */
  #recordUnknown(cause?: unknown): void {
    const now = performance.now();
    this.#unknownSince ??= now;
    const isNew = now - this.#startedAt < unknownGraceMs;
    if (!isNew && now - this.#unknownSince >= unknownGraceMs) throw this.#waitError('unknown', cause);
  }

  #waitError(reason: TaskWaitError['reason'], cause: unknown = this.#failure): TaskWaitError {
    return new TaskWaitError(reason, this.#taskId, this.#latest, cause);
  }

  async #sleep(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    for (let remaining = milliseconds; remaining > 0; remaining = until - performance.now()) {
      try {
        await sleep(Math.min(remaining, maxTimerMs), undefined, this.#signal && { signal: this.#signal });
      } catch {
        throw createCancelledError();
      }
    }
  }
}

/** The reasons that a retry does not change, such as a wrong address, certificate or name. */
const permanentReasons =
  /^(unusable-address|redirect|not-a-gateway|no-such-route|region|challenge|blocked|tls-.*)$/;

function isTemporary({ kind, reason, status }: GatewayError): boolean {
  if (kind === 'rate-limited' || kind === 'server') return true;
  if (status !== undefined && (status >= 500 || status === 429)) return true;
  if (kind === 'malformed-reply') return true;
  return kind === 'unreachable' && !permanentReasons.test(reason ?? '');
}

function createCancelledError(): GatewayError {
  return new GatewayError({
    kind: 'cancelled',
    explanation: explain('wait-cancelled'),
    requestedAt: new Date(),
    requestId: '',
    wasSent: false,
  });
}
