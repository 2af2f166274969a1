import * as vscode from 'vscode';
import { type TextRequest, textRequest } from '../../../client/textRequest.ts';
import type { ChatResult } from '../../../client/types.ts';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { History, Question } from '../../../conversations/conversation/turn.ts';
import { Seam } from '../../../conversations/seam.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { ChatEvent } from '../../../wire/chatEvent.ts';
import { asGatewayError } from '../../connection/gatewayError.ts';
import type { Gateway } from '../../connection/gateways.ts';
import type { ModelNotes } from '../../models/modelNotes.ts';
import type { ChatGateway } from './chatGateway.ts';
import { continuationForm, notePrefix } from './continuation.ts';

/** What a request of a chat is sent with. */
interface Sending {
  readonly conversation: Conversation;
  readonly gateway: ChatGateway;
  readonly models: ModelNotes;
  readonly signal: AbortSignal;
  /** Called with the events of the reply once the conversation holds them. */
  readonly onEvents: (events: readonly ChatEvent[]) => void;
  /** Called once the conversation holds what the request cannot carry, if there is anything. */
  readonly onOmitted: () => void;
}

/** Builds the request of a question after its history, and lists what neither could carry. */
export function requestFor(
  { format, model, parameters }: Question,
  { messages, omitted }: History,
): TextRequest {
  const request = textRequest(textFormat(format), model, messages, parameters);
  return { ...request, omitted: [...omitted, ...request.omitted] };
}

/** Sends the question of a turn. Its reply goes into the conversation. A failure is in the result. */
export async function sendTurn(turnId: string, question: Question, sending: Sending): Promise<ChatResult> {
  const { conversation, gateway, models, signal, onEvents, onOmitted } = sending;
  const started = performance.now();
  const said = conversation.continuedText(turnId);
  const form = said === undefined ? undefined : continuationForm(question, gateway, models);
  const seam = said !== undefined && form ? new Seam(said, form) : undefined;
  const take = (events: readonly ChatEvent[]) => {
    conversation.apply(turnId, events);
    onEvents(events);
  };
  try {
    const client = await clientOf(gateway);
    const request = requestFor(question, conversation.historyFor(turnId, form));
    conversation.noteOmitted(turnId, request.omitted);
    if (request.omitted.length > 0) onOmitted();
    const result = await client.ask(request, (events) => take(seam?.join(events) ?? events), { signal });
    take(seam?.end() ?? []);
    if (form === 'prefix') notePrefix(question, gateway, models, result);
    return result;
  } catch (error) {
    const failure = asGatewayError(error, gateway.begunWith);
    return {
      outcome: { kind: 'failed', error: failure },
      requestId: failure.requestId,
      requestedAt: failure.requestedAt,
      totalMs: performance.now() - started,
    };
  }
}

/** Notes for later chats how a model did: one that replied is suggested, one that was refused is not. */
export async function noteUse(
  { memory }: ModelNotes,
  gateway: Gateway | undefined,
  model: string,
  { outcome }: ChatResult,
): Promise<void> {
  if (!gateway) return;
  if (outcome.kind === 'complete' || outcome.kind === 'truncated') await memory.used(gateway, model);
  else if ('error' in outcome && outcome.error.kind === 'model-unavailable') memory.refused(gateway, model);
}

async function clientOf({ now }: ChatGateway) {
  if (now === undefined)
    throw new Error(vscode.l10n.t('The gateway of this chat is not configured any more.'));
  return now.client();
}
