import * as vscode from 'vscode';
import type { ChatResult } from '../../../client/types.ts';
import type { AttachedFile } from '../../../conversations/conversation/attachedFile.ts';
import type { Prompt, ReplySettings, Turn } from '../../../conversations/conversation/turn.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { Log } from '../../kit/display/log.ts';
import { notify } from '../../kit/display/notify.ts';
import { ContextError } from '../context/contextReference.ts';
import { readContextTexts } from '../context/contextText.ts';
import type { QuestionDraft, UnsentInput } from '../context/unsentInput.ts';
import type { QuestionTarget, TargetServices } from './questionTarget.ts';
import { ReplyStream, RunningTurns } from './replyStream.ts';
import { noteModelOutcome, runTurn } from './runTurn.ts';
import type { SessionEvent } from './sessionEvent.ts';
import type { StoredConversation } from './storedConversation.ts';

/** The services that every chat session uses. */
export interface SessionServices extends TargetServices {
  readonly conversations: ConversationService;
  readonly log: Log;
}

/** The parts of a chat session that its `QuestionSender` uses. */
export interface SessionAccess {
  readonly target: QuestionTarget;
  readonly unsent: UnsentInput;
  readonly chat: StoredConversation;
  readonly fire: (event: SessionEvent) => void;
}

interface RunningReply {
  readonly turn: Turn;
  readonly stream: ReplyStream;
  readonly signal: AbortSignal;
}

/** Sends the questions of a chat, one question at a time. Each question is sent to one or more models. */
export class QuestionSender {
  readonly #services: Pick<SessionServices, 'log' | 'modelChoices'>;
  readonly #session: SessionAccess;
  readonly #running = new RunningTurns();
  /** Whether at least one reply to the current question completed. */
  #hasCompletedReply = false;
  /** Whether the user stopped the replies to the current question. A queued question is then not sent. */
  #isStopped = false;
  /** The number of times that the user stopped everything. A question that was being prepared then is not sent. */
  #stopCount = 0;
  /** The number of questions that wait for the model list or for their context to be read. */
  #checkCount = 0;
  /** Whether a question is being prepared for sending. Further questions are then queued. */
  #isPreparing = false;

  constructor(services: Pick<SessionServices, 'log' | 'modelChoices'>, session: SessionAccess) {
    this.#services = services;
    this.#session = session;
  }

  get isStreaming(): boolean {
    return !this.#running.isEmpty;
  }

  /** Whether a question is being checked and will be sent unless the check fails. */
  get isChecking(): boolean {
    return this.#checkCount > 0;
  }

  /** The models of the next question: of the shown columns, otherwise the compared or the chosen models. */
  get models(): readonly string[] {
    const { target, chat } = this.#session;
    const { comparison } = chat.conversation;
    if (comparison.isShown) return comparison.models;
    if (target.compared.length > 0) return target.compared;
    return target.model === undefined ? [] : [target.model];
  }

  /** Whether an arriving reply locks a turn: the reply of its column, or any reply if the turn has no column. */
  isBusy(turnId: string): boolean {
    const column = this.#session.chat.conversation.comparison.getColumnEnd(turnId);
    return column === undefined ? this.isStreaming : this.#running.has(column);
  }

  /**
   * Sends a question with its pictures and context. Resolves when all replies have ended, with any outcomes. A question
   * that cannot be sent is put back into the message box. While a reply arrives, or another question is being prepared,
   * the question is queued.
   */
  async send(draft: QuestionDraft): Promise<void> {
    if (this.isStreaming || this.#isPreparing) return this.#session.unsent.queue.add(draft);
    const { models } = this;
    const columnsKey = this.#columnsKey;
    let files: readonly AttachedFile[] | undefined;
    this.#isPreparing = true;
    try {
      files = await this.#runCheck(
        async () => ((await this.#shouldHoldBack(models)) ? undefined : await this.#readFiles(draft)),
        draft,
      );
    } catch (error) {
      this.#putBack(draft);
      throw error;
    } finally {
      this.#isPreparing = false;
    }
    const hasSameColumns = columnsKey === this.#columnsKey;
    const sending =
      files && hasSameColumns
        ? this.#sendNow({ text: draft.text, images: draft.images, files }, models)
        : undefined;
    if (sending) await sending;
    else this.#putBack(draft);
  }

  /** Sends a question. Resolves when all replies have ended. @returns undefined if the question cannot be sent now */
  #sendNow(prompt: Prompt, models: readonly string[]): Promise<void> | undefined {
    const settingsPerModel = this.isStreaming ? undefined : this.#session.target.bindSettings(models);
    const [first] = settingsPerModel ?? [];
    if (!settingsPerModel || !first) return undefined;
    const { conversation } = this.#session.chat;
    const { comparison } = conversation;
    if (settingsPerModel.length === 1)
      return this.#runTurns([conversation.addQuestion({ ...prompt, ...first })]);
    return this.#runColumns(
      comparison.isShown
        ? comparison.addFollowUps(prompt, settingsPerModel)
        : comparison.addQuestion(prompt, settingsPerModel, conversation.tree.head),
    );
  }

