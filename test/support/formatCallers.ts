import { ChatCompletionsDecoder } from '../../src/wire/apis/chatCompletions/readReply.ts';
import { encodeChatCompletions } from '../../src/wire/apis/chatCompletions/writeRequest.ts';
import { ContentGenerationDecoder } from '../../src/wire/apis/contentGeneration/readReply.ts';
import { encodeContentGeneration } from '../../src/wire/apis/contentGeneration/writeRequest.ts';
import { InteractionsDecoder } from '../../src/wire/apis/interactions/readReply.ts';
import { encodeInteractions } from '../../src/wire/apis/interactions/writeRequest.ts';
import { MessagesDecoder } from '../../src/wire/apis/messages/readReply.ts';
import { encodeMessages } from '../../src/wire/apis/messages/writeRequest.ts';
import { ResponsesDecoder } from '../../src/wire/apis/responses/readReply.ts';
import { encodeResponses } from '../../src/wire/apis/responses/writeRequest.ts';
import type { ChatEvent, Usage } from '../../src/wire/chatEvent.ts';
import type { Message } from '../../src/wire/message.ts';
import type { Conclusion, FormatDecoder } from '../../src/wire/stream/decodedReply.ts';
import { ReplyDecoder } from '../../src/wire/stream/replyDecoder.ts';
import type { RunningGateway } from './gatewayProcess.ts';

/** A question to a model, independent of an API format. */
export interface Question {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly maxTokens?: number;
  /** Additional fields of the format. */
  readonly fields?: object;
}

/** Builds requests and reads replies of one format, as a program does. */
export interface FormatCaller {
  readonly name: string;
  readonly credentialHeader: string;
  getPath(question: Question): string;
  createBody(question: Question): object;
  createDecoder(): FormatDecoder;
}

export const chatCompletionsCaller: FormatCaller = {
  name: 'chat completions',
  credentialHeader: 'authorization',
  getPath: () => '/v1/chat/completions',
  createBody: ({ model, messages, stream, maxTokens }) => ({
    model,
    ...encodeChatCompletions(messages).body,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    max_tokens: maxTokens,
  }),
  createDecoder: () => new ChatCompletionsDecoder(),
};

const createGenerationCaller = (query: string) => ({
  credentialHeader: 'x-goog-api-key',
  getPath: ({ model, stream }: Question) => {
    const path = `/v1beta/models/${encodeURIComponent(model)}`;
    return stream ? `${path}:streamGenerateContent${query}` : `${path}:generateContent`;
  },
  createBody: ({ messages, maxTokens }: Question) => ({
    ...encodeContentGeneration(messages).body,
    generationConfig: { maxOutputTokens: maxTokens },
  }),
  createDecoder: () => new ContentGenerationDecoder(),
});

export const generationEventsCaller: FormatCaller = {
  name: 'content generation as events',
  ...createGenerationCaller('?alt=sse'),
};

export const generationArrayCaller: FormatCaller = {
  name: 'content generation as an array',
  ...createGenerationCaller(''),
};

export const interactionsCaller: FormatCaller = {
  name: 'interactions',
  credentialHeader: 'x-goog-api-key',
  getPath: () => '/v1beta/interactions',
  createBody: ({ model, messages, stream, maxTokens }) => ({
    model,
    ...encodeInteractions(messages).body,
    stream,
    generation_config: { max_output_tokens: maxTokens },
  }),
  createDecoder: () => new InteractionsDecoder(),
};

export const messagesCaller: FormatCaller = {
  name: 'messages',
  credentialHeader: 'x-api-key',
  getPath: () => '/v1/messages',
  createBody: ({ model, messages, stream, maxTokens = 100_000 }) => ({
    model,
    ...encodeMessages(messages).body,
    stream,
    max_tokens: maxTokens,
  }),
  createDecoder: () => new MessagesDecoder(),
};

export const responsesCaller: FormatCaller = {
  name: 'responses',
  credentialHeader: 'authorization',
  getPath: () => '/v1/responses',
  createBody: ({ model, messages, stream, maxTokens }) => ({
    model,
    ...encodeResponses(messages).body,
    stream,
    max_output_tokens: maxTokens,
  }),
  createDecoder: () => new ResponsesDecoder(),
};

export const formatCallers: readonly FormatCaller[] = [
  chatCompletionsCaller,
  generationEventsCaller,
  generationArrayCaller,
  interactionsCaller,
  messagesCaller,
  responsesCaller,
];

export function createQuestion(text: string, more: Partial<Question> = {}): Question {
  const messages: readonly Message[] = [{ role: 'user', parts: [{ type: 'text', text }] }];
  return { model: 'demo/chat', messages, stream: false, ...more };
}

export interface SentPost {
  readonly path: string;
  readonly body: object | string;
  readonly credentialHeader?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function post(
  { baseUrl, credential }: RunningGateway,
  { path, body, credentialHeader = 'authorization', headers }: SentPost,
): Promise<Response> {
  const value = credentialHeader === 'authorization' ? `Bearer ${credential}` : credential;
  return fetch(baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [credentialHeader]: value, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function sendQuestion(
  gateway: RunningGateway,
  caller: FormatCaller,
  question: Question,
): Promise<Response> {
  const { credentialHeader } = caller;
  const body = { ...caller.createBody(question), ...question.fields };
  return post(gateway, { path: caller.getPath(question), body, credentialHeader });
}

/** A reply as the project's own decoder of the format reads it. */
export interface ReadReply {
  readonly text: string;
  readonly reasoning: string;
  readonly usage: Usage | undefined;
  readonly finish: string | undefined;
  readonly conclusion: Conclusion;
  /** The pieces of the text. */
  readonly pieces: readonly string[];
  /** Complete calls, in the order of their start. */
  readonly calls: readonly ReadCall[];
  readonly media: readonly Extract<ChatEvent, { type: 'media' }>[];
}

export interface ReadCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Reads a reply to its end, or to the place where it is cut. */
export async function readReply(response: Response, caller: FormatCaller): Promise<ReadReply> {
  // A program shows tags in the text as they are.
  const decoder = new ReplyDecoder(caller.createDecoder(), 'none');
  const events: ChatEvent[] = [];
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    events.push(...decoder.write(next.value));
  }
  events.push(...decoder.flush());
  return summarize(events, decoder.conclude());
}

function summarize(events: readonly ChatEvent[], conclusion: Conclusion): ReadReply {
  const pieces = events.flatMap((event) => (event.type === 'text' ? event.text : []));
  return {
    text: pieces.join(''),
    reasoning: events.flatMap((event) => (event.type === 'reasoning' ? event.text : [])).join(''),
    usage: events.findLast((event) => event.type === 'usage')?.usage,
    finish: events.find((event) => event.type === 'finish')?.reason,
    conclusion,
    pieces,
    calls: collectCalls(events),
    media: events.filter((event) => event.type === 'media'),
  };
}

function collectCalls(events: readonly ChatEvent[]): readonly ReadCall[] {
  const calls = new Map<number, ReadCall>();
  for (const event of events) {
    if (event.type !== 'toolCall') continue;
    const { id = '', name = '', arguments: before = '' } = calls.get(event.index) ?? {};
    calls.set(event.index, {
      id: event.id ?? id,
      name: event.name ?? name,
      arguments: before + (event.arguments ?? ''),
    });
  }
  return [...calls.values()];
}
