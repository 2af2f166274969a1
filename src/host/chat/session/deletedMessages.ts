import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { StoredConversation } from './storedConversation.ts';

/** A deletion that can be undone. */
export interface DeletionSummary {
  /** The id of the deleted message. Everything below it was deleted too. */
  readonly id: string;
  /** The number of deleted questions and replies. */
  readonly messages: number;
  /** The number of branches that contained them. */
  readonly branches: number;
}

interface Deletion extends DeletionSummary {
  /** The ids that restore the messages, from `ConversationSaver.delete`. */
  readonly roots: readonly string[];
}

/** Deletes messages of a chat. Stores the last deletion while the page offers to undo it. */
export class DeletedMessages {
  readonly #chat: StoredConversation;
  #last: Deletion | undefined;

  constructor(chat: StoredConversation) {
    this.#chat = chat;
  }

  /** The last deletion; undefined after it was undone or dismissed. */
  get last(): DeletionSummary | undefined {
    return this.#last;
  }

  /**
   * Deletes a question or reply and everything below it.
   *
   * @returns false if one of the replies is still arriving, in this window or another window
   */
  delete(messageId: string): boolean {
    const { conversation, saver } = this.#chat;
    const below = conversation.tree.subtree(messageId);
    if (below.length === 0 || below.some((id) => isArriving(conversation, id))) return false;
    const summary = {
      id: messageId,
      messages: below.filter((id) => countsAsMessage(conversation, id)).length,
      branches: countBranches(conversation, below),
    };
    this.#last = { ...summary, roots: saver.delete(messageId) };
    return true;
  }

  /** Discards the last deletion. `undo` can still restore its messages from the store. */
  forget(): void {
    this.#last = undefined;
  }

  /**
   * Restores the last deleted messages, also from an earlier session.
   *
   * @returns the id of a restored message; undefined if no deletion was found
   * @throws {StorageError}
   */
  async undo(): Promise<string | undefined> {
    const [restoredId] = await this.#chat.undelete(this.#last?.roots);
    this.#last = undefined;
    return restoredId;
  }
}

function isArriving(conversation: Conversation, id: string): boolean {
  const reply = conversation.reply(id);
  return reply !== undefined && (reply.result === undefined || reply.unfinished === 'elsewhere');
}

/** Whether a message is counted. The placeholder of a missing reply is not counted. */
function countsAsMessage(conversation: Conversation, id: string): boolean {
  return conversation.reply(id)?.unfinished !== 'missing';
}

function countBranches(conversation: Conversation, ids: readonly string[]): number {
  return ids.filter((id) => conversation.tree.children(id).length === 0).length;
}