  /**
   * Sends a question to several models in separate branches, and shows their replies side by side.
   *
   * @param addTurns adds a turn for each model to the conversation
   * @param draft the user's input for the question
   * @returns whether it was sent
   */
  async compare(
    models: readonly string[],
    addTurns: (settingsPerModel: readonly ReplySettings[]) => readonly Turn[],
    draft?: QuestionDraft,
  ): Promise<boolean> {
    const shouldHoldBack = () => this.#shouldHoldBack(models);
    if (this.isStreaming || (await this.#runCheck(shouldHoldBack, draft))) return this.#reportNotSent();
    const settingsPerModel = this.isStreaming ? undefined : this.#session.target.bindSettings(models);
    if (!settingsPerModel) return false;
    await this.#runColumns(addTurns(settingsPerModel));
    return true;
  }

  /**
   * Sends a question on a separate branch, and shows the branch. If the turn is in a column, the branch replaces the
   * shown branch of that column. Resolves when the reply has ended.
   *
   * @param turnId the turn that the new turn is added next to or below
   * @param addTurn adds the new turn to the conversation; returns undefined if this is not possible
   * @param draft the user's input for the question
   * @returns whether it was sent
   */
  async branch(
    turnId: string,
    addTurn: (settings: ReplySettings) => Turn | undefined,
    draft?: QuestionDraft,
  ): Promise<boolean> {
    if (this.isBusy(turnId)) return false;
    const { conversation } = this.#session.chat;
    const { comparison } = conversation;
    const column = comparison.getColumnEnd(turnId);
    const model =
      column === undefined ? this.#session.target.model : conversation.turn(turnId)?.question.model;
    const models = model === undefined ? [] : [model];
    if (await this.#runCheck(() => this.#shouldHoldBack(models), draft)) return this.#reportNotSent();
    const [settings] = (this.isBusy(turnId) ? undefined : this.#session.target.bindSettings(models)) ?? [];
    const turn = settings && addTurn(settings);
    if (!turn) return false;
    if (column !== undefined) comparison.replaceEnd(column, turn.id);
    const unchangedTurns = comparison.isShown ? comparison.trunkLength : conversation.turns.length - 1;
    this.#session.fire({ type: 'path', unchangedTurns });
    await this.#runTurns([turn], conversation.turn(turnId) === undefined ? turnId : undefined);
    return true;
  }

  /** Ends the reply of one turn; without `turnId`, ends all replies and cancels questions that are not sent yet. */
  stop(turnId?: string): void {
    if (turnId === undefined) {
      this.#stopCount += 1;
      this.#isStopped = true;
    }
    this.#running.stop(turnId);
  }

  /** Reports the collected pieces of replies without waiting for the next frame. */
  flush(): void {
    this.#running.flush();
  }

  /** A text that changes with the side-by-side columns. A question for other columns must not be sent. */
  get #columnsKey(): string {
    return this.#session.chat.conversation.comparison.ends.join(' ');
  }

  #reportNotSent(): false {
    this.#session.fire({ type: 'target' });
    return false;
  }

  /**
   * Runs a check before a question is sent.
   *
   * @param draft the user's input, which counts as unsent during the check
   */
  async #runCheck<T>(check: () => Promise<T>, draft?: QuestionDraft): Promise<T> {
    const { unsent } = this.#session;
    this.#checkCount += 1;
    if (draft) unsent.beginPreparing(draft);
    try {
      return await check();
    } finally {
      this.#checkCount -= 1;
      if (draft) unsent.endPreparing(draft);
    }
  }

  /**
   * Whether the question must not be sent because a model needs a warning, or because the user stopped or closed the
   * chat while the models were checked.
   */
  async #shouldHoldBack(models: readonly string[]): Promise<boolean> {
    const { gateway } = this.#session.target;
    if (!models.some((model) => gateway.isUnlisted(model))) return false;
    const stops = this.#stopCount;
    const needsWarning = await gateway.shouldWarnUnlisted(models);
    return needsWarning || stops !== this.#stopCount;
  }

