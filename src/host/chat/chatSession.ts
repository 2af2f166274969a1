import * as vscode from 'vscode';
import type { TextRequest } from '../../client/textRequest.ts';
import type { ChatResult } from '../../client/types.ts';
import { Conversation, type Question, type Turn } from '../../conversations/conversation.ts';
import type { ReplyDelta } from '../../protocol/chatPage.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { Connection } from '../connection/connection.ts';
import type { Gateway } from '../connection/gateways.ts';
import type { Log } from '../log.ts';
import type { ModelNotes } from '../models/modelNotes.ts';
import { Attachments } from './attachments.ts';
import { ChatGateway } from './chatGateway.ts';
import type { FormatChoice } from './formatChoice.ts';
import { ReplyStream } from './replyStream.ts';
import { logResult, requestFor, sendTurn } from './turnRequest.ts';

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
  | { readonly type: 'cleared' };

/** One chat: its conversation, its gateway, and at most one running request. */
export class ChatSession {
  readonly conversation = new Conversation();
  readonly attachments = new Attachments();
  readonly gateway: ChatGateway;
  readonly #models: ModelNotes;
  readonly #formats: FormatChoice;
  readonly #log: Log;
  readonly #onDidChange = new vscode.EventEmitter<SessionEvent>();
  readonly #subscription: vscode.Disposable;
  readonly onDidChange = this.#onDidChange.event;
  #model: string | undefined;
  readonly #parameters = new Map<TextFormatId, Question['parameters']>();
  #request: AbortController | undefined;

  constructor(
    connection: Connection,
    models: ModelNotes,
    formats: FormatChoice,
    log: Log,
    model: string | undefined,
  ) {
    this.gateway = new ChatGateway(connection);
    this.#models = models;
    this.#formats = formats;
    this.#log = log;
    this.#model = model;
    this.#subscription = connection.onDidChangeGateways(() => this.#onDidChange.fire({ type: 'target' }));
  }

  get model(): string | undefined {
    const { gateway, models = [] } = this.gateway.now?.state ?? {};
    return this.#model ?? this.#models.suggestForChat(gateway, models);
  }

  get format(): TextFormatId {
    return this.#formats.of(this.gateway.now?.gateway, this.model);
  }

  /** The parameters that are set for the current format. */
  get parameters(): Question['parameters'] {
    return this.#parameters.get(this.format) ?? {};
  }

  /** The request that a question would send now; undefined when no model is chosen. */
  preview(text: string): TextRequest | undefined {
    const { model, format, parameters } = this;
    if (model === undefined) return undefined;
    const question = { text, images: this.attachments.images, model, format, parameters };
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
      await this.#formats.remember(this.gateway.now?.gateway, this.model, format);
    }
    this.#onDidChange.fire({ type: 'target' });
  }

  setParameters(values: Question['parameters']): void {
    this.#parameters.set(this.format, values);
    this.#onDidChange.fire({ type: 'target' });
  }

  /**
   * Asks the chosen model, with the attachments. Resolves when the reply has ended, whatever its outcome. A
   * question that cannot be sent comes back in the event `unsent`.
   */
  async ask(text: string): Promise<void> {
    if (this.isStreaming || (text.trim() === '' && this.attachments.images.length === 0)) return;
    if (this.#mayBeUnlisted() && (await this.#tellUnlisted())) return this.#giveBack(text);
    const how = this.#begin();
    if (how) await this.#run(this.conversation.ask({ text, images: this.attachments.take(), ...how }));
    else this.#giveBack(text);
  }

  /** Asks the question of a turn again, by default of the last turn. */
  async again(turnId = this.conversation.last?.id): Promise<void> {
    if (this.isStreaming || turnId === undefined) return;
    if (this.#mayBeUnlisted() && (await this.#tellUnlisted())) {
      this.#onDidChange.fire({ type: 'target' });
      return;
    }
    const how = this.#begin();
    const turn = how && this.conversation.askAgain(turnId, how);
    if (turn) await this.#run(turn);
  }

  /** Aborts the reply at once. What has arrived is kept. */
  stop(): void {
    this.#request?.abort();
  }

  clear(): void {
    this.stop();
    this.conversation.clear();
    this.gateway.release();
    this.#onDidChange.fire({ type: 'cleared' });
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
    this.#onDidChange.dispose();
  }

  #mayBeUnlisted(): boolean {
    return this.model !== undefined && this.gateway.lacks(this.model);
  }

  async #tellUnlisted(): Promise<boolean> {
    return this.model !== undefined && (await this.gateway.mustTellUnlisted(this.model));
  }

  #giveBack(text: string): void {
    this.#onDidChange.fire({ type: 'target' });
    this.#onDidChange.fire({ type: 'unsent', text });
  }

  /**
   * The model, format and parameters to ask with; undefined when nothing can be asked, or another question
   * runs.
   */
  #begin(): Pick<Question, 'model' | 'format' | 'parameters'> | undefined {
    const { model } = this;
    if (model === undefined || !this.gateway.now || this.isStreaming) return undefined;
    this.gateway.begin();
    // Another chat's choice is no reason to ask somebody else here.
    this.#model = model;
    this.#onDidChange.fire({ type: 'target' });
    const { format, parameters } = this;
    return { model, format, parameters };
  }

  async #run({ id, question }: Turn): Promise<void> {
    const request = new AbortController();
    this.#request = request;
    this.#onDidChange.fire({ type: 'streaming' });
    this.#changed(id);
    const stream = new ReplyStream((deltas) => {
      this.#onDidChange.fire({ type: 'deltas', turnId: id, deltas });
    });
    const result = await sendTurn(id, question, {
      conversation: this.conversation,
      gateway: this.gateway,
      signal: request.signal,
      onEvents: (events) => stream.add(events),
    });
    stream.flush();
    this.#request = undefined;
    this.conversation.finish(id, result);
    this.#changed(id);
    this.#onDidChange.fire({ type: 'streaming' });
    logResult(this.#log, question.model, result);
    await this.#noteUse(question.model, result);
  }

  /** Notes for later chats how a model did: one that replied is suggested, one that was refused is not. */
  async #noteUse(model: string, { outcome }: ChatResult): Promise<void> {
    const { begunWith } = this.gateway;
    if (!begunWith) return;
    const { memory } = this.#models;
    if (outcome.kind === 'complete' || outcome.kind === 'truncated') await memory.used(begunWith, model);
    else if ('error' in outcome && outcome.error.kind === 'model-unavailable')
      memory.refused(begunWith, model);
  }

  #changed(turnId: string): void {
    this.#onDidChange.fire({ type: 'turn', turnId });
  }
}
