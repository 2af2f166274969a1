import * as vscode from 'vscode';
import type { ChatResult } from '../../../client/types.ts';
import type { AskedFile } from '../../../conversations/conversation/askedFile.ts';
import type { Asking, Prompt, Turn } from '../../../conversations/conversation/turn.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { Log } from '../../kit/display/log.ts';
import { notify } from '../../kit/display/notify.ts';
import { ContextError } from '../context/contextError.ts';
import { takeTexts } from '../context/takenText.ts';
import type { KeptChat } from '../keptChat.ts';
import type { SessionEvent } from '../sessionEvent.ts';
import type { AskTarget, TargetServices } from './askTarget.ts';
import type { Draft } from './questionQueue.ts';
import { ReplyStream } from './replyStream.ts';
import { RunningTurns } from './runningTurns.ts';
import { noteUse } from './turnRequest.ts';
import { runTurn } from './turnRun.ts';
import type { Unsent } from './unsent.ts';

/** The services that every chat session uses. */
export interface SessionServices extends TargetServices {
  readonly conversations: ConversationService;
  readonly log: Log;
}

/** The chat in which is asked. */
export interface AskedChat {
  readonly target: AskTarget;
  readonly unsent: Unsent;
  /** The conversation that is shown now. */
  readonly chat: KeptChat;
  readonly fire: (event: SessionEvent) => void;
}

interface Run {
  readonly turn: Turn;
  readonly stream: ReplyStream;
  readonly signal: AbortSignal;
}

/** Asks in a chat: one question at a time, whose replies may be several. */
export class Asker {
  readonly #services: Pick<SessionServices, 'log' | 'models'>;
  readonly #asked: AskedChat;
  readonly #running = new RunningTurns();
  /** Whether a reply ended well of those that arrive, or arrived, at once. */
  #hasOneEndedWell = false;
  /** Whether the user stopped those that arrive, or arrived, at once: a question that waits is not sent then. */
  #isStopped = false;
  /** Changes when the user wants nothing sent any more that is not under way. */
  #stops = 0;
  /** How many questions wait for the model list, or for what goes along, to be read. */
  #checks = 0;
  /** Whether a question is made ready to be sent: what is asked meanwhile waits. */
  #isPreparing = false;

  constructor(services: Pick<SessionServices, 'log' | 'models'>, asked: AskedChat) {
    this.#services = services;
    this.#asked = asked;
  }

  get isStreaming(): boolean {
    return !this.#running.isEmpty;
  }

  /** Whether a question is about to be sent, unless something speaks against it. */
  get isChecking(): boolean {
    return this.#checks > 0;
  }

  /** The models that the next question asks: those of the columns, those that are chosen, or the chosen one. */
  get models(): readonly string[] {
    const { target, chat } = this.#asked;
    const { comparison } = chat.conversation;
    if (comparison.isShown) return comparison.models;
    if (target.compared.length > 0) return target.compared;
    return target.model === undefined ? [] : [target.model];
  }

  /** Whether a reply arrives that keeps a turn as it is: its own, and before the columns any. */
  isBusy(turnId: string): boolean {
    const column = this.#asked.chat.conversation.comparison.columnOf(turnId);
    return column === undefined ? this.isStreaming : this.#running.has(column);
  }