  /** Puts a question that was not sent back into the message box, before the queued questions. */
  #putBack(draft: QuestionDraft): void {
    const { unsent } = this.#session;
    if (!this.isStreaming) unsent.putBackQueued();
    unsent.putBack(draft);
  }

  /** Reads the current texts of the context; undefined if the question must not be sent. */
  async #readFiles({ context = [] }: QuestionDraft): Promise<readonly AttachedFile[] | undefined> {
    if (context.length === 0) return [];
    const stops = this.#stopCount;
    try {
      const files = await readContextTexts(context);
      return stops === this.#stopCount ? files : undefined;
    } catch (error) {
      if (!(error instanceof ContextError)) throw error;
      void notify('warning', vscode.l10n.t('Nothing was sent. {0}', error.message));
      return undefined;
    }
  }

  /** @param turns the added turns, one for each column */
  async #runColumns(turns: readonly Turn[]): Promise<void> {
    this.#session.fire({
      type: 'path',
      unchangedTurns: this.#session.chat.conversation.comparison.trunkLength,
    });
    await this.#runTurns(turns);
  }

  /** @param replaced the id of the turn that one of `turns` replaces */
  async #runTurns(turns: readonly Turn[], replaced?: string): Promise<void> {
    const { saver } = this.#session.chat;
    if (!this.isStreaming) this.#isStopped = false;
    const replies = turns.map((turn) => {
      const stream = new ReplyStream((deltas) =>
        this.#session.fire({ type: 'deltas', turnId: turn.id, deltas }),
      );
      return { turn, stream, signal: this.#running.begin(turn.id, stream) };
    });
    this.#session.fire({ type: 'streaming' });
    const storing = saver.storeTurns(turns, replaced);
    await Promise.all(replies.map((reply) => this.#runReply(reply, storing)));
  }

  /**
   * Requests the reply of one turn. Resolves when it has ended and is stored.
   *
   * @param storing resolves once the questions are stored
   */
  async #runReply({ turn, stream, signal }: RunningReply, storing: Promise<void>): Promise<void> {
    const { conversation, saver } = this.#session.chat;
    const { gateway } = this.#session.target;
    const { log, modelChoices } = this.#services;
    const result = await runTurn(turn, {
      chat: saver.id,
      conversation,
      gateway,
      modelChoices,
      signal,
      stream,
      log,
      saver: { storeQuestion: () => storing, storeEvents: (events) => saver.storeEvents(turn.id, events) },
      onChange: () => this.#session.fire({ type: 'turn', turnId: turn.id }),
    });
    await saver.storeResult(turn.id, result);
    const notingOutcome = noteModelOutcome(modelChoices, gateway.boundGateway, turn.question.model, result);
    this.#running.end(turn.id);
    await this.#afterReply(hasEndedNormally(result) && conversation.isInLaterRequests(turn.id));
    await notingOutcome;
  }

  /** Sends the queued question after the last reply if a reply completed and the user did not stop any reply. */
  async #afterReply(hasCompleted: boolean): Promise<void> {
    const { unsent, chat, fire } = this.#session;
    this.#hasCompletedReply ||= hasCompleted;
    fire({ type: 'streaming' });
    fire({ type: 'target' });
    if (this.isStreaming) return;
    const shouldSendQueued = this.#hasCompletedReply && !this.#isStopped;
    this.#hasCompletedReply = false;
    await chat.catchUp();
    if (this.isStreaming) return;
    const queued = shouldSendQueued ? unsent.queue.take() : undefined;
    if (queued) await this.send(queued);
    else unsent.putBackQueued();
  }
}

function hasEndedNormally({ outcome, endReason }: ChatResult): boolean {
  return outcome.kind === 'complete' && endReason !== 'content-filter';
}
