import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { Turn } from '../../../protocol/chatTurn.ts';
import { pathTurns, turnViews } from '../view/chatView.ts';

/** How many turns a page gets with its state: more than a screen of them. */
const lastTurns = 30;

/** How many go along in one message after that. */
const turnsAtOnce = 100;

interface EarlierOptions {
  readonly conversation: () => Conversation;
  readonly post: (turns: readonly Turn[]) => void;
}

/**
 * Sends a page the turns of a long chat: the last ones with its state, and then those before them, newest first, with
 * pauses for other work.
 */
export class EarlierTurns {
  readonly #options: EarlierOptions;
  /** How many turns, from the first one on, the page does not have yet. */
  #left = 0;
  #next: NodeJS.Immediate | undefined;

  constructor(options: EarlierOptions) {
    this.#options = options;
  }

  /** Begins anew with the last turns, for the state. The others follow, `earlier` in number. */
  begin(): { readonly turns: readonly Turn[]; readonly earlier: number } {
    const conversation = this.#options.conversation();
    const count = pathTurns(conversation).length;
    this.#left = Math.max(0, count - lastTurns);
    this.#sendSoon();
    return { turns: turnViews(conversation, this.#left), earlier: this.#left };
  }

  /** Whether the page has turns up to this one, by its index, or the path may end there. */
  has(kept: number): boolean {
    return kept >= this.#left;
  }

  dispose(): void {
    clearImmediate(this.#next);
  }

  #sendSoon(): void {
    clearImmediate(this.#next);
    if (this.#left > 0) this.#next = setImmediate(() => this.#send());
  }

  #send(): void {
    const end = this.#left;
    this.#left = Math.max(0, end - turnsAtOnce);
    this.#options.post(turnViews(this.#options.conversation(), this.#left, end));
    this.#sendSoon();
  }
}
