import type { Turn } from '../../protocol/chatPage.ts';
import { exactSeconds } from '../words/times.ts';

interface Progress {
  readonly state: Turn['state'];
  readonly hasText: boolean;
  readonly hasReasoning: boolean;
}

/**
 * Whether the reasoning of a turn is open: while it is all that arrives, unless the reader decides
 * otherwise. Also measures how long it took, when its beginning was seen.
 */
export class ReasoningFold {
  #open = false;
  #thinking = false;
  #decided = false;
  #seenBefore = false;
  #beganAt: number | undefined;
  #took: number | undefined;

  get open(): boolean {
    return this.#open;
  }

  /** What stands on the fold. */
  get label(): string {
    if (this.#thinking) return 'Thinking…';
    return this.#took === undefined ? 'Reasoning' : `Reasoning (${exactSeconds(this.#took)})`;
  }

  /** @param mayFold false while the reader is reading elsewhere, where folding would move the text */
  update({ state, hasText, hasReasoning }: Progress, mayFold: boolean): void {
    if (state !== 'done' && !hasReasoning) this.#seenBefore = true;
    const thinking = state !== 'done' && hasReasoning && !hasText;
    if (thinking === this.#thinking) return;
    this.#thinking = thinking;
    if (thinking) this.#begin();
    else this.#end(mayFold);
  }

  /** The reader opened or folded it. */
  decide(open: boolean): void {
    if (open === this.#open) return;
    this.#open = open;
    this.#decided = true;
  }

  #begin(): void {
    if (this.#seenBefore) this.#beganAt = performance.now();
    if (!this.#decided) this.#open = true;
  }

  #end(mayFold: boolean): void {
    if (this.#beganAt !== undefined) this.#took = performance.now() - this.#beganAt;
    if (!this.#decided && mayFold) this.#open = false;
  }
}
