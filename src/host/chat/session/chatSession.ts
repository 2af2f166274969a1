import * as vscode from 'vscode';
import type { TextRequest } from '../../../client/textRequest.ts';
import { addPastedTexts, type PastedText } from '../../../conversations/conversation/attachedFile.ts';
import { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { ReopenedChat } from '../../../conversations/conversationService.ts';
import type { StorageError } from '../../../storage/sqlite/storageError.ts';
import { readAvailableTexts } from '../context/contextText.ts';
import { createDraft, UnsentInput } from '../context/unsentInput.ts';
import { ComparisonActions } from './comparisonActions.ts';
import { DeletedMessages } from './deletedMessages.ts';
import { forkChat } from './forkChat.ts';
import { QuestionSender, type SessionAccess, type SessionServices } from './questionSender.ts';
import { QuestionTarget, type TargetChoices } from './questionTarget.ts';
import { refuseEmpty, refuseTooLarge } from './refusedQuestion.ts';
import { buildChatRequest } from './runTurn.ts';
import type { SessionEvent } from './sessionEvent.ts';
import { type ChatOwner, StoredConversation } from './storedConversation.ts';

interface ChatStart extends TargetChoices {
  readonly conversation?: Conversation;
  /** A stored chat, instead of `conversation`. */
  readonly reopened?: ReopenedChat;
}

/** The reason why a chat cannot be stored now. */
export interface ChatStorageFailure {
  readonly problem: StorageError;
  /** The path of the chat file. */
  readonly file: string;
}

/** A chat: its conversation, its gateway and its arriving replies. It outlives its tab. */
export class ChatSession {
  readonly target: QuestionTarget;
  readonly unsent = new UnsentInput();
  readonly deletedMessages: DeletedMessages;
  readonly comparisonActions: ComparisonActions;
  readonly #services: SessionServices;
  readonly #onDidChange = new vscode.EventEmitter<SessionEvent>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #sender: QuestionSender;
  readonly #chat: StoredConversation;

  /** @param start the initial state of the chat; by default the chat is empty and uses the last used model */
  constructor(services: SessionServices, start: ChatStart = {}) {
    this.#services = services;
    this.target = new QuestionTarget(services, start);
    const { conversation = new Conversation(), reopened } = start;
    const { conversations } = services;
    this.#chat = new StoredConversation(
      reopened ?? {
        conversation,
        createSaver: (callbacks) => conversations.createSaver(conversation, callbacks),
      },
      this.#createOwner(),
    );
    this.deletedMessages = new DeletedMessages(this.#chat);
    const access: SessionAccess = {
      target: this.target,
      unsent: this.unsent,
      chat: this.#chat,
      fire: (event) => this.#fireFromSender(event),
    };
    this.#sender = new QuestionSender(services, access);
    this.comparisonActions = new ComparisonActions(this.#sender, access);
    if (reopened) this.unsent.restore(reopened.draft);
    this.target.onDidChange(() => this.#fire({ type: 'target' }));
    this.unsent.onDidPutBack((text) => this.#reportPutBack(text));
    this.unsent.attachments.onDidChange(() => this.#saveDraft());
    this.unsent.context.onDidChange(() => this.#saveDraft());
    this.unsent.queue.onDidChange(() => this.#saveDraft());
    this.unsent.onDidChangePreparing(() => this.#saveDraft());
    this.target.onDidCompare(() => this.#saveDraft());
  }

  /** The id of the chat, which is the same in other windows and later sessions. */
  get id(): string {
    return this.#chat.saver.id;
  }

  /** The title that the user set; empty if the title comes from the first question. */
  get title(): string {
    return this.#chat.ownTitle;
  }

  /** Applies a title from the store, which another window may have changed. */
  applyStoredTitle(title: string): void {
    if (title === this.#chat.ownTitle) return;
    this.#chat.ownTitle = title;
    this.#fire({ type: 'title' });
  }

  /** The reason why the chat cannot be stored on disk now; undefined if it can be stored. */
  get storageFailure(): ChatStorageFailure | undefined {
    const { problem } = this.#chat.saver;
    return problem && { problem, file: this.#services.conversations.file };
  }

  /** Stores the text of the message box as a draft. */
  setMessageText(text: string): void {
    this.unsent.text = text;
    this.#saveDraft();
  }

  get conversation(): Conversation {
    return this.#chat.conversation;
  }

  /** Whether no question was sent or is being sent. A draft is ignored. */
  get isUnused(): boolean {
    return this.conversation.isEmpty && !this.#sender.isChecking;
  }

  /** Whether the chat has content to store: messages, a draft or choices. */
  get isWorthStoring(): boolean {
    const { parameters, compared } = this.target;
    const hasChoices = parameters.own !== undefined || compared.length > 0;
    return !this.isUnused || !this.unsent.isEmpty || hasChoices;
  }

  /**
   * Builds the request that a question would send now, without the context that cannot be read.
   *
   * @param index the index of the model in `models`
   * @returns undefined if the index is invalid
   */
  async previewRequest(text: string, index = 0): Promise<TextRequest | undefined> {
    const { attachments, context } = this.unsent;
    const files = await readAvailableTexts(context.references);
    const model = this.models[index];
    if (model === undefined) return undefined;
    const question = { text, images: attachments.images, files, ...this.target.createSettings(model) };
    const after = this.conversation.comparison.ends[index];
    const history = this.conversation.buildHistoryForNext(question, after);
    return buildChatRequest(question, history, this.target.gateway, this.id);
  }

  /**
   * Reads a picture of this chat by the hash of its bytes, as base64; undefined if the chat does not contain the
   * picture, or if its file is missing.
   */
  async readPicture(hash: string): Promise<string | undefined> {
    if (!this.conversation.hasPicture(hash)) return undefined;
    return this.#services.conversations.readPicture(hash);
  }

  get isStreaming(): boolean {
    return this.#sender.isStreaming;
  }

  /**
   * Reports the collected pieces of replies without waiting for the next frame. Call this before the whole conversation
   * is sent to a page. Otherwise the page would receive these pieces twice.
   */
  flushDeltas(): void {
    this.#sender.flush();
  }

  /** The models of the next question. */
  get models(): readonly string[] {
    return this.#sender.models;
  }

  /**
   * Sends a question with its attachments to the chosen models, or queues it while a reply arrives. Resolves when
   * the reply has ended, with any outcome. A question that cannot be sent is put back into the message box.
   */
  async send(text: string): Promise<void> {
    const draft = this.unsent.take(text);
    if (!draft) return;
    await this.#sender.send(draft);
  }

  /** Sends the question of a turn again, by default of the last turn. The earlier reply remains another branch. */
  async resend(turnId = this.conversation.lastTurn?.id): Promise<void> {
    const turn = turnId === undefined ? undefined : this.conversation.turn(turnId);
    if (turn && !refuseEmpty(turn.question)) {
      await this.#sender.branch(turn.id, (settings) => this.conversation.repeatQuestion(turn.id, settings));
    }
  }

  /**
   * Sends the question of a turn with a new text and the same pictures and context. The earlier version
   * remains another branch. A question that cannot be sent is put into the message box.
   *
   * @param pasted further texts to send with the question
   */
  async editQuestion(turnId: string, text: string, pasted: readonly PastedText[] = []): Promise<void> {
    const turn = this.conversation.turn(turnId);
    if (!turn) return;
    const { images, files, missing } = turn.question;
    const prompt = { text, images, files: addPastedTexts(files, pasted), missing };
    if (refuseEmpty(prompt)) return;
    const draft = createDraft(prompt);
    if (refuseTooLarge(prompt)) return this.unsent.putBack(draft);
    const { comparison } = this.conversation;
    const isShared = comparison.sharedQuestion === turn.questionId;
    const isSent = isShared
      ? await this.comparisonActions.sendReplacement(turn.questionId, prompt, draft)
      : await this.#sender.branch(
          turnId,
          (settings) => this.conversation.editQuestion(turnId, { ...prompt, ...settings }),
          draft,
        );
    if (!isSent) this.unsent.putBack(draft);
  }

  /** Requests a continuation of a reply, by default of the last reply. */
  async continueReply(turnId = this.conversation.lastTurn?.id): Promise<void> {
    if (turnId !== undefined) {
      await this.#sender.branch(turnId, (settings) => this.conversation.continueReply(turnId, settings));
    }
  }

  /**
   * Stores the user's own text as an alternative to a reply. Further questions follow the new text. Does nothing while
   * a reply arrives on the same branch.
   */
  editReply(turnId: string, text: string): void {
    if (this.#sender.isBusy(turnId)) return;
    const column = this.conversation.comparison.getColumnEnd(turnId);
    const turn = this.conversation.editReply(turnId, text);
    const reply = turn && this.conversation.reply(turn.id);
    if (!turn || !reply) return;
    void this.#chat.saver.storeEdit(reply, turnId);
    if (column === undefined)
      this.#fire({ type: 'path', unchangedTurns: this.conversation.turns.length - 1 });
    else this.comparisonActions.replace(column, turn.id);
  }

  /** Shows the branch of a question or reply. Does nothing while a reply arrives on the shown branch. */
  show(messageId: string): void {
    if (this.comparisonActions.show(messageId) || this.isStreaming) return;
    if (this.#chat.changePath(() => this.conversation.show(messageId)))
      this.#chat.saver.storeShownBranch(messageId);
  }

  /**
   * Deletes a question or reply and everything below it.
   *
   * @returns whether it was deleted; false if a reply is arriving
   */
  delete(messageId: string): boolean {
    const isDeleted =
      !this.isStreaming && this.#chat.changePath(() => this.deletedMessages.delete(messageId));
    if (isDeleted) this.#fire({ type: 'deleted' });
    return isDeleted;
  }

  /**
   * Restores the last deleted messages and shows them.
   *
   * @returns false if no deletion was found, or a reply is arriving
   * @throws {StorageError}
   */
  async undoDelete(): Promise<boolean> {
    if (this.isStreaming) return false;
    const restoredId = await this.deletedMessages.undo();
    if (restoredId !== undefined) this.show(restoredId);
    this.#fire({ type: 'deleted' });
    return restoredId !== undefined;
  }

  /** Ends the offer to undo the last deletion. */
  dismissDeleted(): void {
    this.deletedMessages.forget();
    this.#fire({ type: 'deleted' });
  }

  /**
   * Aborts all replies, or the reply of one turn. The text received so far is stored. A question that was not sent yet
   * is put back into the message box.
   */
  stop(turnId?: string): void {
    this.#sender.stop(turnId);
  }

  /**
   * Creates a new chat with a copy of the conversation up to a turn.
   *
   * @returns undefined while the reply of the turn arrives
   */
  async forkAfter(turnId: string): Promise<ChatSession | undefined> {
    const gateway = this.target.gateway.boundGateway;
    const fork = await forkChat(this.#services.conversations, this.#chat, turnId);
    return fork && new ChatSession(this.#services, { ...this.target.copiedChoices, ...fork, gateway });
  }

  dispose(): void {
    this.stop();
    void this.#chat.saver.release();
    this.target.dispose();
    this.unsent.dispose();
    this.#onDidChange.dispose();
  }

  #createOwner(): ChatOwner {
    const isStreaming = () => this.isStreaming;
    return {
      readFacts: () => this.target.facts,
      get isStreaming() {
        return isStreaming();
      },
      onStorageChange: () => this.#fire({ type: 'target' }),
      onPathChange: (unchangedTurns) => this.#fire({ type: 'path', unchangedTurns }),
    };
  }

  #saveDraft(): void {
    this.#chat.saver.storeDraft({ ...this.unsent.combinedDraft, models: this.target.compared });
  }

  #reportPutBack(text: string): void {
    this.#saveDraft();
    this.#fire({ type: 'target' });
    if (text !== '') this.#fire({ type: 'unsent', text });
  }

  /** Forwards an event. A new reply ends the offer to undo the last deletion. */
  #fireFromSender(event: SessionEvent): void {
    this.#fire(event);
    if (event.type === 'streaming' && this.isStreaming && this.deletedMessages.last) this.dismissDeleted();
  }

  #fire(event: SessionEvent): void {
    this.#onDidChange.fire(event);
  }
}
