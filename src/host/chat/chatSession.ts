import * as vscode from 'vscode';
import type { TextRequest } from '../../client/textRequest.ts';
import { type PastedText, withPasted } from '../../conversations/conversation/askedFile.ts';
import { Conversation } from '../../conversations/conversation/conversation.ts';
import type { ReopenedChat } from '../../conversations/conversationService.ts';
import { type AskedChat, Asker, type SessionServices } from './asking/asker.ts';
import { AskTarget, type ChosenTarget } from './asking/askTarget.ts';
import { refuseGone, refuseTooMuch } from './asking/refusedQuestion.ts';
import { requestFor } from './asking/turnRequest.ts';
import { draftOf, Unsent } from './asking/unsent.ts';
import { Comparing } from './comparing.ts';
import { textsThere } from './context/takenText.ts';
import { DeletedMessages } from './deletedMessages.ts';
import { forkedChat } from './forkedChat.ts';
import { type ChatOwner, KeptChat } from './keptChat.ts';
import type { SessionEvent } from './sessionEvent.ts';
import type { KeepingProblem } from './view/keepingNotice.ts';

interface ChatStart extends ChosenTarget {
  readonly conversation?: Conversation;
  /** A chat of an earlier session. */
  readonly reopened?: ReopenedChat;
}

