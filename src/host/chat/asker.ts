import * as vscode from 'vscode';
import type { ChatResult } from '../../client/types.ts';
import type { AskedFile } from '../../conversations/askedFile.ts';
import type { ConversationService } from '../../conversations/conversationService.ts';
import type { Asking, Turn } from '../../conversations/turn.ts';
import { ContextError } from '../context/contextError.ts';
import { takeTexts } from '../context/takenText.ts';
import { notify } from '../display/notify.ts';
import type { Log } from '../log.ts';
import type { AskTarget, TargetServices } from './askTarget.ts';
import type { KeptChat } from './keptChat.ts';
import type { Draft } from './questionQueue.ts';
import { RunningTurns } from './runningTurns.ts';
import type { SessionEvent } from './sessionEvent.ts';
import { noteUse } from './turnRequest.ts';
import { runTurn } from './turnRun.ts';
import type { Unsent } from './unsent.ts';

/** What all chats use. */
export interface ChatServices extends TargetServices {
  readonly conversations: ConversationService;
  readonly log: Log;
}

/** The chat in which is asked. */
interface AskedChat {
  readonly target: AskTarget;
  readonly unsent: Unsent;
  /** The conversation that is shown now. */
  readonly chat: KeptChat;
  readonly fire: (event: SessionEvent) => void;
}

/** Asks in a chat: one question at a time, whose replies may be several. */
export class Asker {
  readonly #services: Pick<ChatServices, 'log' | 'models'>;
  readonly #asked: AskedChat;
  readonly #running = new RunningTurns();
  /** Changes when the user wants nothing sent any more that is not under way. */
  #stops = 0;
  /** Whether a question waits for the model list to be read. */
  #isChecking = false;

  constructor(services: Pick<ChatServices, 'log' | 'models'>, asked: AskedChat) {
    this.#services = services;
    this.#asked = asked;
  }

  get isStreaming(): boolean {
    return !this.#running.isEmpty;
  }

  /** Whether a question is about to be sent, unless the user is to be warned of its model. */
  get isChecking(): boolean {
    return this.#isChecking;
  }

  /**
   * Asks a question with its own pictures. Resolves when the reply has ended, whatever its outcome. A question
   * that cannot be sent is given back.
   */
  async send(draft: Draft): Promise<void> {
    const { target, unsent } = this.#asked;
    if (target.mayBeUnlisted && (await this.#isHeldBack())) return unsent.giveBack(draft);
    const files = await this.#takeFiles(draft);
    const how = files && this.#begin();
    const { text, images } = draft;
    if (how) await this.#run(this.#asked.chat.conversation.ask({ text, images, files, ...how }));
    else unsent.giveBack(draft);
  }

  /**
   * Asks on a branch of its own, which is shown from then on. Resolves when the reply has ended.
   *
   * @param turnId the turn in whose place the new one may come
   * @returns whether it was asked
   */
  async branch(begin: (how: Asking) => Turn | undefined, turnId?: string): Promise<boolean> {
    if (this.isStreaming) return false;
    const { target, fire } = this.#asked;
    if (target.mayBeUnlisted && (await this.#isHeldBack())) {
      fire({ type: 'target' });
      return false;
    }
    const how = this.#begin();
    const turn = how && begin(how);
    if (!turn) return false;
    const { conversation } = this.#asked.chat;
    fire({ type: 'path', kept: conversation.turns.length - 1 });
    const isReplaced = turnId !== undefined && conversation.turn(turnId) === undefined;
    await this.#run(turn, isReplaced ? turnId : undefined);
    return true;
  }

  /** Ends all replies at once, and sends nothing that is not under way. */
  stop(): void {
    this.#stops += 1;
    this.#running.stop();
  }

  /** Stops for another conversation, which may ask at once. */
  letGo(): void {
    this.stop();
    this.#running.letGo();
  }

  /** Whether to send nothing: the user is warned of the model, or stopped or closed the chat meanwhile. */
  async #isHeldBack(): Promise<boolean> {
    const stops = this.#stops;
    this.#isChecking = true;
    const isToTell = await this.#asked.target.mustTellUnlisted();
    this.#isChecking = false;
    return isToTell || stops !== this.#stops;
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

  /** What to ask with; undefined when nothing can be asked, or another question runs. */
  #begin(): Asking | undefined {
    return this.isStreaming ? undefined : this.#asked.target.begin();
  }

  /** @param replaced the turn in whose place it is asked */
  async #run(turn: Turn, replaced?: string): Promise<void> {
    const { conversation, keeper } = this.#asked.chat;
    const { gateway } = this.#asked.target;
    const { log, models } = this.#services;
    const signal = this.#running.begin(turn.id);
    this.#asked.fire({ type: 'streaming' });
    const result = await runTurn(turn, {
      ...{ conversation, gateway, models, signal, log },
      keeper: {
        asked: () => keeper.asked(turn, replaced),
        arrived: (events) => keeper.arrived(turn.id, events),
      },
      tell: (event) => {
        // Another conversation may have taken its place meanwhile.
        if (this.#asked.chat.conversation === conversation) this.#asked.fire(event);
      },
    });
    const answer = conversation.answer(turn.id);
    if (answer) await keeper.ended(answer);
    const noted = noteUse(models, gateway.begunWith, turn.question.model, result);
    if (this.#running.end(turn.id)) await this.#ended(endedWell(result) && conversation.carries(turn.id));
    await noted;
  }

  /** Sends the queued question, which the user's Enter asked for only in case all goes well. */
  async #ended(well: boolean): Promise<void> {
    const { unsent, chat, fire } = this.#asked;
    fire({ type: 'streaming' });
    fire({ type: 'target' });
    await chat.catchUp();
    if (this.isStreaming) return;
    const queued = well ? unsent.queue.take() : undefined;
    if (queued) await this.send(queued);
    else unsent.giveBackQueued();
  }
}

/** Whether a reply came to its own end. */
function endedWell({ outcome, endReason }: ChatResult): boolean {
  return outcome.kind === 'complete' && endReason !== 'content-filter';
}
