import * as vscode from 'vscode';
import { redact } from '../../../wire/secrets/redact.ts';
import { extensionName } from '../manifest/contributions.ts';
import { formatLogEntry } from './plainText.ts';
import { isInputOpen } from './quickInput.ts';

/** The source of an entry, for filtering the log. */
type LogTag = 'connection' | 'http' | 'chat' | 'task' | 'gateway' | 'command' | 'page' | 'tool';

/**
 * The only logger. It redacts every entry, so that credentials reach neither the channel nor its file. Foreign text
 * cannot imitate an entry.
 */
export class Log {
  /** The user chooses the log level of the channel. */
  readonly #channel: vscode.LogOutputChannel;
  readonly #secrets = new Set<string>();

  /** @param name the name of its channel in the Output view */
  constructor(name: string = extensionName) {
    this.#channel = vscode.window.createOutputChannel(name, { log: true });
  }

  /** Redacts a secret in all later entries. */
  hideSecret(secret: string): void {
    this.#secrets.add(secret);
  }

  info(tag: LogTag, message: string): void {
    this.#channel.info(this.#format(tag, message));
  }

  warn(tag: LogTag, message: string): void {
    this.#channel.warn(this.#format(tag, message));
  }

  error(tag: LogTag, message: string): void {
    this.#channel.error(this.#format(tag, message));
  }

  show(): void {
    this.#channel.show(isInputOpen());
  }

  dispose(): void {
    this.#channel.dispose();
  }

  #format(tag: LogTag, message: string): string {
    return formatLogEntry(redact(`${tag}: ${message}`, [...this.#secrets]));
  }
}
