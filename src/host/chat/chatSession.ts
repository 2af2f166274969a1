import * as vscode from 'vscode';
import type { TextRequest } from '../../client/textRequest.ts';
import type { ChatResult } from '../../client/types.ts';
import { type ChatParameters, requestFields } from '../../conversations/chatParameters.ts';
import { Conversation, type Question, type Turn } from '../../conversations/conversation.ts';
import type { ReplyDelta } from '../../protocol/chatPage.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { Connection } from '../connection/connection.ts';
import type { Gateway } from '../connection/gateways.ts';
import type { Log } from '../log.ts';
import type { ModelNotes } from '../models/modelNotes.ts';
import { ChosenParameters } from '../parameters/chosenParameters.ts';
import type { KeptParameters } from '../parameters/keptParameters.ts';
import { Attachments } from './attachments.ts';
import { ChatGateway } from './chatGateway.ts';
import type { FormatChoice } from './formatChoice.ts';
import { type Draft, QuestionQueue } from './questionQueue.ts';
import { ReplyStream } from './replyStream.ts';
import { logResult, noteUse, requestFor, sendTurn } from './turnRequest.ts';

/** An event of a session, for the page that shows it. */
export type SessionEvent =
  | { readonly type: 'turn'; readonly turnId: string }
  | { readonly type: 'deltas'; readonly turnId: string; readonly deltas: readonly ReplyDelta[] }
  /** The model, the format or the notice about them changed. */
  | { readonly type: 'target' }
  /** A reply began or ended. */
  | { readonly type: 'streaming' }
  /** A question was not sent. Its text goes back into the message box. */
  | { readonly type: 'unsent'; readonly text: string }
  /** Another conversation took the place of this one: an empty one, or the one from before that. */
  | { readonly type: 'replaced' };

/** What all chats use. */
export interface ChatServices {
  readonly connection: Connection;
  readonly models: ModelNotes;
  readonly formats: FormatChoice;
  readonly kept: KeptParameters;
  readonly log: Log;
}

/** A conversation that was cleared, and the gateway that it belongs to. */
interface ClearedChat {
  readonly conversation: Conversation;
  readonly gateway: Gateway | undefined;
}

interface ChatStart {
  readonly conversation?: Conversation;
  readonly gateway?: Gateway | undefined;
  readonly model?: string | undefined;
  readonly parameters?: ChatParameters | undefined;
}

/** One chat: its conversation, its gateway, and at most one running request. It outlives its tab. */
export class ChatSession {
  readonly attachments = new Attachments();
  readonly queue = new QuestionQueue();
  readonly gateway: ChatGateway;
  readonly parameters: ChosenParameters;
  /** The text in the message box. */
  draft = '';
  readonly #services: ChatServices;
  readonly #onDidChange = new vscode.EventEmitter<SessionEvent>();
  readonly #subscription: vscode.Disposable;
  readonly onDidChange = this.#onDidChange.event;
  #model: string | undefined;
  #conversation: Conversation;
  #request: AbortController | undefined;
  /** Changes when the user wants nothing sent any more that is not under way. */
  #stops = 0;
  /** Whether a question waits for the model list to be read. */
  #isChecking = false;
  #cleared: ClearedChat | undefined;

