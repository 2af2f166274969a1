import * as vscode from 'vscode';
import type { KeptDraft, Prompt } from '../../../conversations/turn.ts';
import { ChatContext } from '../../context/chatContext.ts';
import {
  type ContextReference,
  goneReference,
  readContextReference,
} from '../../context/contextReference.ts';
import { Attachments } from './attachments.ts';
import { type Draft, joined, QuestionQueue } from './questionQueue.ts';

/** What the user wrote for a chat and has not asked yet: the message box, and the question that waits. */
export class Unsent {
  readonly attachments = new Attachments();
  readonly context = new ChatContext();
  readonly queue = new QuestionQueue();
  /** The text in the message box. */
  text = '';
  readonly #onDidGiveBack = new vscode.EventEmitter<string>();
  /** A question was not sent. Its text, which may be empty, goes back into the message box. */
  readonly onDidGiveBack = this.#onDidGiveBack.event;

  /** The message box and the question that waits, as they come back in a later session. */
  get all(): Draft {
    const written = { text: this.text, images: this.attachments.images, context: this.context.references };
    const { waiting } = this.queue;
    return waiting ? joined(waiting, written) : written;
  }

  get isEmpty(): boolean {
    const { text, images, context = [] } = this.all;
    return text.trim() === '' && images.length === 0 && context.length === 0;
  }

  /** Brings back what an earlier session left. */
  restore({ text, images, context = [], gone = [] }: KeptDraft): void {
    this.text = text;
    this.attachments.putBack(images);
    const pictures = gone.map((hash): ContextReference => ({ kind: 'gone', type: 'image', hash }));
    this.context.putBack([...pictures, ...context.flatMap((kept) => readContextReference(kept) ?? [])]);
  }

  /** Takes what goes along out of the message box, for a question; undefined for an empty one. */
  take(text: string): Draft | undefined {
    const { attachments, context } = this;
    if (text.trim() === '' && attachments.images.length === 0 && context.entries.length === 0)
      return undefined;
    return { text, images: attachments.take(), context: context.take() };
  }

  /**
   * Puts a question into the message box, before what is written there. What went along with it stays as it was, and
   * what of it is gone is named.
   */
  giveBack({ text, images, context = [], files = [], missing = [] }: Draft & Prompt): void {
    this.attachments.putBack(images);
    this.context.putBack([
      ...context,
      ...files.map((file) => ({ kind: 'text', ...file }) as const),
      ...missing.map(goneReference),
    ]);
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
    this.context.dispose();
    this.queue.dispose();
    this.#onDidGiveBack.dispose();
  }
}
