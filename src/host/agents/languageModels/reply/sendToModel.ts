import { randomBytes } from 'node:crypto';
import type { GatewayClient } from '../../../../client/gatewayClient.ts';
import type { ChatResult } from '../../../../client/types.ts';
import type {
  TurnModel,
  VerbatimTurn,
  VerbatimTurns,
} from '../../../../conversations/verbatim/verbatimTurns.ts';
import type { CacheSupport } from '../../../../wire/apis/shared/promptCaching.ts';
import { textFormat } from '../../../../wire/apis/textFormats.ts';
import type { ForeignMessage } from '../../../../wire/message.ts';
import type { ThinkTags } from '../../../../wire/stream/thinkTags.ts';
import { RecordingDecoder } from '../../../../wire/stream/verbatimRecorder.ts';
import { readRequestSettings, type VsCodeOptions } from '../requestSettings.ts';
import { OfferedToolNames } from '../toolNames.ts';
import { modelRequest } from './modelRequest.ts';
import { type AssembledCall, type CallOutcome, type ReplyContentSink, ReplyReader } from './replyReader.ts';
import { callIds, turnIds } from './turnIds.ts';
import { arrangeToolTurns, readVsCodeMessages, type VsCodeMessage } from './vsCodeMessages.ts';

/** A request of VS Code or of another extension to a model. */
interface VsCodeRequest {
  readonly turnModel: TurnModel;
  readonly messages: readonly VsCodeMessage[];
  readonly options: VsCodeOptions;
  /** The most tokens that the model writes, if known. */
  readonly maxOutput?: number;
  /** How the model marks reasoning in its text. */
  readonly thinkTags?: ThinkTags;
  readonly caching: CacheSupport;
  /** The caller that the request is counted for. */
  readonly initiator?: string;
}

/** A call that is passed on to VS Code, with our id. */
interface AcceptedCall extends AssembledCall {
  readonly id: string;
  readonly outcome: Extract<CallOutcome, { type: 'accepted' }>;
}

/** How a reply ended. The sink received its text. */
export interface ModelReply {
  readonly result: ChatResult;
  readonly accepted: readonly AcceptedCall[];
  /** Calls that must not be accepted. */
  readonly refused: readonly AssembledCall[];
  /**
   * Stores the model's turn, for the next request of the conversation.
   *
   * @param shownText the reply's text in VS Code, including our notes
   */
  storeTurn(shownText: string): void;
}

/**
 * Sends one request, without retries, and passes its reply to the sink. If the gateway fails, the result contains
 * the failure and no calls.
 */
export async function sendToModel(
  client: Pick<GatewayClient, 'sendFormatRequest'>,
  { turnModel, messages, options, maxOutput, thinkTags, caching, initiator }: VsCodeRequest,
  turns: VerbatimTurns,
  sink: ReplyContentSink,
  signal: AbortSignal,
): Promise<ModelReply> {
  const toolNames = new OfferedToolNames((options.tools ?? []).map(({ name }) => name));
  const conversation = arrangeToolTurns(readVsCodeMessages(messages));
  const found = turns.find(turnIds(conversation, turnModel).filter((id) => id !== undefined));
  const knownTurns = found instanceof Promise ? await found : found;
  const settings = readRequestSettings(options);
  const request = modelRequest({
    turnModel,
    messages: conversation,
    turns: knownTurns,
    settings,
    ...(maxOutput && { maxOutput }),
    caching,
  });
  const format = textFormat(turnModel.format);
  const decoder = new RecordingDecoder(format.createDecoder(), format.createRecorder());
  const reader = new ReplyReader(sink);
  const result = await client.sendFormatRequest(
    { ...request, format: { ...format, createDecoder: () => decoder } },
    (events) => reader.read(events),
    { signal, ...(thinkTags && { thinkTags }), ...(initiator !== undefined && { initiator }) },
  );
  reader.end();
  const { outcome } = result;
  const calls = isEnded(outcome) ? reader.calls(toolNames) : [];
  const accepted = calls.flatMap((call) => acceptedCall(call) ?? []);
  const refused = calls.filter((call) => call.outcome.type !== 'accepted');
  const note = refused.map((call) => refusalNote(call, toolNames)).join(' ');
  const turn =
    isEnded(outcome) &&
    (accepted.length > 0 || (reader.hasContent && shouldKeepReasoning(decoder, conversation)))
      ? recordedTurn(turnModel, decoder, accepted, note)
      : undefined;
  return {
    result,
    accepted,
    refused,
    storeTurn: (shownText) => {
      const parts = [...accepted.map(callPart), { type: 'text', text: shownText } as const];
      const id = turnIds([...conversation, { role: 'assistant', parts }], turnModel).at(-1);
      if (turn && id !== undefined) turns.add(id, turn);
    },
  };
}

function isEnded({ kind }: ChatResult['outcome']): boolean {
  return kind === 'complete' || kind === 'truncated';
}

/** Whether a reply without calls is sent back with its reasoning. */
function shouldKeepReasoning(
  { reasoning }: RecordingDecoder,
  conversation: readonly ForeignMessage[],
): boolean {
  if (reasoning === 'plain') return conversation.some((message) => callIds(message).length > 0);
  return reasoning === 'signed';
}

function callPart({ id, calledName }: AcceptedCall) {
  return { type: 'toolCall', id, name: calledName, arguments: '' } as const;
}

function acceptedCall(call: AssembledCall): AcceptedCall | undefined {
  const { outcome } = call;
  return outcome.type === 'accepted' ? { ...call, outcome, id: newCallId() } : undefined;
}

function recordedTurn(
  turnModel: TurnModel,
  decoder: RecordingDecoder,
  accepted: readonly AcceptedCall[],
  note: string,
): VerbatimTurn | undefined {
  const ids: (string | undefined)[] = [];
  for (const { position, ownId, id } of accepted) ids[position] = ownId ?? id;
  const verbatim = decoder.toVerbatim(ids);
  if (!verbatim) return undefined;
  // Only this format allows calls without ids. It matches calls and results by their order.
  const isUnnamed = turnModel.format === 'contentGeneration';
  const calls = accepted.map(({ id, ownId }) => ({ id, ownId: ownId ?? (isUnnamed ? '' : id) }));
  return { turnModel, verbatim, calls, ...(note !== '' && { note }) };
}

const idCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * An id of nine letters and digits, the strictest format of any provider. Unlike the ids of providers, it is unique in
 * all conversations.
 */
function newCallId(): string {
  return [...randomBytes(9)].map((byte) => idCharacters[byte % idCharacters.length]).join('');
}

/** The note for the model in the next request, with the reason why a call was not accepted. */
function refusalNote({ calledName, outcome }: AssembledCall, toolNames: OfferedToolNames): string {
  const tool = JSON.stringify(calledName.slice(0, 80));
  switch (outcome.type) {
    case 'unknown-tool':
      return `There is no tool ${tool}, so nothing was run. Available tools: ${toolNames.all.join(', ') || 'none'}.`;
    case 'ambiguous':
      return `Two tool calls were mixed up in the reply, so ${tool} was not run. Call the tools one at a time.`;
    default:
      return `The arguments of the call to ${tool} were not valid JSON, so it was not run. Call it again.`;
  }
}