/** One chat: its conversation, its gateway, and the replies that arrive in it. It outlives its tab. */
export class ChatSession {
  readonly target: AskTarget;
  readonly unsent = new Unsent();
  readonly deleted = new DeletedMessages(() => this.#chat);
  /** What is shown side by side, and asked so. */
  readonly comparing: Comparing;
  readonly #services: SessionServices;
  readonly #onDidChange = new vscode.EventEmitter<SessionEvent>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #owner: ChatOwner;
  readonly #asker: Asker;
  readonly #chat: KeptChat;

  /** @param start what the chat begins with; by default it is empty and asks the model used last */
  constructor(services: SessionServices, start: ChatStart = {}) {
    this.#services = services;
    this.target = new AskTarget(services, start);
    this.target.onDidChange(() => this.#fire({ type: 'target' }));
    const asked = this.#asAsked();
    this.#asker = new Asker(services, asked);
    this.comparing = new Comparing(this.#asker, asked);
    this.#owner = this.#asOwner();
    this.unsent.onDidGiveBack((text) => this.#tellGivenBack(text));
    const { conversation = new Conversation(), reopened } = start;
    this.#chat = reopened ? new KeptChat(reopened, this.#owner) : this.#kept(conversation);
    if (reopened) this.unsent.restore(reopened.unsent);
    this.unsent.attachments.onDidChange(() => this.#keepDraft());
    this.unsent.context.onDidChange(() => this.#keepDraft());
    this.unsent.queue.onDidChange(() => this.#keepDraft());
    this.unsent.onDidLeave(() => this.#keepDraft());
    this.target.onDidCompare(() => this.#keepDraft());
  }

  /** Identifies the chat in this window and later ones. */
  get id(): string {
    return this.#chat.keeper.id;
  }

  /** The title that the user gave it; empty for one that is called after its first question. */
  get title(): string {
    return this.#chat.ownTitle;
  }

  /** Takes over the title that the chat is kept with. */
  called(title: string): void {
    if (title === this.#chat.ownTitle) return;
    this.#chat.ownTitle = title;
    this.#fire({ type: 'title' });
  }

  /** Why the chat cannot be kept on disk for now. */
  get keepingProblem(): KeepingProblem | undefined {
    const { problem } = this.#chat.keeper;
    return problem && { problem, file: this.#services.conversations.file };
  }

  /** Takes over what is in the message box. */
  write(text: string): void {
    this.unsent.text = text;
    this.#keepDraft();
  }

  get conversation(): Conversation {
    return this.#chat.conversation;
  }

  /** Whether nothing was asked, and no question is about to be sent. What is written does not count. */
  get isUnused(): boolean {
    return this.conversation.isEmpty && !this.#asker.isChecking;
  }

  /** Whether closing the chat for good would lose something. */
  get isWorthKeeping(): boolean {
    const { parameters, compared } = this.target;
    const isChosen = parameters.chosen !== undefined || compared.length > 0;
    return !this.isUnused || !this.unsent.isEmpty || isChosen;
  }

  /**
   * The request that a question would send now; undefined when no model is chosen.
   *
   * @param nth to which of the `models`
   */
  async preview(text: string, nth = 0): Promise<TextRequest | undefined> {
    const { attachments, context } = this.unsent;
    const files = await textsThere(context.references);
    const model = this.models[nth];
    if (model === undefined) return undefined;
    const question = { text, images: attachments.images, files, ...this.target.asking(model) };
    const after = this.conversation.comparison.ends[nth];
    return requestFor(question, this.conversation.historyForNext(question, after));
  }

  /** A picture of this chat by the hash of its bytes, as base64; undefined when the chat has none, or it is gone. */
  async picture(hash: string): Promise<string | undefined> {
    if (!this.conversation.hasPicture(hash)) return undefined;
    return this.#services.conversations.picture(hash);
  }

  get isStreaming(): boolean {
    return this.#asker.isStreaming;
  }

  /** Reports the pieces of replies that wait. A page that receives the whole conversation would get them twice. */
  flushDeltas(): void {
    this.#asker.flush();
  }

  /** The models that the next question asks. */
  get models(): readonly string[] {
    return this.#asker.models;
  }

  /**
   * Asks the chosen model, with the attachments, or queues the question while a reply arrives. Resolves when
   * the reply has ended, whatever its outcome. A question that cannot be sent is given back.
   */
  async ask(text: string): Promise<void> {
    const draft = this.unsent.take(text);
    if (!draft) return;
    await this.#asker.send(draft);
  }

  /** Asks the question of a turn again, by default of the last turn. Its earlier answer is kept beside the new one. */
  async again(turnId = this.conversation.last?.id): Promise<void> {
    const turn = turnId === undefined ? undefined : this.conversation.turn(turnId);
    if (turn && !refuseGone(turn.question)) {
      await this.#asker.branch(turn.id, (how) => this.conversation.askAgain(turn.id, how));
    }
  }

  /**
   * Asks the question of a turn in other words, with its pictures and what went along with it. Both are kept.
   *
   * @param pasted further texts that go along
   */
  async editQuestion(turnId: string, text: string, pasted: readonly PastedText[] = []): Promise<void> {
    const turn = this.conversation.turn(turnId);
    if (!turn) return;
    const { images, files, missing } = turn.question;
    const prompt = { text, images, files: withPasted(files, pasted), missing };
    if (refuseGone(prompt)) return;
    const draft = draftOf(prompt);
    if (refuseTooMuch(prompt)) return this.unsent.giveBack(draft);
    const { comparison } = this.conversation;
    const isShared = comparison.sharedQuestion === turn.questionId;
    const isAsked = isShared
      ? await this.comparing.askInstead(turn.questionId, prompt, draft)
      : await this.#asker.branch(
          turnId,
          (how) => this.conversation.editQuestion(turnId, { ...prompt, ...how }),
          draft,
        );
    if (!isAsked) this.unsent.giveBack(draft);
  }

  /** Lets the model go on where a reply ended, by default the last one. */
  async continueAnswer(turnId = this.conversation.last?.id): Promise<void> {
    if (turnId !== undefined) {
      await this.#asker.branch(turnId, (how) => this.conversation.continueAnswer(turnId, how));
    }
  }

  /** Keeps the user's own text beside an answer, to go on with. */
  editAnswer(turnId: string, text: string): void {
    if (this.#asker.isBusy(turnId)) return;
    const column = this.conversation.comparison.columnOf(turnId);
    const turn = this.conversation.editAnswer(turnId, text);
    const answer = turn && this.conversation.answer(turn.id);
    if (!turn || !answer) return;
    void this.#chat.keeper.edited(answer, turnId);
    if (column === undefined) this.#fire({ type: 'path', kept: this.conversation.turns.length - 1 });
    else this.comparing.replace(column, turn.id);
  }

  /** Shows the branch of a question or answer. None is left while its reply arrives. */
  show(messageId: string): void {
    if (this.comparing.show(messageId) || this.isStreaming) return;
    if (this.#changingPath(() => this.conversation.show(messageId))) this.#chat.keeper.shown(messageId);
  }

  /**
   * Deletes a question or answer, and all that follows it.
   *
   * @returns whether it is deleted: nothing is while a reply arrives
   */
  delete(messageId: string): boolean {
    const isDeleted = !this.isStreaming && this.#changingPath(() => this.deleted.delete(messageId));
    if (isDeleted) this.#fire({ type: 'deleted' });
    return isDeleted;
  }

  /**
   * Brings back what was deleted last, and shows it.
   *
   * @returns whether there was anything, and no reply arrives
   * @throws {StorageError}
   */
  async undoDelete(): Promise<boolean> {
    if (this.isStreaming) return false;
    const back = await this.deleted.undo();
    if (back !== undefined) this.show(back);
    this.#fire({ type: 'deleted' });
    return back !== undefined;
  }

  /** Takes what was deleted as it is. */
  dismissDeleted(): void {
    this.deleted.forget();
    this.#fire({ type: 'deleted' });
  }

  /**
   * Aborts all replies at once, or that of one turn. What has arrived is kept, and a question that was not sent yet
   * is given back.
   */
  stop(turnId?: string): void {
    this.#asker.stop(turnId);
  }

  /**
   * A chat of its own with what was said up to a turn.
   *
   * @returns undefined while the reply of the turn arrives
   */
  async forkAfter(turnId: string): Promise<ChatSession | undefined> {
    const gateway = this.target.gateway.begunWith;
    const fork = await forkedChat(this.#services.conversations, this.#chat, turnId);
    return fork && this.#another({ ...fork, gateway });
  }

  dispose(): void {
    this.stop();
    void this.#chat.keeper.release();
    this.target.dispose();
    this.unsent.dispose();
    this.#onDidChange.dispose();
  }

  /** @returns whether it changed anything */
  #changingPath(change: () => boolean): boolean {
    const before = branchesOf(this.conversation);
    if (!change()) return false;
    const after = branchesOf(this.conversation);
    const kept = after.findIndex((turn, at) => turn !== before[at]);
    if (kept !== -1 || after.length < before.length) {
      this.#fire({ type: 'path', kept: kept === -1 ? after.length : kept });
    }
    return true;
  }

  #asAsked(): AskedChat {
    const { target, unsent } = this;
    const chat = () => this.#chat;
    return {
      ...{ target, unsent },
      get chat() {
        return chat();
      },
      fire: (event) => {
        this.#fire(event);
        if (event.type === 'streaming' && this.isStreaming && this.deleted.last) this.dismissDeleted();
      },
    };
  }

  #asOwner(): ChatOwner {
    const isStreaming = () => this.isStreaming;
    return {
      facts: () => this.target.facts,
      get isStreaming() {
        return isStreaming();
      },
      keepingChanged: () => this.#fire({ type: 'target' }),
      pathChanged: (kept) => this.#fire({ type: 'path', kept }),
    };
  }

  #another(start: ChatStart): ChatSession {
    return new ChatSession(this.#services, { ...this.target.chosen, ...start });
  }

  #kept(conversation: Conversation): KeptChat {
    const { conversations } = this.#services;
    return new KeptChat(
      { conversation, keep: (links) => conversations.keep(conversation, links) },
      this.#owner,
    );
  }

  #keepDraft(): void {
    this.#chat.keeper.drafted({ ...this.unsent.all, models: this.target.compared });
  }

  #tellGivenBack(text: string): void {
    this.#keepDraft();
    this.#fire({ type: 'target' });
    if (text !== '') this.#fire({ type: 'unsent', text });
  }

  #fire(event: SessionEvent): void {
    this.#onDidChange.fire(event);
  }
}

/** A text for each turn that is shown, which differs where the page has to show something else. */
function branchesOf(conversation: Conversation): readonly string[] {
  const turns = [...conversation.turns, ...conversation.comparison.columns.flat()];
  return turns.map(({ id, answerId, questionId }) =>
    JSON.stringify([id, conversation.siblings(questionId), conversation.siblings(answerId)]),
  );
}
