import type { Turn } from '../../protocol/chatTurn.ts';
import { t } from '../words/l10n.ts';
import { exactSeconds } from '../words/times.ts';

interface Progress {
  readonly state: Turn['state'];
  readonly hasText: boolean;
  readonly hasReasoning: boolean;
  /** How long the reasoning took, once it is told. */
  readonly tookMs: number | undefined;
}

/**
 * Whether the reasoning of a turn is open: while nothing else arrives, unless the reader decides. Also
 * measures how long the reasoning took, until that is told.
 */
export class ReasoningFold {
  #open = false;
  #thinking = false;
  #decided = false;
  #seenBefore = false;
  #beganAt: number | undefined;
  #took: number | undefined;
  #told: number | undefined;

  get open(): boolean {
    return this.#open;
  }

  /** The label of the fold. */
  get label(): string {
    if (this.#thinking) return t('Thinking…');
    const took = this.#told ?? this.#took;
    return took === undefined ? t('Reasoning') : t('Reasoning ({0})', exactSeconds(took));
  }

  /** @param mayFold false while the reader has scrolled away, because folding would move the text */
  update({ state, hasText, hasReasoning, tookMs }: Progress, mayFold: boolean): void {
    if (state !== 'done' && !hasReasoning) this.#seenBefore = true;
    this.#told = tookMs;
    const thinking = state !== 'done' && hasReasoning && !hasText;
    if (thinking === this.#thinking) return;
    this.#thinking = thinking;
    if (thinking) this.#begin();
    else this.#end(mayFold);
  }

  /** Keeps the reader's own choice. */
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
