import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { demoChat, type Sdk, type SdkQuestion, type SdkTarget, weather, weatherReporter } from './sdk.ts';

function anthropicClient({ baseUrl, credential, retries = 0 }: SdkTarget): Anthropic {
  return new Anthropic({ baseURL: baseUrl, apiKey: credential, maxRetries: retries });
}

export function anthropicMessages(target: SdkTarget): Sdk {
  const client = anthropicClient(target);
  const body = ({ text, model = demoChat }: Pick<SdkQuestion, 'text' | 'model'>) => ({
    model,
    max_tokens: 10_000,
    messages: [{ role: 'user' as const, content: text }],
  });
  const textIn = (content: readonly { readonly type: string }[]) =>
    content.map((block) => ('text' in block ? block.text : '')).join('');
  return {
    name: '@anthropic-ai/sdk, messages',

    async list() {
      const ids: string[] = [];
      for await (const { id } of client.models.list({ limit: 2 })) ids.push(id);
      return ids;
    },

    read: async (id) => (await client.models.retrieve(id)).id,

    async ask(question) {
      return textIn((await client.messages.create(body(question))).content);
    },

    async *stream(question) {
      for await (const event of client.messages.stream(body(question), { signal: question.signal })) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text;
      }
    },

    async useTool(text, streamed) {
      const { cities, report } = weatherReporter();
      const { name, description, schema } = weather;
      const tools = [betaTool({ name, description, inputSchema: schema, run: report })];
      const request = { ...body({ text }), tools };
      const runner = client.beta.messages.toolRunner({ ...request, stream: streamed });
      return { text: textIn((await runner.runUntilDone()).content), cities };
    },

    async countTokens(text) {
      const { model, messages } = body({ text });
      return (await client.messages.countTokens({ model, messages })).input_tokens;
    },
  };
}
