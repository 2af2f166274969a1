import { randomUUID } from 'node:crypto';
import { abortSignalOf } from '../../../base/cancellation.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { servedFormats } from '../../../wire/apis/servedFormats.ts';
import { textFormats } from '../../../wire/apis/textFormats.ts';
import { type HttpError, invalidRequest } from '../../http/httpError.ts';
import { readBody } from '../../http/readBody.ts';
import { unknownModel } from '../../models/catalogue.ts';
import type { CheckedRequest, Upstream, UpstreamCall, UpstreamReply } from '../../upstreams/upstream.ts';
import { demoName } from '../../upstreams/upstreamFields.ts';
import { readConversation } from '../conversation.ts';
import { restOfReply, type Writer, writeDraft } from '../draft.ts';
import { choosePace } from '../pace.ts';
import { seededRandom } from '../seededRandom.ts';
import { readSimulatedFault, requestedFailure } from '../simulatedFaults.ts';
import { understoodRequest } from '../understoodRequest.ts';
import { readClip } from '../video/clips.ts';
import { planVideo } from '../video/planVideo.ts';
import { streamReply, wholeReply } from './reply.ts';

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

export interface DemoOptions {
  /** Tokens per second; 0 means no delay, absent means the pace of a real model. */
  readonly tokensPerSecond?: number;
  /** The folder of the demo clips. */
  readonly clips: string;
}

/**
 * Creates the demo upstream. It answers about what was sent, without account or network. The same request
 * brings the same reply but for id and time.
 */
export function demoUpstream({ tokensPerSecond, clips }: DemoOptions): Upstream {
  return {
    name: demoName,
    formatsOf: (model) => (model === videoModel ? [] : textFormats.map(({ id }) => id)),
    tasks: {},
    listModels: async () => models,
    countTokens(question) {
      requireWriter(question);
      return {
        tokens: readConversation(understoodRequest(question.request, question.servedModel).prompt)
          .promptTokens,
        note: 'An estimate of the demo, by four bytes a token. No model was asked.',
      };
    },
    send: (call) => answer(call, tokensPerSecond),
    video: {
      models: [videoModel],
      plan: planVideo,
      read: (result) => readClip(clips, result),
    },
    close: async () => {},
    drain: async () => {},
  };
}

async function answer(call: UpstreamCall, tokensPerSecond: number | undefined): Promise<UpstreamReply> {
  const { model, servedModel, requestId, signal } = call;
  requireWriter(call);
  const request = understoodRequest(checked(call), servedModel);
  const { prompt } = request;
  const conversation = readConversation(prompt);
  const rest = restOfReply(prompt, writersFor(servedModel, model));
  const asked = readSimulatedFault(conversation.question);
  // The rest of a reply that was cut for its question comes whole.
  const fault = rest && asked?.kind !== 'slow' ? undefined : asked;
  if (fault?.kind === 'status') throw requestedFailure(fault.status, 'the question');

  const draft = (choice: number) =>
    writeDraft(prompt, conversation, choice, model === 'reasoning' && prompt.thinking);
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
  return request.streamed ? streamReply(plan) : wholeReply(plan);
}

/** The model that is asked comes first: it may go on with what the other one began. */
function writersFor(servedModel: string, model: string): readonly Writer[] {
  const prefix = servedModel.slice(0, servedModel.length - model.length);
  return [model, ...textModels]
    .map((each) => ({ model: prefix + each, reasons: each === 'reasoning' }))
    .flatMap((writer) => (writer.reasons ? [writer, { ...writer, reasons: false }] : [writer]));
}

function requireWriter({ model, servedModel }: Pick<UpstreamCall, 'model' | 'servedModel'>): void {
  if (!models.some(({ id }) => id === model)) throw unknownModel(servedModel);
  if (model === videoModel) throw writesNothing(servedModel);
}

/** @throws {HttpError} 400 for what a demo model cannot take */
function checked({ request, body: { bytes, depth } }: UpstreamCall): CheckedRequest {
  if (depth > maxDepth)
    throw invalidRequest(`The body is nested deeper than ${maxDepth} levels.`, 'invalid_json');
  return { ...request, body: readBody(bytes, servedFormats[request.format].schema) };
}

function writesNothing(model: string): HttpError {
  return invalidRequest(
    `${model} makes videos and writes no text. Ask it for one, on POST /v1beta/interactions with ` +
      `response_format.type "video" or on the video synthesis route, or choose ${demoName}/chat.`,
    'unsupported_model',
    'model',
  );
}
