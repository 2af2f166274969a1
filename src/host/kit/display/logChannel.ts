import * as vscode from 'vscode';
import { logText } from './logText.ts';
import { isInputOpen } from './prompts.ts';

/** A channel of the Output view. The user sets its level. */
export class LogChannel {
  readonly #channel: vscode.LogOutputChannel;

  constructor(name: string) {
    this.#channel = vscode.window.createOutputChannel(name, { log: true });
  }

  info(text: string): void {
    this.#channel.info(logText(text));
  }

  warn(text: string): void {
    this.#channel.warn(logText(text));
  }

  error(text: string): void {
    this.#channel.error(logText(text));
  }

  show(): void {
    this.#channel.show(isInputOpen());
  }

  dispose(): void {
    this.#channel.dispose();
  }
}
