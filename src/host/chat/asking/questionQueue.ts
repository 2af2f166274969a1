import * as vscode from 'vscode';
import type { UnsentPrompt } from '../../../conversations/conversation/turn.ts';
import type { ContextReference } from '../context/contextReference.ts';

/** A question that was not sent yet. */
export interface Draft extends UnsentPrompt {
  readonly context?: readonly ContextReference[];
}

/** The question that is sent once the reply before it is complete. More of them become one. */
export class QuestionQueue {
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;
  #waiting: Draft | undefined;

  get waiting(): Draft | undefined {
    return this.#waiting;
  }

  add(draft: Draft): void {
    this.#become(this.#waiting ? joined(this.#waiting, draft) : draft);
  }

  /** Returns what waits and removes it. */
  take(): Draft | undefined {
    const waiting = this.#waiting;
    if (waiting) this.#become(undefined);
    return waiting;
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #become(waiting: Draft | undefined): void {
    this.#waiting = waiting;
    this.#onDidChange.fire();
  }
}

/** Two drafts as one, the earlier first. */
export function joined(earlier: Draft, later: Draft): Draft {
  return {
    text: [earlier.text, later.text].filter((text) => text !== '').join('\n\n'),
    images: [...earlier.images, ...later.images],
    context: [...(earlier.context ?? []), ...(later.context ?? [])],
  };
}