  /**
   * Asks a question with its own pictures. Resolves when all replies have ended, whatever their outcomes. A question
   * that cannot be sent is given back. One that is asked while a reply arrives, or another question is made ready,
   * waits for that.
   */
  async send(draft: Draft): Promise<void> {
    if (this.isStreaming || this.#isPreparing) return this.#asked.unsent.queue.add(draft);
    const { models } = this;
    const columns = this.#columns;
    let files: readonly AskedFile[] | undefined;
    this.#isPreparing = true;
    try {
      files = await this.#checking(
        async () => ((await this.#isHeldBack(models)) ? undefined : await this.#takeFiles(draft)),
        draft,
      );
    } catch (error) {
      this.#giveBack(draft);
      throw error;
    } finally {
      this.#isPreparing = false;
    }
    const isSame = columns === this.#columns;
    const asked =
      files && isSame ? this.#begin({ text: draft.text, images: draft.images, files }, models) : undefined;
    if (asked) await asked;
    else this.#giveBack(draft);
  }

  /** @returns undefined where it cannot be asked now; resolves when all replies have ended */
  #begin(prompt: Prompt, models: readonly string[]): Promise<void> | undefined {
    const hows = this.isStreaming ? undefined : this.#asked.target.begin(models);
    const [how] = hows ?? [];
    if (!hows || !how) return undefined;
    const { conversation } = this.#asked.chat;
    const { comparison } = conversation;
    if (hows.length === 1) return this.#runAll([conversation.ask({ ...prompt, ...how })]);
    return this.#runColumns(() =>
      comparison.isShown ? comparison.goOn(prompt, hows) : comparison.ask(prompt, hows, conversation.head),
    );
  }

  /**
   * Asks several models in a branch of its own, whose answers are shown side by side.
   *
   * @param typed what the user typed for it
   * @returns whether they were asked
   */
  async compare(
    models: readonly string[],
    begin: (hows: readonly Asking[]) => readonly Turn[],
    typed?: Draft,
  ): Promise<boolean> {
    const isToTell = () => this.#isHeldBack(models);
    if (this.isStreaming || (await this.#checking(isToTell, typed))) return this.#notAsked();
    const hows = this.isStreaming ? undefined : this.#asked.target.begin(models);
    if (!hows) return false;
    await this.#runColumns(() => begin(hows));
    return true;
  }

  /**
   * Asks on a branch of its own, which is shown from then on, in the column of the turn where that is in one.
   * Resolves when the reply has ended.
   *
   * @param turnId the turn beside or below which it is asked
   * @param typed what the user typed for it
   * @returns whether it was asked
   */
  async branch(turnId: string, begin: (how: Asking) => Turn | undefined, typed?: Draft): Promise<boolean> {
    if (this.isBusy(turnId)) return false;
    const { conversation } = this.#asked.chat;
    const { comparison } = conversation;
    const column = comparison.columnOf(turnId);
    const model = column === undefined ? this.#asked.target.model : conversation.turn(turnId)?.question.model;
    const models = model === undefined ? [] : [model];
    if (await this.#checking(() => this.#isHeldBack(models), typed)) return this.#notAsked();
    const [how] = (this.isBusy(turnId) ? undefined : this.#asked.target.begin(models)) ?? [];
    const turn = how && begin(how);
    if (!turn) return false;
    if (column !== undefined) comparison.replace(column, turn.id);
    const kept = comparison.isShown ? comparison.trunk : conversation.turns.length - 1;
    this.#asked.fire({ type: 'path', kept });
    await this.#runAll([turn], conversation.turn(turnId) === undefined ? turnId : undefined);
    return true;
  }

  /** Ends all replies at once, and sends nothing that is not under way; or ends the reply of one turn. */
  stop(turnId?: string): void {
    if (turnId === undefined) {
      this.#stops += 1;
      this.#isStopped = true;
    }
    this.#running.stop(turnId);
  }

  /** Reports the pieces of replies that wait for the next frame. */
  flush(): void {
    this.#running.flush();
  }

  /** What stands side by side: each column is asked as its own model. */
  get #columns(): string {
    return this.#asked.chat.conversation.comparison.ends.join(' ');
  }

  #notAsked(): false {
    this.#asked.fire({ type: 'target' });
    return false;
  }

  /** @param typed what the user typed for it, which stays a draft until it is checked; then it is asked, or given back */
  async #checking<T>(check: () => Promise<T>, typed?: Draft): Promise<T> {
    const { unsent } = this.#asked;
    this.#checks += 1;
    if (typed) unsent.leave(typed);
    try {
      return await check();
    } finally {
      this.#checks -= 1;
      if (typed) unsent.left(typed);
    }
  }

  /** Whether to send nothing: the user is warned of a model, or stopped or closed the chat meanwhile. */
  async #isHeldBack(models: readonly string[]): Promise<boolean> {
    const { gateway } = this.#asked.target;
    if (!models.some((model) => gateway.lacks(model))) return false;
    const stops = this.#stops;
    const isToTell = await gateway.mustTellUnlisted(models);
    return isToTell || stops !== this.#stops;
  }

