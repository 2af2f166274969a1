import type { Cancellation } from '../../../base/cancellation.ts';

/** Where the key comes from that an upstream knows this gateway by. */
export interface KeySource {
  /** Where to look when the upstream refuses it, such as "in the environment variable X". */
  readonly place?: string;
  /**
   * The key for the next request, at once where it is at hand; undefined where none is sent.
   *
   * @throws {KeyError}
   */
  read(signal: Cancellation): string | undefined | Promise<string | undefined>;
  /** Is told that the upstream did not know this key. */
  refused(key: string): void;
  close(): void;
}

/** There is no key to send. The message says why and what to do, without any part of a key. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
}

/** A key that someone else keeps up to date: an environment variable, or who started the gateway. */
export function givenKey(read: () => string | undefined, keyEnv?: string): KeySource {
  return {
    ...(keyEnv !== undefined && { place: `in the environment variable ${keyEnv}` }),
    read() {
      const key = read();
      if (key === undefined && keyEnv !== undefined)
        throw new KeyError(`the environment variable ${keyEnv} is not set`);
      return key;
    },
    refused() {},
    close() {},
  };
}
