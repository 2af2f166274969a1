import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { toAbortSignal } from '../../base/cancellation.ts';
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
import { readSimulatedFault, requestedFailureError, type SimulatedFault } from './promptOptions.ts';
import { continueReply, countTokens, type Writer, writeDraft } from './replyDraft.ts';
import {
  createPieceWriter,
  type DemoReply,
  type PieceWriter,
  writeUnstreamedReply,
  yieldPieces,
} from './replyWriter.ts';
import { createRandom, type SeededRandom } from './seededRandom.ts';

const videoModel = 'video';
/**
 * Deeper requests are refused, because replies repeat parts of requests, and JSON.stringify would exceed the stack.
 */
const maxDepth = 500;

const textModels = ['chat', 'reasoning'];
const models: readonly Model[] = [...textModels, videoModel].map((id) => ({
  id,
  owner: 'demo',
  created: 1_767_225_600,
  ...(id !== videoModel && { acceptsPrefix: true }),
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
export function createDemoUpstream({ tokensPerSecond, clips }: DemoOptions): Upstream {
  return {
    name: demoName,
    listFormats: (model) => (model === videoModel ? [] : textFormats.map(({ id }) => id)),
    tasks: {},
    listModels: async () => models,
    countTokens({ request, model, servedModel }) {
      requireTextModel({ model, servedModel });
      return {
        tokens: readDemoConversation(readDemoRequest(request, servedModel).prompt).promptTokens,
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
  requireTextModel(call);
  const request = readDemoRequest(checkRequest(call), servedModel);
  const { prompt } = request;
  const conversation = readDemoConversation(prompt);
  const rest = continueReply(prompt, listWriters(servedModel, model));
  const requestedFault = readSimulatedFault(conversation.question);
  // The first part of the reply had the fault, so the rest is sent completely.
  const fault = rest && requestedFault?.kind !== 'slow' ? undefined : requestedFault;
  if (fault?.kind === 'status') throw requestedFailureError(fault.status, 'the question');

  const writeChoice = (choice: number) =>
    writeDraft(prompt, conversation, choice, model === 'reasoning' && prompt.enablesReasoning);
  const drafts = rest ?? [
    writeChoice(0),
    ...Array.from({ length: prompt.choices - 1 }, (_, i) => writeChoice(i + 1)),
  ];
  const random = createRandom(conversation.fingerprint);
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
    signal: toAbortSignal(signal),
  } as const;
  return request.isStreamed ? replyAsStream(plan) : replyWhole(plan);
}

/**
 * Lists the writers: first the requested model, then the others, because the request may continue a reply of
 * another model.
 */
function listWriters(servedModel: string, model: string): readonly Writer[] {
  const prefix = servedModel.slice(0, servedModel.length - model.length);
  return [model, ...textModels]
    .map((each) => ({ model: prefix + each, isReasoning: each === 'reasoning' }))
    .flatMap((writer) => (writer.isReasoning ? [writer, { ...writer, isReasoning: false }] : [writer]));
}

function requireTextModel({ model, servedModel }: Pick<UpstreamCall, 'model' | 'servedModel'>): void {
  if (!models.some(({ id }) => id === model)) throw unknownModelError(servedModel);
  if (model === videoModel) throw cannotWriteError(servedModel);
}

/** @throws {HttpError} 400 for a request that is not valid in its format, or is nested too deeply */
function checkRequest({ request, body: { bytes, depth } }: UpstreamCall): CheckedRequest {
  if (depth > maxDepth)
    throw invalidRequestError(`The body is nested deeper than ${maxDepth} levels.`, 'invalid_json');
  return { ...request, body: readBody(bytes, servedFormats[request.format].schema) };
}

function cannotWriteError(model: string): HttpError {
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

function replyAsStream(plan: ReplyPlan): UpstreamReply {
  const { request, reply } = plan;
  const writer = createPieceWriter(reply, request);
  return {
    status: 200,
    headers: { 'content-type': writer.contentType },
    body: addFault(writeEvents(plan, writer), plan, countAllTokens(reply) / 2, () =>
      writer.fail(demoFailureError()),
    ),
  };
}

/**
 * Waits as long as writing the tokens would take, then replies with all of them.
 *
 * @throws {HttpError} for a simulated error, or the signal's reason when it is aborted
 */
async function replyWhole(plan: ReplyPlan): Promise<UpstreamReply> {
  const { reply, request, pace, signal } = plan;
  if (plan.fault === 'error') throw demoFailureError();
  const longest = Math.max(...reply.drafts.map(countTokens));
  await wait(pace.firstMs + longest * pace.tokenMs, undefined, { signal });
  const json = JSON.stringify(writeUnstreamedReply(reply, request));
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: addFault([json.slice(0, 10), json.slice(10)], plan, 1) };
}

async function* writeEvents({ reply, pace, random, signal }: ReplyPlan, writer: PieceWriter) {
  yield writer.open();
  for await (const piece of paceItems(yieldPieces(reply), pace, random, signal)) yield writer.piece(piece);
  yield writer.ending();
}

/**
 * Passes on parts of a stream, with the simulated fault if one is requested.
 *
 * @param maxParts the number of parts before the fault
 * @param finalEvent creates the last event of a stream that ends with an error
 */
async function* addFault(
  parts: AsyncIterable<string> | Iterable<string>,
  { fault, signal }: ReplyPlan,
  maxParts: number,
  finalEvent?: () => string,
) {
  const isComplete = fault === undefined || fault === 'slow';
  let passedParts = 0;
  for await (const part of parts) {
    if (!isComplete && passedParts >= maxParts) break;
    yield part;
    passedParts += 1;
  }
  if (fault === 'cut') throw new Error('cut off, because the question requested it');
  if (fault === 'error' && finalEvent) yield finalEvent();
  if (fault === 'silence') await once(signal, 'abort');
}

function countAllTokens({ drafts }: DemoReply): number {
  return drafts.reduce((sum, draft) => sum + countTokens(draft), 0);
}

function demoFailureError(): HttpError {
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
 * Chooses the pace. Without `tokensPerSecond`, it is the pace of a real model: 150 to 400 ms to the first token, then
 * 80 to 120 tokens per second.
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
    const remainingMs = start + due - performance.now();
    // Timers have a resolution of 1 ms. An overdue item is sent at once.
    if (remainingMs >= 1) await wait(remainingMs, undefined, { signal });
    signal.throwIfAborted();
    yield item;
    due += pace.tokenMs * (0.5 + random());
  }
}