  /** Puts a question that is not sent back into the message box, before those that waited for it. */
  #giveBack(draft: Draft): void {
    const { unsent } = this.#asked;
    if (!this.isStreaming) unsent.giveBackQueued();
    unsent.giveBack(draft);
  }

  /** The code that goes along, as it is now; undefined where the question must not be sent. */
  async #takeFiles({ context = [] }: Draft): Promise<readonly AskedFile[] | undefined> {
    if (context.length === 0) return [];
    const stops = this.#stops;
    try {
      const files = await takeTexts(context);
      return stops === this.#stops ? files : undefined;
    } catch (error) {
      if (!(error instanceof ContextError)) throw error;
      void notify('warning', vscode.l10n.t('Nothing was sent. {0}', error.message));
      return undefined;
    }
  }

  async #runColumns(begin: () => readonly Turn[]): Promise<void> {
    const turns = begin();
    this.#asked.fire({ type: 'path', kept: this.#asked.chat.conversation.comparison.trunk });
    await this.#runAll(turns);
  }

  /** @param replaced the turn in whose place one of them is asked */
  async #runAll(turns: readonly Turn[], replaced?: string): Promise<void> {
    const { keeper } = this.#asked.chat;
    if (!this.isStreaming) this.#isStopped = false;
    const running = turns.map((turn) => {
      const stream = new ReplyStream((deltas) =>
        this.#asked.fire({ type: 'deltas', turnId: turn.id, deltas }),
      );
      return { turn, stream, signal: this.#running.begin(turn.id, stream) };
    });
    this.#asked.fire({ type: 'streaming' });
    const kept = keeper.asked(turns, replaced);
    await Promise.all(running.map((each) => this.#run(each, kept)));
  }

  /** @param kept resolves once the question is kept */
  async #run({ turn, stream, signal }: Run, kept: Promise<void>): Promise<void> {
    const { conversation, keeper } = this.#asked.chat;
    const { gateway } = this.#asked.target;
    const { log, models } = this.#services;
    const result = await runTurn(turn, {
      ...{ conversation, gateway, models, signal, stream, log },
      keeper: { asked: () => kept, arrived: (events) => keeper.arrived(turn.id, events) },
      changed: () => this.#asked.fire({ type: 'turn', turnId: turn.id }),
    });
    await keeper.ended(turn.id, result);
    const noted = noteUse(models, gateway.begunWith, turn.question.model, result);
    this.#running.end(turn.id);
    await this.#ended(endedWell(result) && conversation.carries(turn.id));
    await noted;
  }

  /** Sends the queued question after the last reply, which the user's Enter asked for only in case all goes well. */
  async #ended(well: boolean): Promise<void> {
    const { unsent, chat, fire } = this.#asked;
    this.#hasOneEndedWell ||= well;
    fire({ type: 'streaming' });
    fire({ type: 'target' });
    if (this.isStreaming) return;
    const isToSend = this.#hasOneEndedWell && !this.#isStopped;
    this.#hasOneEndedWell = false;
    await chat.catchUp();
    if (this.isStreaming) return;
    const queued = isToSend ? unsent.queue.take() : undefined;
    if (queued) await this.send(queued);
    else unsent.giveBackQueued();
  }
}

/** Whether a reply came to its own end. */
function endedWell({ outcome, endReason }: ChatResult): boolean {
  return outcome.kind === 'complete' && endReason !== 'content-filter';
}
