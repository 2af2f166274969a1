/** Signals that a result is not needed any more. Every AbortSignal is one. */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Calls a listener once it is aborted, if it is not yet. */
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A cancellation that is created for every request. An AbortController costs more, mainly because its listeners
 * stay in memory until the old generation is collected.
 */
export class CancellationSource implements Cancellation {
  readonly #listeners: (() => void)[] = [];
  #aborted: { readonly reason: unknown } | undefined;

  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  get reason(): unknown {
    return this.#aborted?.reason;
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
    if (this.#aborted) return;
    this.#aborted = { reason };
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

/** Converts to an AbortSignal, for APIs that accept nothing else. */
export function abortSignalOf(cancellation: Cancellation): AbortSignal {
  if (cancellation instanceof AbortSignal) return cancellation;
  const controller = new AbortController();
  const abort = () => controller.abort(cancellation.reason);
  if (cancellation.aborted) abort();
  else cancellation.addEventListener('abort', abort);
  return controller.signal;
}
