import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { ReplyResult, Turn } from '../../../conversations/conversation/turn.ts';
import { replyCost } from '../../../conversations/cost/replyCost.ts';
import type { ChatEvent } from '../../../wire/chatEvent.ts';
import type { Log } from '../../kit/display/log.ts';
import type { ModelNotes } from '../../models/modelNotes.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import type { ChatGateway } from './chatGateway.ts';
import { replyPrice } from './replyPrice.ts';
import type { ReplyStream } from './replyStream.ts';
import { sendTurn } from './turnRequest.ts';

interface TurnRun {
  readonly conversation: Conversation;
  readonly gateway: ChatGateway;
  readonly models: ModelNotes;
  /** Ends the reply at once. What has arrived is kept. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly keeper: {
    /** Keeps the question before it is sent. */
    readonly asked: () => Promise<void>;
    readonly arrived: (events: readonly ChatEvent[]) => void;
  };
  /** Gathers what the page is sent of the reply. */
  readonly stream: ReplyStream;
  /** Called when the conversation holds another state of the turn. */
  readonly changed: () => void;
}

/** Asks the question of a turn until its reply has ended, whatever its outcome. The conversation holds both. */
export async function runTurn({ id, question }: Turn, run: TurnRun): Promise<ReplyResult> {
  const { conversation, gateway, models, signal, log, keeper, stream, changed } = run;
  const asked = gateway.now;
  changed();
  await keeper.asked();
  const sent = await sendTurn(id, question, {
    ...{ conversation, gateway, models, signal },
    onEvents: (events) => {
      keeper.arrived(events);
      stream.add(events);
    },
    onOmitted: changed,
  });
  stream.flush();
  const rules = readModelRules();
  const prices = { gateway: asked?.gateway, rules, models: asked?.state.models ?? [] };
  const cost = replyCost(sent, replyPrice(prices, question.model, sent, hasPictures(conversation, id)));
  const result = cost ? { ...sent, cost } : sent;
  conversation.finish(id, result);
  changed();
  logResult(log, question.model, result);
  return result;
}

function hasPictures(conversation: Conversation, id: string): boolean {
  const { messages } = conversation.historyFor(id);
  return messages.some(({ parts }) => parts.some(({ type }) => type === 'image'));
}

function logResult(log: Log, model: string, result: ReplyResult): void {
  const { outcome, requestId, gatewayRequestId, totalMs } = result;
  const cause = 'error' in outcome ? `: ${outcome.error.kind}: ${outcome.error.message}` : '';
  const theirs = gatewayRequestId === undefined ? '' : `, the gateway's ${gatewayRequestId}`;
  const line = `${model} ${outcome.kind} after ${Math.round(totalMs)} ms, request id ${requestId}${theirs}${cause}`;
  if (cause) log.warn('chat', line);
  else log.info('chat', line);
}
