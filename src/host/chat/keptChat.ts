import type { Conversation } from '../../conversations/conversation/conversation.ts';
import type { KeepingLinks } from '../../conversations/conversationService.ts';
import type { ConversationKeeper } from '../../conversations/kept/conversationKeeper.ts';
import type { ChatFacts } from '../../conversations/kept/keeperOptions.ts';

/** Who shows a conversation and asks in it. */
export interface ChatOwner {
  /** What is asked with now. */
  readonly facts: () => ChatFacts;
  /** Whether a reply arrives, in which case nothing else may change. */
  readonly isStreaming: boolean;
  /** The conversation cannot be kept for now, or is kept again. */
  readonly keepingChanged: () => void;
  /** Other turns follow the first ones, whose number is `kept`. */
  readonly pathChanged: (kept: number) => void;
}

interface Keepable {
  /** Of a chat of an earlier session. */
  readonly record?: { readonly title: string };
  readonly conversation: Conversation;
  readonly keep: (links: KeepingLinks) => ConversationKeeper;
}

/** A conversation that is kept on disk, and follows what other windows do to it. */
export class KeptChat {
  readonly conversation: Conversation;
  readonly keeper: ConversationKeeper;
  /** The title that the user gave it; empty for one that is called after its first question. */
  ownTitle: string;
  readonly #owner: ChatOwner;
  #isBehind = false;
  #reading: Promise<void> | undefined;

  constructor({ record, conversation, keep }: Keepable, owner: ChatOwner) {
    this.conversation = conversation;
    this.ownTitle = record?.title ?? '';
    this.#owner = owner;
    this.keeper = keep({
      facts: () => this.#owner.facts(),
      onProblem: () => this.#owner.keepingChanged(),
      onStored: () => this.#stored(),
    });
  }

  /** Whether the store may have more than this window shows. */
  get isBehind(): boolean {
    return this.#isBehind || this.#reading !== undefined;
  }

  /** Takes over what other windows did, unless a reply arrives. To be called at its end. */
  catchUp(): Promise<void> {
    if (this.#reading) return this.#reading;
    if (!this.#isBehind || this.#owner.isStreaming) return Promise.resolve();
    this.#reading = this.#readAll();
    return this.#reading;
  }

  /**
   * Brings back what was deleted, and shows it.
   *
   * @param roots what `keeper.delete` returned; without it what was deleted last
   * @returns the ids of the messages that are back, the outermost ones
   * @throws {StorageError}
   */
  async undelete(roots?: readonly string[]): Promise<readonly string[]> {
    const back = await this.keeper.undelete(roots);
    this.#isBehind = true;
    await this.catchUp();
    return back;
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#isBehind && !this.#owner.isStreaming) {
        this.#isBehind = false;
        await this.#takeOver();
      }
    } finally {
      this.#reading = undefined;
    }
  }

  #stored(): void {
    this.#isBehind = true;
    void this.catchUp();
  }

  async #takeOver(): Promise<void> {
    const found = await this.keeper.elsewhere();
    if (!found) return;
    if (this.#owner.isStreaming) {
      this.#isBehind = true;
      return;
    }
    const before = pathOf(this.conversation, new Set());
    this.keeper.takeOver(found);
    const after = pathOf(this.conversation, new Set(found.messages.map(({ id }) => id)));
    const kept = after.findIndex((turn, at) => turn !== before[at]);
    if (kept !== -1 || after.length < before.length) {
      this.#owner.pathChanged(kept === -1 ? after.length : kept);
    }
  }
}

/** A text for each turn that is shown, which differs where the page has to show something else. */
function pathOf(conversation: Conversation, changed: ReadonlySet<string>): readonly string[] {
  const turns = [...conversation.turns, ...conversation.comparison.columns.flat()];
  return turns.map(({ id, answerId, questionId }) => {
    const ids = [id];
    while (ids.at(-1) !== answerId) ids.push(conversation.above(ids.at(-1) ?? '') ?? answerId);
    const isChanged = [...ids, questionId].some((each) => changed.has(each));
    return JSON.stringify([
      id,
      conversation.siblings(questionId),
      conversation.siblings(answerId),
      isChanged,
    ]);
  });
}
