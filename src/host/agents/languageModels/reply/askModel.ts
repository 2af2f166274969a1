import { randomBytes } from 'node:crypto';
import type { GatewayClient } from '../../../../client/gatewayClient.ts';
import type { ChatResult } from '../../../../client/types.ts';
import type { AskedModel, SaidTurn } from '../../../../conversations/said/saidTurn.ts';
import type { SaidTurns } from '../../../../conversations/said/saidTurns.ts';
import { textFormat } from '../../../../wire/apis/textFormats.ts';
import type { ForeignMessage } from '../../../../wire/message.ts';
import { RecordingDecoder } from '../../../../wire/stream/saidRecorder.ts';
import { type HostOptions, settingsOf } from '../requestSettings.ts';
import { ToolNames } from '../toolNames.ts';
import type { CallOutcome, ReadCall } from './calls.ts';
import { type HostMessage, readHostMessages } from './hostMessages.ts';
import { ReplyReader, type ReplySink } from './replyReader.ts';
import { modelRequest } from './request.ts';
import { inToolTurns } from './toolTurns.ts';
import { callIds, turnIds } from './turnIds.ts';

/** One request to a model. */
export interface HostQuestion {
  readonly asked: AskedModel;
  readonly messages: readonly HostMessage[];
  readonly options: HostOptions;
  /** The most tokens that the model writes, as far as that is known. */
  readonly maxOutput?: number;
}

/** A call that VS Code is to make, with the id that is ours. */
export interface MadeCall extends ReadCall {
  readonly id: string;
  readonly outcome: Extract<CallOutcome, { type: 'made' }>;
}

/** How a reply ended. The sink got its words. */
export interface ModelReply {
  readonly result: ChatResult;
  readonly made: readonly MadeCall[];
  /** Calls that must not be made. */
  readonly refused: readonly ReadCall[];
  readonly names: ToolNames;
  /**
   * Keeps what the model said, for the next request of the conversation.
   *
   * @param shown its words as the host has them, with those of ours
   */
  remember(shown: string): void;
}

/** Sends one request, once, and passes its reply on. A failure of the gateway is in the result, with no calls. */
export async function askModel(
  client: Pick<GatewayClient, 'ask'>,
  { asked, messages, options, maxOutput }: HostQuestion,
  memory: SaidTurns,
  sink: ReplySink,
  signal: AbortSignal,
): Promise<ModelReply> {
  const names = new ToolNames((options.tools ?? []).map(({ name }) => name));
  const said = inToolTurns(readHostMessages(messages));
  const known = memory.find(turnIds(said, asked).filter((id) => id !== undefined));
  const turns = known instanceof Promise ? await known : known;
  const settings = settingsOf(options);
  const request = modelRequest({ asked, messages: said, turns, settings, ...(maxOutput && { maxOutput }) });
  const format = textFormat(asked.format);
  const decoder = new RecordingDecoder(format.createDecoder(), format.createRecorder());
  const reader = new ReplyReader(sink);
  const result = await client.ask(
    { ...request, format: { ...format, createDecoder: () => decoder } },
    (events) => reader.take(events),
    { signal },
  );
  reader.end();
  const { outcome } = result;
  const calls = isEnded(outcome) ? reader.calls(names) : [];
  const made = calls.flatMap((call) => madeCall(call) ?? []);
  const refused = calls.filter((call) => call.outcome.type !== 'made');
  const note = refused.map((call) => reasonForModel(call, names)).join(' ');
  const turn =
    isEnded(outcome) && (made.length > 0 || (reader.hasSaid && isWanted(decoder, said)))
      ? saidTurn(asked, decoder, made, note)
      : undefined;
  return {
    ...{ result, made, refused, names },
    remember: (shown) => {
      const parts = [...made.map(callPart), { type: 'text', text: shown } as const];
      const id = turnIds([...said, { role: 'assistant', parts }], asked).at(-1);
      if (turn && id !== undefined) memory.keep(id, turn);
    },
  };
}

function isEnded({ kind }: ChatResult['outcome']): boolean {
  return kind === 'complete' || kind === 'truncated';
}

/** Whether a reply of words alone goes back with its reasoning. */
function isWanted({ reasoning }: RecordingDecoder, asked: readonly ForeignMessage[]): boolean {
  if (reasoning === 'plain') return asked.some((message) => callIds(message).length > 0);
  return reasoning === 'signed';
}

function callPart({ id, called }: MadeCall) {
  return { type: 'toolCall', id, name: called, arguments: '' } as const;
}

function madeCall(call: ReadCall): MadeCall | undefined {
  const { outcome } = call;
  return outcome.type === 'made' ? { ...call, outcome, id: newCallId() } : undefined;
}

function saidTurn(
  asked: AskedModel,
  decoder: RecordingDecoder,
  made: readonly MadeCall[],
  note: string,
): SaidTurn | undefined {
  const ids: (string | undefined)[] = [];
  for (const { position, ownId, id } of made) ids[position] = ownId ?? id;
  const said = decoder.said(ids);
  if (!said) return undefined;
  // The one format whose calls may go by their order alone.
  const isUnnamed = asked.format === 'contentGeneration';
  const calls = made.map(({ id, ownId }) => ({ id, ownId: ownId ?? (isUnnamed ? '' : id) }));
  return { asked, said, calls, ...(note !== '' && { note }) };
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Nine letters and digits, the narrowest ids that any provider takes. Unlike a provider's own, none comes twice. */
function newCallId(): string {
  return [...randomBytes(9)].map((byte) => letters[byte % letters.length]).join('');
}

/** Why a call was not made, for the model with its next request. */
function reasonForModel({ called, outcome }: ReadCall, names: ToolNames): string {
  const tool = JSON.stringify(called.slice(0, 80));
  switch (outcome.type) {
    case 'unknown-tool':
      return `There is no tool ${tool}, so nothing was run. Offered are: ${names.all.join(', ') || 'none'}.`;
    case 'ambiguous':
      return `Two calls arrived mixed up, so ${tool} was not run. Make them one by one.`;
    default:
      return `The arguments of the call to ${tool} were no valid JSON, so it was not run. Call it again.`;
  }
}
