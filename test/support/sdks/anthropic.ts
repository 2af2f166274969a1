import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import {
  createWeatherReporter,
  demoChat,
  type Sdk,
  type SdkQuestion,
  type SdkTarget,
  weather,
} from './sdk.ts';

function createAnthropicClient({ baseUrl, credential, retries = 0 }: SdkTarget): Anthropic {
  return new Anthropic({ baseURL: baseUrl, apiKey: credential, maxRetries: retries });
}

export function createMessagesSdk(target: SdkTarget): Sdk {
  const client = createAnthropicClient(target);
  const createBody = ({ text, model = demoChat }: Pick<SdkQuestion, 'text' | 'model'>) => ({
    model,
    max_tokens: 10_000,
    messages: [{ role: 'user' as const, content: text }],
  });
  const readText = (content: readonly { readonly type: string }[]) =>
    content.map((block) => ('text' in block ? block.text : '')).join('');
  return {
    name: '@anthropic-ai/sdk, messages',

    async list() {
      const ids: string[] = [];
      for await (const { id } of client.models.list({ limit: 2 })) ids.push(id);
      return ids;
    },

    read: async (id) => (await client.models.retrieve(id)).id,

    async sendQuestion(question) {
      return readText((await client.messages.create(createBody(question))).content);
    },

    async *stream(question) {
      for await (const event of client.messages.stream(createBody(question), { signal: question.signal })) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text;
      }
    },

    async useTool(text, isStreamed) {
      const { cities, report } = createWeatherReporter();
      const { name, description, schema } = weather;
      const tools = [betaTool({ name, description, inputSchema: schema, run: report })];
      const request = { ...createBody({ text }), tools };
      const runner = client.beta.messages.toolRunner({ ...request, stream: isStreamed });
      return { text: readText((await runner.runUntilDone()).content), cities };
    },

    async countTokens(text) {
      const { model, messages } = createBody({ text });
      return (await client.messages.countTokens({ model, messages })).input_tokens;
    },
  };
}
