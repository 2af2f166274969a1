import type { Cancellation } from './cancellation.ts';

/**
 * Waits for a promise until the signal is aborted. The promise's operation continues.
 *
 * @throws the reason of the signal, at once, when it is aborted
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
