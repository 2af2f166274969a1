/** Signals that a result is no longer needed. An AbortSignal is a `Cancellation`. */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Calls the listener at the abort. Does not call it if the abort has already happened. */
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A cancellation for each request. It costs less than an AbortController, whose listeners stay in memory until the
 * garbage collector collects its old generation.
 */
export class CancellationSource implements Cancellation {
  readonly #listeners: (() => void)[] = [];
  #isAborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.#listeners.indexOf(listener);
    if (index >= 0) this.#listeners.splice(index, 1);
  }

  /** Only the first call has an effect. */
  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

/** Converts to an AbortSignal, for APIs that accept nothing else. */
export function toAbortSignal(cancellation: Cancellation): AbortSignal {
  if (cancellation instanceof AbortSignal) return cancellation;
  const controller = new AbortController();
  const abort = () => controller.abort(cancellation.reason);
  if (cancellation.aborted) abort();
  else cancellation.addEventListener('abort', abort);
  return controller.signal;
}

/**
 * Waits for a promise until the signal is aborted. The promise's operation continues.
 *
 * @throws the reason of the signal as soon as the signal is aborted
 */
export async function untilAborted<T>(promise: Promise<T>, signal: Cancellation | undefined): Promise<T> {
  if (!signal) return promise;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
