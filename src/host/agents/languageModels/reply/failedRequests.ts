import { createHash } from 'node:crypto';
import { isObject } from '../../../../base/json.ts';
import type { VsCodeMessage } from './vsCodeMessages.ts';

/** The agent host (1.139) repeats a failed request five times, after waits of at most 10 seconds. */
const maxRepeats = 5;
/** A request that follows later is from the user, who stopped the repeats. A busy machine delays repeats. */
const maxGapMs = 45_000;

interface Failure {
  readonly error: unknown;
  /** When the request was last made. */
  lastAt: number;
  repeats: number;
}

/**
 * The last failed requests of agents in VS Code's agent host. The agent host repeats failed requests by itself, but a
 * paid request must not be sent again without the user. Repeats therefore fail at once with the same error.
 */
export class FailedRequests {
  readonly #failures = new Map<string, Failure>();
  readonly #now: () => number;

  /** @param now wall clock, in milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Lets all requests be sent again, because the user may have corrected the cause of the failures. */
  forget(): void {
    this.#failures.clear();
  }

  /**
   * Sends a request, unless it is an automatic repeat of a failed request.
   *
   * @param model the model with the options that the user chose for it
   * @param isUnsent whether an error proves that nothing was sent, so that a repeat is harmless
   * @throws the error of `send`, or of the earlier request
   */
  async send<Reply>(
    model: object,
    messages: readonly VsCodeMessage[],
    send: () => Promise<Reply>,
    isUnsent: (error: unknown) => boolean,
  ): Promise<Reply> {
    const request = createRequestKey(model, messages);
    this.#rejectRepeat(request);
    try {
      return await send();
    } catch (error) {
      if (!isUnsent(error)) this.#failures.set(request, { error, lastAt: this.#now(), repeats: 0 });
      throw error;
    }
  }

  #rejectRepeat(request: string): void {
    this.#forgetOld();
    const failure = this.#failures.get(request);
    if (!failure) return;
    failure.repeats += 1;
    failure.lastAt = this.#now();
    // The next request is from the user.
    if (failure.repeats === maxRepeats) this.#failures.delete(request);
    throw failure.error;
  }

  #forgetOld(): void {
    for (const [request, { lastAt }] of this.#failures)
      if (this.#now() - lastAt > maxGapMs) this.#failures.delete(request);
  }
}

/** A key that is the same for requests with the same model and messages. */
function createRequestKey(model: object, messages: readonly VsCodeMessage[]): string {
  const hash = createHash('sha256').update(JSON.stringify(model));
  for (const { role, content } of messages) {
    hash.update(`\n${role}`);
    for (const part of content) {
      const { data, ...rest }: { readonly data?: unknown } = isObject(part) ? part : {};
      hash.update(JSON.stringify(rest));
      if (data instanceof Uint8Array) hash.update(data);
    }
  }
  return hash.digest('base64url');
}
