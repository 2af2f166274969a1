import { randomUUID } from 'node:crypto';
import { chatCompletionsRequest } from '../../wire/apis/chatCompletions/request.ts';
import { contentGenerationRequest } from '../../wire/apis/contentGeneration/request.ts';
import { interactionsRequest } from '../../wire/apis/interactions/request.ts';
import { messagesRequest } from '../../wire/apis/messages/request.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { responsesRequest } from '../../wire/apis/responses/request.ts';
import { demoName, unknownModel } from '../catalogue.ts';
import { type HttpError, invalidRequest } from '../httpError.ts';
import { readBody } from '../readBody.ts';
import type {
  ShapedRequest,
  TokenQuestion,
  Upstream,
  UpstreamCall,
  UpstreamReply,
} from '../upstreams/upstream.ts';
import { readConversation } from './conversation.ts';
import { writeDraft } from './draft.ts';
import { choosePace } from './pace.ts';
import { streamReply, wholeReply } from './reply.ts';
import { diceFor } from './seededRandom.ts';
import { chatCompletions } from './shapes/chatCompletions.ts';
import { contentGeneration } from './shapes/contentGeneration.ts';
import { interactions } from './shapes/interactions.ts';
import { messages } from './shapes/messages.ts';
import { responses } from './shapes/responses.ts';
import type { DemoShape } from './shapes/shape.ts';
import { readMishap } from './simulatedFaults.ts';
import { readClip } from './video/clips.ts';
import { planVideo } from './video/planVideo.ts';
import { wantedFailure } from './wantedFailure.ts';

const videoModel = 'video';
/** Replies repeat parts of their requests, and JSON.stringify runs out of stack on deeper ones. */
const mostDepth = 500;

const models: readonly Model[] = ['chat', 'reasoning', videoModel].map((id) => ({
  id,
  owner: 'demo',
  created: 1_767_225_600,
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
    shapes: ['chat', 'content-generation', 'interactions', 'messages', 'responses'],
    listModels: async () => models,
    countTokens(question) {
      requireWriter(question);
      return {
        tokens: readConversation(shapeOf(question).prompt).promptTokens,
        note: 'An estimate of the demo, by four bytes a token. No model was asked.',
      };
    },
    send: (call) => answer(call, tokensPerSecond),
    video: {
      models: [videoModel],
      order: planVideo,
      read: (result) => readClip(clips, result),
    },
    close: async () => {},
  };
}

async function answer(call: UpstreamCall, tokensPerSecond: number | undefined): Promise<UpstreamReply> {
  const { model, servedModel, requestId, signal } = call;
  requireWriter(call);
  const shape = shapeOf({ request: checked(call), servedModel });
  const { prompt } = shape;
  const conversation = readConversation(prompt);
  const mishap = readMishap(conversation.question);
  if (mishap?.kind === 'status') throw wantedFailure(mishap.status, 'the question');

  const draft = (choice: number) =>
    writeDraft(prompt, conversation, choice, model === 'reasoning' && prompt.thinking);
  const others = Array.from({ length: prompt.choices - 1 }, (_, i) => draft(i + 1));
  const dice = diceFor(conversation.fingerprint);
  const plan = {
    reply: {
      id: randomUUID(),
      createdAt: new Date(),
      requestId,
      model: servedModel,
      drafts: [draft(0), ...others],
      promptTokens: conversation.promptTokens,
    },
    shape,
    pace: choosePace(dice, mishap?.kind === 'slow' ? 4 : tokensPerSecond),
    dice,
    mishap: mishap?.kind,
    signal,
  } as const;
  return shape.streamed ? streamReply(plan) : wholeReply(plan);
}

function requireWriter({ model, servedModel }: Pick<UpstreamCall, 'model' | 'servedModel'>): void {
  if (!models.some(({ id }) => id === model)) throw unknownModel(servedModel);
  if (model === videoModel) throw writesNothing(servedModel);
}

/** @throws {HttpError} 400 for what a demo model cannot take */
function checked({ request, body: { bytes, depth } }: UpstreamCall): ShapedRequest {
  if (depth > mostDepth)
    throw invalidRequest(`The body is nested deeper than ${mostDepth} levels.`, 'invalid_json');
  const { shape } = request;
  switch (shape) {
    case 'chat':
      return { shape, body: readBody(bytes, chatCompletionsRequest) };
    case 'content-generation':
      return { shape, body: readBody(bytes, contentGenerationRequest), framing: request.framing };
    case 'interactions':
      return { shape, body: readBody(bytes, interactionsRequest) };
    case 'messages':
      return { shape, body: readBody(bytes, messagesRequest) };
    case 'responses':
      return { shape, body: readBody(bytes, responsesRequest) };
  }
}

function shapeOf({ request, servedModel }: Pick<TokenQuestion, 'request' | 'servedModel'>): DemoShape {
  switch (request.shape) {
    case 'chat':
      return chatCompletions(request.body);
    case 'content-generation':
      return contentGeneration(servedModel, request.body, request.framing);
    case 'interactions':
      return interactions(servedModel, request.body);
    case 'messages':
      return messages(request.body);
    case 'responses':
      return responses(request.body);
  }
}

function writesNothing(model: string): HttpError {
  return invalidRequest(
    `${model} makes videos and writes no text. Ask it for one, on POST /v1beta/interactions with ` +
      `response_format.type "video" or on the video synthesis route, or choose ${demoName}/chat.`,
    'unsupported_model',
    'model',
  );
}
