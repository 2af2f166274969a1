import type { Cancellation } from '../../../base/cancellation.ts';

/** The source of the key that this gateway sends to an upstream. */
export interface KeySource {
  /** Where the user finds the key if the upstream refuses it, such as "in the environment variable X". */
  readonly location?: string;
  /**
   * The key for the next request, synchronously if it is available; undefined if none is sent.
   *
   * @throws {KeyError}
   */
  read(signal: Cancellation): string | undefined | Promise<string | undefined>;
  /** Called when the upstream did not accept this key. */
  refused(key: string): void;
  close(): void;
}

/** There is no key to send. The message has the reason and the remedy, without any part of a key. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
}

/**
 * A key that is updated elsewhere: an environment variable, or a value from the process that started the gateway.
 */
export function externalKey(read: () => string | undefined, keyEnv?: string): KeySource {
  return {
    ...(keyEnv !== undefined && { location: `in the environment variable ${keyEnv}` }),
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
