import * as vscode from 'vscode';
import { Attachments } from './attachments.ts';
import { type Draft, joined, QuestionQueue } from './questionQueue.ts';

/** What the user wrote for a chat and has not asked yet: the message box, and the question that waits. */
export class Unsent {
  readonly attachments = new Attachments();
  readonly queue = new QuestionQueue();
  /** The text in the message box. */
  text = '';
  readonly #onDidGiveBack = new vscode.EventEmitter<string>();
  /** A question was not sent. Its text, which may be empty, goes back into the message box. */
  readonly onDidGiveBack = this.#onDidGiveBack.event;

  /** The message box and the question that waits, as they come back in a later session. */
  get all(): Draft {
    const written = { text: this.text, images: this.attachments.images };
    const { waiting } = this.queue;
    return waiting ? joined(waiting, written) : written;
  }

  get isEmpty(): boolean {
    const { text, images } = this.all;
    return text.trim() === '' && images.length === 0;
  }

  /** Brings back what an earlier session left. */
  restore({ text, images }: Draft): void {
    this.text = text;
    this.attachments.putBack(images);
  }

  /** Takes the pictures out of the message box, for a question; undefined for an empty one. */
  take(text: string): Draft | undefined {
    if (text.trim() === '' && this.attachments.images.length === 0) return undefined;
    return { text, images: this.attachments.take() };
  }

  /** Puts a question into the message box, before what is written there. */
  giveBack({ text, images }: Draft): void {
    this.attachments.putBack(images);
    if (text !== '') this.text = this.text === '' ? text : `${text}\n${this.text}`;
    this.#onDidGiveBack.fire(text);
  }

  /** Puts the queued question back into the message box. */
  giveBackQueued(): void {
    const queued = this.queue.take();
    if (queued) this.giveBack(queued);
  }

  dispose(): void {
    this.attachments.dispose();
    this.queue.dispose();
    this.#onDidGiveBack.dispose();
  }
}
