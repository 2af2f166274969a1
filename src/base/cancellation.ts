/** Tells when nobody wants a result any more. Every AbortSignal is one. */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Calls a listener once it is aborted, if it is not yet. */
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A cancellation that is made for every request. An AbortController costs more, above all because what listens
 * to it is kept until the old generation is collected.
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
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  /** Only the first call does anything. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = { reason };
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

/** The same as an AbortSignal, for what takes no other. */
export function abortSignalOf(cancellation: Cancellation): AbortSignal {
  if (cancellation instanceof AbortSignal) return cancellation;
  const controller = new AbortController();
  const abort = () => controller.abort(cancellation.reason);
  if (cancellation.aborted) abort();
  else cancellation.addEventListener('abort', abort);
  return controller.signal;
}
