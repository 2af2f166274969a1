import * as vscode from 'vscode';
import type { KeptDraft, Prompt } from '../../../conversations/conversation/turn.ts';
import { ChatContext } from '../context/chatContext.ts';
import { type ContextReference, goneReference, readContextReference } from '../context/contextReference.ts';
import { Attachments } from './attachments.ts';
import { type Draft, joined, QuestionQueue } from './questionQueue.ts';
import { ToldText } from './toldText.ts';

/** What the user wrote for a chat and has not asked yet: the message box, and the questions that leave it and wait. */
export class Unsent {
  readonly attachments = new Attachments();
  readonly context = new ChatContext();
  readonly queue = new QuestionQueue();
  /** The text in the message box. */
  text = '';
  /** What the page told of it. */
  readonly told = new ToldText();
  /** The questions that are made ready to be sent. */
  #leaving: readonly Draft[] = [];
  readonly #onDidLeave = new vscode.EventEmitter<void>();
  /** A question began or ceased to be made ready. */
  readonly onDidLeave = this.#onDidLeave.event;
  readonly #onDidGiveBack = new vscode.EventEmitter<string>();
  /** A question was not sent. Its text, which may be empty, goes back into the message box. */
  readonly onDidGiveBack = this.#onDidGiveBack.event;

  /** The questions that leave and wait, and the message box, as they come back in a later session. */
  get all(): Draft {
    const written: Draft = {
      text: this.text,
      images: this.attachments.images,
      context: this.context.references,
    };
    const before = [...this.#leaving, this.queue.waiting ?? []].flat();
    return before.reduceRight((later, draft) => joined(draft, later), written);
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

  /** A question that is made ready to be sent counts among what is not asked until it `left`. */
  leave(draft: Draft): void {
    this.#leaving = [...this.#leaving, draft];
    this.#onDidLeave.fire();
  }

  /** A question is asked or given back from now on. */
  left(draft: Draft): void {
    this.#leaving = this.#leaving.filter((each) => each !== draft);
    this.#onDidLeave.fire();
  }

  /** Puts a question into the message box, before what is written there. What went along with it stays as it was. */
  giveBack({ text, images, context = [] }: Draft): void {
    this.attachments.putBack(images);
    this.context.putBack(context);
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
    this.#onDidLeave.dispose();
    this.#onDidGiveBack.dispose();
  }
}

/** A question of the conversation as a draft: what went along with it stays as it was, and what of it is gone is named. */
export function draftOf({ text, images, files = [], missing = [] }: Prompt): Draft {
  const texts = files.map((file) => ({ kind: 'text', ...file }) as const);
  return { text, images, context: [...texts, ...missing.map(goneReference)] };
}
