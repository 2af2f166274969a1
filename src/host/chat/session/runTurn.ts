import * as vscode from 'vscode';
import { createTextRequest, type TextRequest } from '../../../client/textRequest.ts';
import type { ChatResult } from '../../../client/types.ts';
import { ContinuationJoin } from '../../../conversations/conversation/continuationJoin.ts';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import { computeReplyCost } from '../../../conversations/conversation/cost.ts';
import type { History, Question, ReplyResult, Turn } from '../../../conversations/conversation/turn.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { ChatEvent } from '../../../wire/chatEvent.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { chooseChatCaching } from '../../connection/requestCaching.ts';
import { toGatewayError } from '../../connection/unsentError.ts';
import type { Log } from '../../kit/display/log.ts';
import type { ModelChoices } from '../../models/modelChoices.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import { replyPrice } from '../../models/replyPrice.ts';
import type { ChatGateway } from './chatGateway.ts';
import { chooseContinuationForm, notePrefixRefusal } from './continuation.ts';
import type { ReplyStream } from './replyStream.ts';

interface RunOptions {
  /** The id of the chat. */
  readonly chat: string;
  readonly conversation: Conversation;
  readonly gateway: ChatGateway;
  readonly modelChoices: ModelChoices;
  /** Aborts the reply. The text received so far is stored. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly saver: {
    /** Stores the question before it is sent. */
    readonly storeQuestion: () => Promise<void>;
    readonly storeEvents: (events: readonly ChatEvent[]) => void;
  };
  /** Collects the additions to the reply for the page. */
  readonly stream: ReplyStream;
  /** Called when the state of the turn changed, and when the request omits parts of the conversation. */
  readonly onChange: () => void;
}

/**
 * Sends the question of a turn of the conversation and adds the reply to it. Resolves when the reply has ended, with
 * any outcome.
 */
export async function runTurn({ id, question }: Turn, options: RunOptions): Promise<ReplyResult> {
  const { conversation, gateway, log, saver, stream, onChange } = options;
  const { connection } = gateway;
  onChange();
  await saver.storeQuestion();
  const received = await sendTurn(id, question, options);
  stream.flush();
  const rules = readModelRules();
  const prices = { gateway: connection?.gateway, rules, models: connection?.state.models ?? [] };
  const cost = computeReplyCost(
    received,
    replyPrice(prices, question.model, received, hasPictures(conversation, id)),
  );
  const result = cost ? { ...received, cost } : received;
  conversation.finish(id, result);
  onChange();
  logResult(log, question.model, result);
  return result;
}

/**
 * Builds the request for a question after its history. The result lists the parts that the request cannot contain.
 *
 * @param chat the id of the chat, which identifies its cache at the gateway
 */
export function buildChatRequest(
  { format, model, parameters }: Question,
  { messages, omitted }: History,
  { connection }: ChatGateway,
  chat: string,
): TextRequest {
  const caching = chooseChatCaching({ connection, model, format }, chat);
  const request = createTextRequest(textFormat(format), model, messages, parameters, caching);
  return { ...request, omitted: [...omitted, ...request.omitted] };
}

/** Sends the question of a turn and adds the reply to the conversation. Failures are returned in the result. */
async function sendTurn(turnId: string, question: Question, options: RunOptions): Promise<ChatResult> {
  const { chat, conversation, gateway, modelChoices, signal, saver, stream, onChange } = options;
  const startTime = performance.now();
  const continuedText = conversation.readContinuedText(turnId);
  const continuation =
    continuedText === undefined ? undefined : chooseContinuationForm(question, gateway, modelChoices);
  const join =
    continuedText !== undefined && continuation
      ? new ContinuationJoin(continuedText, continuation)
      : undefined;
  const apply = (events: readonly ChatEvent[]) => {
    conversation.appendEvents(turnId, events);
    saver.storeEvents(events);
    stream.add(events);
  };
  try {
    const client = await openClient(gateway);
    const history = conversation.buildHistory(turnId, continuation);
    const request = buildChatRequest(question, history, gateway, chat);
    conversation.setOmitted(turnId, request.omitted);
    if (request.omitted.length > 0) onChange();
    const result = await client.sendFormatRequest(request, (events) => apply(join?.join(events) ?? events), {
      signal,
      // A continuation after a prefix may begin with a tag in the middle of a sentence.
      thinkTags: continuation === 'prefix' ? 'none' : readModelRules().thinkTags(question.model),
    });
    apply(join?.end() ?? []);
    if (continuation === 'prefix') notePrefixRefusal(question, gateway, modelChoices, result);
    return result;
  } catch (error) {
    const failure = toGatewayError(error, gateway.boundGateway);
    return {
      outcome: { kind: 'failed', error: failure },
      requestId: failure.requestId,
      requestedAt: failure.requestedAt,
      totalMs: performance.now() - startTime,
    };
  }
}

/** Stores the outcome of a model. Later chats suggest models that replied, but not unavailable models. */
export async function noteModelOutcome(
  { memory }: ModelChoices,
  gateway: Gateway | undefined,
  model: string,
  { outcome }: ChatResult,
): Promise<void> {
  if (!gateway) return;
  if (outcome.kind === 'complete' || outcome.kind === 'truncated') await memory.noteUsed(gateway, model);
  else if ('error' in outcome && outcome.error.kind === 'model-unavailable')
    memory.noteRefused(gateway, model);
}

async function openClient({ connection }: ChatGateway) {
  if (connection === undefined)
    throw new Error(vscode.l10n.t('The gateway of this chat is no longer configured.'));
  return connection.getClient();
}

function hasPictures(conversation: Conversation, id: string): boolean {
  const { messages } = conversation.buildHistory(id);
  return messages.some(({ parts }) => parts.some(({ type }) => type === 'image'));
}

function logResult(log: Log, model: string, result: ReplyResult): void {
  const { outcome, requestId, gatewayRequestId, totalMs } = result;
  const cause = 'error' in outcome ? `: ${outcome.error.kind}: ${outcome.error.message}` : '';
  const gatewayId = gatewayRequestId === undefined ? '' : `, the gateway's ${gatewayRequestId}`;
  const line = `${model} ${outcome.kind} after ${Math.round(totalMs)} ms, request id ${requestId}${gatewayId}${cause}`;
  if (cause) log.warn('chat', line);
  else log.info('chat', line);
}