  /** @param start what the chat begins with; by default it is empty and asks the model used last */
  constructor(services: ChatServices, start: ChatStart = {}) {
    const { connection } = services;
    this.#services = services;
    this.gateway = new ChatGateway(connection);
    this.#model = start.model;
    this.#conversation = start.conversation ?? new Conversation();
    this.parameters = new ChosenParameters(services.kept, start.parameters);
    if (start.gateway) this.gateway.moveTo(start.gateway);
    this.#subscription = connection.onDidChangeGateways(() => this.#onDidChange.fire({ type: 'target' }));
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  get model(): string | undefined {
    const { gateway, models = [] } = this.gateway.now?.state ?? {};
    return this.#model ?? this.#services.models.suggestForChat(gateway, models);
  }

  get format(): TextFormatId {
    return this.#services.formats.of(this.gateway.now?.gateway, this.model);
  }

  /** Whether closing the chat for good would lose something. */
  get isWorthKeeping(): boolean {
    const isWritten = this.draft.trim() !== '' || this.parameters.chosen !== undefined;
    return this.conversation.turns.length > 0 || isWritten || this.canUndoClear || this.#isChecking;
  }

  /** The request that a question would send now; undefined when no model is chosen. */
  preview(text: string): TextRequest | undefined {
    const { model } = this;
    if (model === undefined) return undefined;
    const question = { text, images: this.attachments.images, ...this.#how(model) };
    return requestFor(question, this.conversation.historyForNext(question));
  }

  get isStreaming(): boolean {
    return this.#request !== undefined;
  }

  chooseModel(model: string): void {
    this.#model = model;
    this.#onDidChange.fire({ type: 'target' });
  }

  async chooseFormat(format: TextFormatId): Promise<void> {
    if (this.model !== undefined) {
      await this.#services.formats.remember(this.gateway.now?.gateway, this.model, format);
    }
    this.#onDidChange.fire({ type: 'target' });
  }

  /**
   * Asks the chosen model, with the attachments, or queues the question while a reply arrives. Resolves when
   * the reply has ended, whatever its outcome. A question that cannot be sent is given back.
   */
  async ask(text: string): Promise<void> {
    if (text.trim() === '' && this.attachments.images.length === 0) return;
    const draft = { text, images: this.attachments.take() };
    if (this.isStreaming) this.queue.add(draft);
    else await this.send(draft);
  }

  /** Asks a question with its own pictures, as `ask` does. */
  async send(draft: Draft): Promise<void> {
    if (this.#mayBeUnlisted() && (await this.#isHeldBack())) return this.giveBack(draft);
    const how = this.#begin();
    if (how) await this.#run(this.conversation.ask({ ...draft, ...how }));
    else this.giveBack(draft);
  }

  /** Puts a question into the message box, before what is written there. */
  giveBack({ text, images }: Draft): void {
    this.attachments.putBack(images);
    this.#onDidChange.fire({ type: 'target' });
    if (text === '') return;
    this.draft = this.draft === '' ? text : `${text}\n${this.draft}`;
    this.#onDidChange.fire({ type: 'unsent', text });
  }

  /** Puts the queued question back into the message box. */
  giveBackQueued(): void {
    const queued = this.queue.take();
    if (queued) this.giveBack(queued);
  }

  /** Asks the question of a turn again, by default of the last turn. */
  async again(turnId = this.conversation.last?.id): Promise<void> {
    if (this.isStreaming || turnId === undefined) return;
    if (this.#mayBeUnlisted() && (await this.#isHeldBack())) {
      this.#onDidChange.fire({ type: 'target' });
      return;
    }
    const how = this.#begin();
    const turn = how && this.conversation.askAgain(turnId, how);
    if (turn) await this.#run(turn);
  }

  /** Aborts the reply at once. What has arrived is kept, and a question that was not sent yet is given back. */
  stop(): void {
    this.#stops += 1;
    this.#request?.abort();
  }

  /**
   * A chat of its own with what comes before an earlier question, in which that question can be asked again.
   *
   * @returns undefined for the last turn, whose question is asked again here
   */
  forkBefore(turnId: string): { readonly session: ChatSession; readonly question: Draft } | undefined {
    const turn = this.conversation.turn(turnId);
    const conversation = this.conversation.forkBefore(turnId);
    if (!turn || !conversation || turn.id === this.conversation.last?.id) return undefined;
    const session = this.#another({ conversation, gateway: this.gateway.begunWith });
    return { session, question: turn.question };
  }

  /**
   * Begins the chat anew. A reply that arrives is stopped.
   *
   * @returns whether there was anything to clear
   */
  clear(): boolean {
    if (this.conversation.turns.length === 0) return false;
    this.stop();
    this.#request = undefined;
    this.giveBackQueued();
    this.#cleared = { conversation: this.conversation, gateway: this.gateway.begunWith };
    this.gateway.release();
    this.#replaceConversation(new Conversation());
    return true;
  }

  get canUndoClear(): boolean {
    return this.#cleared !== undefined;
  }

  /**
   * Undoes the last `clear`, in this chat unless something was asked here since.
   *
   * @returns a chat of its own with what was cleared; undefined where it is back in this one
   */
  undoClear(): ChatSession | undefined {
    const cleared = this.#cleared;
    if (!cleared) return undefined;
    this.#cleared = undefined;
    if (this.conversation.turns.length > 0) return this.#another(cleared);
    if (cleared.gateway) this.gateway.moveTo(cleared.gateway);
    this.#replaceConversation(cleared.conversation);
    return undefined;
  }

  /**
   * Binds the chat to another gateway. The next question sends the whole conversation there, so the caller
   * asks the user first.
   */
  moveTo(gateway: Gateway): void {
    this.gateway.moveTo(gateway);
    this.#onDidChange.fire({ type: 'target' });
  }

  dispose(): void {
    this.stop();
    this.#subscription.dispose();
    this.attachments.dispose();
    this.queue.dispose();
    this.parameters.dispose();
    this.#onDidChange.dispose();
  }

  #mayBeUnlisted(): boolean {
    return this.model !== undefined && this.gateway.lacks(this.model);
  }

  /** Whether to send nothing: the user is warned of the model, or stopped or closed the chat meanwhile. */
  async #isHeldBack(): Promise<boolean> {
    const stops = this.#stops;
    this.#isChecking = true;
    const isToTell = this.model !== undefined && (await this.gateway.mustTellUnlisted(this.model));
    this.#isChecking = false;
    return isToTell || stops !== this.#stops;
  }

  #another(start: ChatStart): ChatSession {
    return new ChatSession(this.#services, {
      ...start,
      model: this.#model,
      parameters: this.parameters.chosen,
    });
  }

  #replaceConversation(conversation: Conversation): void {
    this.#conversation = conversation;
    this.#onDidChange.fire({ type: 'replaced' });
  }

  /**
   * The model, format and parameters to ask with; undefined when nothing can be asked, or another question
   * runs.
   */
  #begin(): Omit<Question, 'text' | 'images'> | undefined {
    const { model } = this;
    if (model === undefined || !this.gateway.now || this.isStreaming) return undefined;
    this.gateway.begin();
    // Another chat's choice is no reason to ask somebody else here.
    this.#model = model;
    this.parameters.keep(model);
    this.#onDidChange.fire({ type: 'target' });
    return this.#how(model);
  }

  /** What a question to a model is asked with now. */
  #how(model: string): Omit<Question, 'text' | 'images'> {
    const { format } = this;
    const parameters = this.parameters.for(model);
    const { systemPrompt } = parameters;
    return { model, format, systemPrompt, parameters: requestFields(parameters, format, model) };
  }

  async #run({ id, question }: Turn): Promise<void> {
    const { conversation, gateway } = this;
    const request = new AbortController();
    this.#request = request;
    this.#onDidChange.fire({ type: 'streaming' });
    this.#changed(id);
    const stream = new ReplyStream((deltas) => {
      this.#onDidChange.fire({ type: 'deltas', turnId: id, deltas });
    });
    const result = await sendTurn(id, question, {
      ...{ conversation, gateway, signal: request.signal },
      onEvents: (events) => stream.add(events),
      onOmitted: () => this.#changed(id),
    });
    stream.flush();
    conversation.finish(id, result);
    this.#changed(id);
    logResult(this.#services.log, question.model, result);
    const noted = noteUse(this.#services.models, gateway.begunWith, question.model, result);
    if (this.#request === request) await this.#ended(endedWell(result) && conversation.carries(id));
    await noted;
  }

  /** Sends the queued question, which the user's Enter asked for only in case all goes well. */
  async #ended(well: boolean): Promise<void> {
    this.#request = undefined;
    this.#onDidChange.fire({ type: 'streaming' });
    this.#onDidChange.fire({ type: 'target' });
    const queued = well ? this.queue.take() : undefined;
    if (queued) await this.send(queued);
    else this.giveBackQueued();
  }

  #changed(turnId: string): void {
    this.#onDidChange.fire({ type: 'turn', turnId });
  }
}

/** Whether a reply came to its own end. */
function endedWell({ outcome, endReason }: ChatResult): boolean {
  return outcome.kind === 'complete' && endReason !== 'content-filter';
}
