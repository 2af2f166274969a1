import type { Cancellation } from '../cancellation.ts';

/** The source of a key that may change, such as a command that prints it. */
export interface KeySource {
  /** Where the user finds the key if it is refused, such as "in the environment variable X". */
  readonly location?: string;
  /**
   * The key for the next request, synchronously if it is available; undefined if no key is sent.
   *
   * @throws {KeyError}
   */
  read(signal: Cancellation | undefined): string | undefined | Promise<string | undefined>;
  /** Called when the receiver refused the key, so that a cache does not return the key again. */
  reportRefused(key: string): void;
  close(): void;
}

/** How long a command that prints a key may run, in milliseconds. */
export const commandTimeoutMs = 30_000;

type KeyFailure =
  /** The source cannot be used as configured. */
  | 'unusable'
  /** A command could not be run or ended with a failure. */
  | 'failed'
  /** A command did not end in time. */
  | 'timeout'
  /** The text is not a key. */
  | 'unreadable'
  | 'expired';

/** Thrown if there is no key to send. The message contains the reason and the remedy, but no part of a key. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
  readonly kind: KeyFailure;
  /** How a command failed: its exit code, its signal, or the system's code. */
  readonly code: string | undefined;

  constructor(message: string, kind: KeyFailure = 'unusable', code?: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}
