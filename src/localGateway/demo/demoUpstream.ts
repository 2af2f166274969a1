import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { abortSignalOf } from '../../base/cancellation.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { servedFormats } from '../../wire/apis/servedFormats.ts';
import { textFormats } from '../../wire/apis/textFormats.ts';
import { HttpError, invalidRequestError } from '../http/httpError.ts';
import { readBody } from '../http/requestBody.ts';
import { unknownModelError } from '../models/catalogue.ts';
import type { CheckedRequest, Upstream, UpstreamCall, UpstreamReply } from '../upstreams/upstream.ts';
import { demoName } from '../upstreams/upstreamConfig.ts';
import { readDemoConversation } from './demoConversation.ts';
import { type DemoRequest, readDemoRequest } from './demoRequest.ts';
import { planVideo, readClip } from './planVideo.ts';
import { restOfReply, tokensIn, type Writer, writeDraft } from './replyDraft.ts';
import {
  type DemoReply,
  type PieceWriter,
  pieceWriter,
  replyPieces,
  writeUnstreamedReply,
} from './replyWriter.ts';
import { type SeededRandom, seededRandom } from './seededRandom.ts';
import { readSimulatedFault, requestedFailure, type SimulatedFault } from './simulatedFaults.ts';

const videoModel = 'video';
/** Replies repeat parts of their requests, and JSON.stringify runs out of stack on deeper ones. */
const maxDepth = 500;

const textModels = ['chat', 'reasoning'];
const models: readonly Model[] = [...textModels, videoModel].map((id) => ({
  id,
  owner: 'demo',
  created: 1_767_225_600,
  ...(id !== videoModel && { takesPrefix: true }),
}));

interface DemoOptions {
  /** Tokens per second; 0 means no delay, absent means the pace of a real model. */
  readonly tokensPerSecond?: number;
  /** The folder of the demo clips. */
  readonly clips: string;
}

/**
 * Creates the demo upstream. It writes replies about the request, without account or network. The same request
 * gets the same reply, except for its ID and time.
 */
export function demoUpstream({ tokensPerSecond, clips }: DemoOptions): Upstream {
  return {
    name: demoName,
    listFormats: (model) => (model === videoModel ? [] : textFormats.map(({ id }) => id)),
    tasks: {},
    listModels: async () => models,
    countTokens(question) {
      requireWriter(question);
      return {
        tokens: readDemoConversation(readDemoRequest(question.request, question.servedModel).prompt)
          .promptTokens,
        note: 'An estimate of the demo at four bytes per token. No model was used.',
      };
    },
    send: (call) => replyTo(call, tokensPerSecond),
    video: {
      models: [videoModel],
      plan: planVideo,
      read: (result) => readClip(clips, result),
    },
    close: async () => {},
    drain: async () => {},
  };
}

async function replyTo(call: UpstreamCall, tokensPerSecond: number | undefined): Promise<UpstreamReply> {
  const { model, servedModel, requestId, signal } = call;
  requireWriter(call);
  const request = readDemoRequest(checked(call), servedModel);
  const { prompt } = request;
  const conversation = readDemoConversation(prompt);
  const rest = restOfReply(prompt, writersFor(servedModel, model));
  const requestedFault = readSimulatedFault(conversation.question);
  // The earlier part had the fault. The rest is sent whole.
  const fault = rest && requestedFault?.kind !== 'slow' ? undefined : requestedFault;
  if (fault?.kind === 'status') throw requestedFailure(fault.status, 'the question');

  const draft = (choice: number) =>
    writeDraft(prompt, conversation, choice, model === 'reasoning' && prompt.enablesReasoning);
  const drafts = rest ?? [draft(0), ...Array.from({ length: prompt.choices - 1 }, (_, i) => draft(i + 1))];
  const random = seededRandom(conversation.fingerprint);
  const plan = {
    reply: {
      id: randomUUID(),
      createdAt: new Date(),
      requestId,
      model: servedModel,
      drafts,
      promptTokens: conversation.promptTokens,
    },
    request,
    pace: choosePace(random, fault?.kind === 'slow' ? 4 : tokensPerSecond),
    random,
    fault: fault?.kind,
    signal: abortSignalOf(signal),
  } as const;
  return request.isStreamed ? streamReply(plan) : unstreamedReply(plan);
}

/** The requested model comes first. The request may continue a reply that the other model began. */
function writersFor(servedModel: string, model: string): readonly Writer[] {
  const prefix = servedModel.slice(0, servedModel.length - model.length);
  return [model, ...textModels]
    .map((each) => ({ model: prefix + each, reasons: each === 'reasoning' }))
    .flatMap((writer) => (writer.reasons ? [writer, { ...writer, reasons: false }] : [writer]));
}

