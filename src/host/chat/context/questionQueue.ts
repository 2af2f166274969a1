import * as vscode from 'vscode';
import type { UnsentPrompt } from '../../../conversations/conversation/turn.ts';
import type { ContextReference } from './contextReference.ts';

/** A question that is not sent yet. */
export interface QuestionDraft extends UnsentPrompt {
  readonly context?: readonly ContextReference[];
}

/** The question that is sent after the current reply is complete. Further questions are joined to it. */
export class QuestionQueue {
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;
  #waiting: QuestionDraft | undefined;

  get waiting(): QuestionDraft | undefined {
    return this.#waiting;
  }

  add(draft: QuestionDraft): void {
    this.#setWaiting(this.#waiting ? joinDrafts(this.#waiting, draft) : draft);
  }

  /** Returns the waiting question and removes it. */
  take(): QuestionDraft | undefined {
    const waiting = this.#waiting;
    if (waiting) this.#setWaiting(undefined);
    return waiting;
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #setWaiting(waiting: QuestionDraft | undefined): void {
    this.#waiting = waiting;
    this.#onDidChange.fire();
  }
}

/** Joins two drafts, the earlier one first. */
export function joinDrafts(earlier: QuestionDraft, later: QuestionDraft): QuestionDraft {
  return {
    text: [earlier.text, later.text].filter((text) => text !== '').join('\n\n'),
    images: [...earlier.images, ...later.images],
    context: [...(earlier.context ?? []), ...(later.context ?? [])],
  };
}
