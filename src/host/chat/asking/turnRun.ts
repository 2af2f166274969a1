import type { Conversation } from '../../../conversations/conversation.ts';
import { replyCost } from '../../../conversations/cost/replyCost.ts';
import type { ReplyResult, Turn } from '../../../conversations/turn.ts';
import type { ReplyDelta } from '../../../protocol/chatTurn.ts';
import type { ChatEvent } from '../../../wire/chatEvent.ts';
import type { Log } from '../../kit/display/log.ts';
import type { ModelNotes } from '../../models/modelNotes.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import type { ChatGateway } from './chatGateway.ts';
import { replyPrice } from './replyPrice.ts';
import { ReplyStream } from './replyStream.ts';
import { sendTurn } from './turnRequest.ts';

/** What becomes of a turn, for the page that shows it. */
export type TurnEvent =
  /** The conversation holds another state of it. */
  | { readonly type: 'turn'; readonly turnId: string }
  | { readonly type: 'deltas'; readonly turnId: string; readonly deltas: readonly ReplyDelta[] };

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
  readonly tell: (event: TurnEvent) => void;
}

/** Asks the question of a turn until its reply has ended, whatever its outcome. The conversation holds both. */
export async function runTurn({ id, question }: Turn, run: TurnRun): Promise<ReplyResult> {
  const { conversation, gateway, models, signal, log, keeper, tell } = run;
  const changed = () => tell({ type: 'turn', turnId: id });
  const asked = gateway.now;
  changed();
  await keeper.asked();
  const stream = new ReplyStream((deltas) => tell({ type: 'deltas', turnId: id, deltas }));
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
