import { redact } from '../wire/secrets/redact.ts';
import { extensionName } from './contributions.ts';
import { LogChannel } from './display/logChannel.ts';

/** Where a line comes from, so that filtering the log by one word gives one thread of events. */
export type LogTag = 'connection' | 'http' | 'chat' | 'task' | 'gateway' | 'command' | 'page';

/**
 * The only logger. Every entry is redacted, so a credential cannot reach the channel or its file, and stays one
 * entry whatever words from outside are in it.
 */
export class Log {
  readonly #channel = new LogChannel(extensionName);
  readonly #secrets = new Set<string>();

  /** From now on this value is blotted out wherever it turns up. */
  keepSecret(secret: string): void {
    this.#secrets.add(secret);
  }

  info(tag: LogTag, message: string): void {
    this.#channel.info(this.#line(tag, message));
  }

  warn(tag: LogTag, message: string): void {
    this.#channel.warn(this.#line(tag, message));
  }

  error(tag: LogTag, message: string): void {
    this.#channel.error(this.#line(tag, message));
  }

  show(): void {
    this.#channel.show();
  }

  dispose(): void {
    this.#channel.dispose();
  }

  #line(tag: LogTag, message: string): string {
    return redact(`${tag}: ${message}`, [...this.#secrets]);
  }
}
