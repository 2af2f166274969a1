import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { SaverCallbacks } from '../../../conversations/conversationService.ts';
import type { ConversationSaver } from '../../../conversations/saving/conversationSaver.ts';
import type { ChatFacts } from '../../../conversations/saving/saverOptions.ts';

/** The chat session that shows a conversation and sends its questions. */
export interface ChatOwner {
  /** Returns the properties of the chat to store with it. */
  readonly readFacts: () => ChatFacts;
  /** Whether a reply is arriving. Changes of other windows are then not applied. */
  readonly isStreaming: boolean;
  /** Called when the conversation cannot be stored, or can be stored again. */
  readonly onStorageChange: () => void;
  /** Called when the path has changed after the first `unchangedTurns` turns. */
  readonly onPathChange: (unchangedTurns: number) => void;
}

interface StorableConversation {
  /** Absent for a chat that is not stored yet. */
  readonly record?: { readonly title: string };
  readonly conversation: Conversation;
  readonly createSaver: (callbacks: SaverCallbacks) => ConversationSaver;
}

/** A conversation that is stored on disk and follows changes of other windows. */
export class StoredConversation {
  readonly conversation: Conversation;
  readonly saver: ConversationSaver;
  /** The title that the user set; empty if the title comes from the first question. */
  ownTitle: string;
  readonly #owner: ChatOwner;
  #isBehind = false;
  #reading: Promise<void> | undefined;

  constructor({ record, conversation, createSaver }: StorableConversation, owner: ChatOwner) {
    this.conversation = conversation;
    this.ownTitle = record?.title ?? '';
    this.#owner = owner;
    this.saver = createSaver({
      readFacts: () => this.#owner.readFacts(),
      onProblem: () => this.#owner.onStorageChange(),
      onExternalChange: () => this.#handleExternalChange(),
    });
  }

  /** Applies changes of other windows, unless a reply is arriving. Call it again when the reply has ended. */
  catchUp(): Promise<void> {
    if (this.#reading) return this.#reading;
    if (!this.#isBehind || this.#owner.isStreaming) return Promise.resolve();
    this.#reading = this.#applyAllChanges();
    return this.#reading;
  }

  /** Calls `change`, which may change the shown path, and reports the change. @returns the result of `change` */
  changePath(change: () => boolean): boolean {
    const before = createPathSnapshot(this.conversation);
    if (!change()) return false;
    this.#reportPath(before);
    return true;
  }

  /**
   * Restores deleted messages and shows them.
   *
   * @param roots the result of `saver.delete`; by default the last deletion
   * @returns the ids of the topmost restored messages
   * @throws {StorageError}
   */
  async undelete(roots?: readonly string[]): Promise<readonly string[]> {
    const restoredIds = await this.saver.undelete(roots);
    this.#isBehind = true;
    await this.catchUp();
    return restoredIds;
  }

  async #applyAllChanges(): Promise<void> {
    try {
      while (this.#isBehind && !this.#owner.isStreaming) {
        this.#isBehind = false;
        await this.#applyExternalChanges();
      }
    } finally {
      this.#reading = undefined;
    }
  }

  #handleExternalChange(): void {
    this.#isBehind = true;
    void this.catchUp();
  }

  async #applyExternalChanges(): Promise<void> {
    const changes = await this.saver.readExternalChanges();
    if (!changes) return;
    if (this.#owner.isStreaming) {
      this.#isBehind = true;
      return;
    }
    const before = createPathSnapshot(this.conversation);
    this.saver.applyExternalChanges(changes);
    this.#reportPath(before, new Set(changes.messages.map(({ id }) => id)));
  }

  /** @param changed the ids of messages with new content */
  #reportPath(before: readonly string[], changed?: ReadonlySet<string>): void {
    const after = createPathSnapshot(this.conversation, changed);
    const unchangedTurns = after.findIndex((turn, index) => turn !== before[index]);
    if (unchangedTurns !== -1 || after.length < before.length) {
      this.#owner.onPathChange(unchangedTurns === -1 ? after.length : unchangedTurns);
    }
  }
}

/** Returns a string for each shown turn. The string changes when the page must show the turn differently. */
function createPathSnapshot(
  conversation: Conversation,
  changed: ReadonlySet<string> = new Set(),
): readonly string[] {
  const turns = [...conversation.turns, ...conversation.comparison.columns.flat()];
  return turns.map(({ id, firstReplyId, questionId }) => {
    const ids = [id];
    while (ids.at(-1) !== firstReplyId) ids.push(conversation.tree.parent(ids.at(-1) ?? '') ?? firstReplyId);
    const isChanged = [...ids, questionId].some((each) => changed.has(each));
    return JSON.stringify([
      id,
      conversation.tree.siblings(questionId),
      conversation.tree.siblings(firstReplyId),
      isChanged,
    ]);
  });
}
