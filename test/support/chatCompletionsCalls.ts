import type { ChatCompletion, ChatCompletionChunk } from '../../src/wire/apis/chatCompletions/schema.ts';
import type { RunningGateway } from './gatewayProcess.ts';

export interface SentChat {
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request to /v1/chat/completions as any program would. */
export function postChat(gateway: RunningGateway, { body, headers, signal }: SentChat): Promise<Response> {
  return fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.credential}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  });
}

export function getModels(
  gateway: RunningGateway,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${gateway.baseUrl}/v1/models`, {
    headers: { authorization: `Bearer ${gateway.credential}`, ...headers },
  });
}

/** Creates the body of a question to the plain demo model, with further fields. */
export function createChatBody(question: string, fields: object = {}): object {
  return { model: 'demo/chat', messages: [{ role: 'user', content: question }], ...fields };
}

/** Returns the data of each event of a finished stream, `[DONE]` included. */
export function splitEvents(stream: string): readonly string[] {
  return stream
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace(/^data: /, ''));
}

export function parseChunks(stream: string): readonly ChatCompletionChunk[] {
  return splitEvents(stream)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as ChatCompletionChunk);
}

export function joinChunkTexts(stream: string, choice = 0): string {
  return parseChunks(stream)
    .flatMap(({ choices }) => choices)
    .filter(({ index }) => index === choice)
    .map(({ delta }) => delta.content ?? '')
    .join('');
}

export async function readCompletion(response: Response): Promise<ChatCompletion> {
  return (await response.json()) as ChatCompletion;
}
