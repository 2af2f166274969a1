import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import type { ChatResult, OnEvents } from '../../src/client/types.ts';
import { BareParts } from './bareParts.ts';

/** Reads one stream with this many texts and returns the number of texts that it found. */
export type ReadStream = (texts: number) => Promise<number>;

/** Readers of streams in one format. Each loads its client only when it is created. */
interface FormatReaders {
  readonly client: (baseUrl: string) => ReadStream;
  /** undici, eventsource-parser and `JSON.parse`. */
  readonly bareParts: (baseUrl: string) => ReadStream;
  readonly peer: (baseUrl: string) => Promise<ReadStream>;
}

export type ReaderName = keyof FormatReaders;

const model = 'bench-model';
const credential = 'bench-credential-of-usual-length-0123456789';

type Send = (
  client: ReturnType<typeof createGatewayClient>,
  count: number,
  on: OnEvents,
) => Promise<ChatResult>;

function withClient(send: Send): FormatReaders['client'] {
  return (baseUrl) => {
    // As the extension creates it. Transcripts are recorded, and the credential is long enough to be searched for.
    const client = createGatewayClient({
      baseUrl,
      credential: async () => credential,
      onExchange: () => {},
      recordsTranscripts: true,
    });
    return async (expected) => {
      let texts = 0;
      const { outcome } = await send(client, expected + 1, (events) => {
        for (const event of events) if (event.type === 'text') texts++;
      });
      if (outcome.kind !== 'complete') throw new Error(outcome.kind);
      return texts;
    };
  };
}

function withBareParts(
  path: string,
  body: (count: number) => object,
  hasText: (data: string) => boolean,
): FormatReaders['bareParts'] {
  return (baseUrl) => {
    const parts = new BareParts();
    return (texts) => parts.stream(baseUrl + path, body(texts + 1), hasText);
  };
}

const question = [{ role: 'user' as const, content: 'go' }];

const chatBody = (max_tokens: number) => ({ model, max_tokens, messages: question, stream: true as const });
const contents = [{ role: 'user' as const, parts: [{ text: 'go' }] }];
const responsesBody = (max_output_tokens: number) => ({
  model,
  max_output_tokens,
  input: 'go',
  stream: true as const,
});
const interactionsBody = (max_output_tokens: number) => ({
  model,
  input: 'go',
  stream: true as const,
  generation_config: { max_output_tokens },
});

async function createOpenai(baseUrl: string) {
  const { OpenAI } = await import('openai');
  return new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: credential });
}

async function createGenai(baseUrl: string) {
  const { GoogleGenAI } = await import('@google/genai');
  return new GoogleGenAI({ apiKey: credential, httpOptions: { baseUrl } });
}

/** By the name of the format. */
export const streamReaders = {
  'chat completions': {
    client: withClient((client, count, onEvents) => client.chatCompletions(chatBody(count), onEvents)),
    bareParts: withBareParts(
      '/v1/chat/completions',
      chatBody,
      (data) => data !== '[DONE]' && Boolean(JSON.parse(data).choices[0]?.delta?.content),
    ),
    peer: async (baseUrl) => {
      const openai = await createOpenai(baseUrl);
      return async (expected) => {
        let texts = 0;
        for await (const chunk of await openai.chat.completions.create(chatBody(expected + 1)))
          if (chunk.choices[0]?.delta.content) texts++;
        return texts;
      };
    },
  },
  messages: {
    client: withClient((client, count, onEvents) => client.messages(chatBody(count), onEvents)),
    bareParts: withBareParts('/v1/messages', chatBody, (data) => Boolean(JSON.parse(data).delta?.text)),
    peer: async (baseUrl) => {
      const { Anthropic } = await import('@anthropic-ai/sdk');
      const anthropic = new Anthropic({ baseURL: baseUrl, apiKey: credential });
      return async (expected) => {
        let texts = 0;
        for await (const event of await anthropic.messages.create(chatBody(expected + 1)))
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') texts++;
        return texts;
      };
    },
  },
  responses: {
    client: withClient((client, count, onEvents) => client.responses(responsesBody(count), onEvents)),
    bareParts: withBareParts(
      '/v1/responses',
      responsesBody,
      (data) => JSON.parse(data).type === 'response.output_text.delta',
    ),
    peer: async (baseUrl) => {
      const openai = await createOpenai(baseUrl);
      return async (expected) => {
        let texts = 0;
        for await (const event of await openai.responses.create(responsesBody(expected + 1)))
          if (event.type === 'response.output_text.delta') texts++;
        return texts;
      };
    },
  },
  'content generation': {
    client: withClient((client, count, onEvents) =>
      client.streamGenerateContent(
        model,
        { contents, generationConfig: { maxOutputTokens: count } },
        onEvents,
      ),
    ),
    bareParts: withBareParts(
      `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      (count) => ({ contents, generationConfig: { maxOutputTokens: count } }),
      (data) => Boolean(JSON.parse(data).candidates[0]?.content?.parts[0]?.text),
    ),
    peer: async (baseUrl) => {
      const { models } = await createGenai(baseUrl);
      return async (expected) => {
        let texts = 0;
        const config = { maxOutputTokens: expected + 1 };
        for await (const chunk of await models.generateContentStream({ model, contents, config }))
          if (chunk.candidates?.[0]?.content?.parts?.[0]?.text) texts++;
        return texts;
      };
    },
  },
  interactions: {
    client: withClient((client, count, onEvents) => client.interactions(interactionsBody(count), onEvents)),
    bareParts: withBareParts(
      '/v1beta/interactions',
      interactionsBody,
      (data) => data !== '[DONE]' && Boolean(JSON.parse(data).delta?.text),
    ),
    peer: async (baseUrl) => {
      const { interactions } = await createGenai(baseUrl);
      return async (expected) => {
        let texts = 0;
        for await (const event of await interactions.create(interactionsBody(expected + 1)))
          if (event.event_type === 'step.delta' && event.delta?.type === 'text') texts++;
        return texts;
      };
    },
  },
} as const satisfies Readonly<Record<string, FormatReaders>>;

export type FormatName = keyof typeof streamReaders;
