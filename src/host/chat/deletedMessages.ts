import type { Conversation } from '../../conversations/conversation/conversation.ts';
import type { KeptChat } from './keptChat.ts';

/** What was deleted of a chat and can be brought back. */
export interface Deleted {
  /** The id of the message that was deleted with all that followed it. */
  readonly id: string;
  /** How many questions and answers. */
  readonly messages: number;
  /** On how many branches they were. */
  readonly branches: number;
}

interface Deletion extends Deleted {
  readonly chat: KeptChat;
  readonly roots: readonly string[];
}

/** Deletes messages of a chat, and remembers the last ones for as long as the page offers to bring them back. */
export class DeletedMessages {
  readonly #chat: () => KeptChat;
  #last: Deletion | undefined;

  /** @param chat the conversation that is shown now */
  constructor(chat: () => KeptChat) {
    this.#chat = chat;
  }

  /** What was deleted last of the conversation that is shown; undefined where it is back, or taken as it is. */
  get last(): Deleted | undefined {
    return this.#last?.chat === this.#chat() ? this.#last : undefined;
  }

  /**
   * Deletes a question or answer, and what follows it.
   *
   * @returns whether it is deleted: no reply is deleted while it arrives, in this window or another one
   */
  delete(messageId: string): boolean {
    const chat = this.#chat();
    const { conversation, keeper } = chat;
    const below = conversation.below(messageId);
    if (below.length === 0 || below.some((id) => isArriving(conversation, id))) return false;
    const counted = {
      id: messageId,
      messages: below.filter((id) => says(conversation, id)).length,
      branches: branches(conversation, below),
    };
    this.#last = { ...counted, chat, roots: keeper.delete(messageId) };
    return true;
  }

  /** Offers no more to bring back what was deleted. It can be brought back all the same. */
  forget(): void {
    this.#last = undefined;
  }

  /**
   * Brings back what was deleted last, also in an earlier session.
   *
   * @returns the id of a message that is back; undefined where there is nothing to bring back
   * @throws {StorageError}
   */
  async undo(): Promise<string | undefined> {
    const chat = this.#chat();
    const roots = this.#last?.chat === chat ? this.#last.roots : undefined;
    const [back] = await chat.undelete(roots);
    this.#last = undefined;
    return back;
  }
}

function isArriving(conversation: Conversation, id: string): boolean {
  const answer = conversation.answer(id);
  return answer !== undefined && (answer.result === undefined || answer.unfinished === 'elsewhere');
}

/** What stands for a missing answer is none. */
function says(conversation: Conversation, id: string): boolean {
  return conversation.answer(id)?.unfinished !== 'missing';
}

function branches(conversation: Conversation, ids: readonly string[]): number {
  return ids.filter((id) => conversation.following(id).length === 0).length;
}