function requireWriter({ model, servedModel }: Pick<UpstreamCall, 'model' | 'servedModel'>): void {
  if (!models.some(({ id }) => id === model)) throw unknownModelError(servedModel);
  if (model === videoModel) throw writesNothing(servedModel);
}

/** @throws {HttpError} 400 for a request that demo models do not support */
function checked({ request, body: { bytes, depth } }: UpstreamCall): CheckedRequest {
  if (depth > maxDepth)
    throw invalidRequestError(`The body is nested deeper than ${maxDepth} levels.`, 'invalid_json');
  return { ...request, body: readBody(bytes, servedFormats[request.format].schema) };
}

function writesNothing(model: string): HttpError {
  return invalidRequestError(
    `${model} makes videos and cannot write text. Request a video with POST /v1beta/interactions and ` +
      `response_format.type "video", or on the video synthesis route, or use ${demoName}/chat.`,
    'unsupported_model',
    'model',
  );
}

/** The decisions about a reply, made before its first byte. */
interface ReplyPlan {
  readonly reply: DemoReply;
  readonly request: DemoRequest;
  readonly pace: Pace;
  readonly random: SeededRandom;
  readonly fault: SimulatedFault['kind'] | undefined;
  readonly signal: AbortSignal;
}

function streamReply(plan: ReplyPlan): UpstreamReply {
  const { request, reply } = plan;
  const writer = pieceWriter(reply, request);
  return {
    status: 200,
    headers: { 'content-type': writer.contentType },
    body: withFault(events(plan, writer), plan, tokenCount(reply) / 2, () => writer.fail(demoFailure())),
  };
}

/**
 * Waits as long as writing the tokens takes.
 *
 * @throws {HttpError} for a simulated error, or the signal's reason when it is aborted
 */
async function unstreamedReply(plan: ReplyPlan): Promise<UpstreamReply> {
  const { reply, request, pace, signal } = plan;
  if (plan.fault === 'error') throw demoFailure();
  const longest = Math.max(...reply.drafts.map(tokensIn));
  await wait(pace.firstMs + longest * pace.tokenMs, undefined, { signal });
  const json = JSON.stringify(writeUnstreamedReply(reply, request));
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: withFault([json.slice(0, 10), json.slice(10)], plan, 1) };
}

async function* events({ reply, pace, random, signal }: ReplyPlan, writer: PieceWriter) {
  yield writer.open();
  for await (const piece of paceItems(replyPieces(reply), pace, random, signal)) yield writer.piece(piece);
  yield writer.ending();
}

/**
 * Passes on parts of a stream, with the simulated fault if one is requested.
 *
 * @param finalEvent returns the last event of a stream that breaks off
 */
async function* withFault(
  parts: AsyncIterable<string> | Iterable<string>,
  { fault, signal }: ReplyPlan,
  maxParts: number,
  finalEvent?: () => string,
) {
  const isComplete = fault === undefined || fault === 'slow';
  let passed = 0;
  for await (const part of parts) {
    if (!isComplete && passed >= maxParts) break;
    yield part;
    passed += 1;
  }
  if (fault === 'cut') throw new Error('cut off, because the question requested it');
  if (fault === 'error' && finalEvent) yield finalEvent();
  if (fault === 'silence') await once(signal, 'abort');
}

function tokenCount({ drafts }: DemoReply): number {
  return drafts.reduce((sum, draft) => sum + tokensIn(draft), 0);
}

function demoFailure(): HttpError {
  return new HttpError({
    status: 500,
    message: 'The demo model broke off, because the question requested it.',
    type: 'server_error',
    code: 'demo_failure',
  });
}

/** The delay before the first token, and between tokens, in milliseconds. */
interface Pace {
  readonly firstMs: number;
  readonly tokenMs: number;
}

/**
 * Chooses the pace of a real model by default: 150 to 400 ms to the first token, then 80 to 120 tokens a
 * second.
 */
export function choosePace(random: SeededRandom, tokensPerSecond?: number): Pace {
  if (tokensPerSecond === undefined)
    return { firstMs: 150 + 250 * random(), tokenMs: 1000 / (80 + 40 * random()) };
  if (tokensPerSecond === 0) return { firstMs: 0, tokenMs: 0 };
  return { firstMs: 1000 / tokensPerSecond, tokenMs: 1000 / tokensPerSecond };
}

/**
 * Yields each item when it is due.
 *
 * @throws the signal's reason as soon as it is aborted
 */
export async function* paceItems<T>(
  items: Iterable<T>,
  pace: Pace,
  random: SeededRandom,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const start = performance.now();
  let due = pace.firstMs;
  for (const item of items) {
    const early = start + due - performance.now();
    // Timers have a resolution of 1 ms. An overdue item is sent at once.
    if (early >= 1) await wait(early, undefined, { signal });
    signal.throwIfAborted();
    yield item;
    due += pace.tokenMs * (0.5 + random());
  }
}
