import OpenAI from 'openai';
import {
  createWeatherReporter,
  demoChat,
  type Sdk,
  type SdkQuestion,
  type SdkTarget,
  weather,
} from './sdk.ts';

export function createOpenaiClient({ baseUrl, credential, retries = 0 }: SdkTarget): OpenAI {
  return new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: credential, maxRetries: retries });
}

export function createChatSdk(target: SdkTarget): Sdk {
  const client = createOpenaiClient(target);
  const createBody = ({ text, model = demoChat }: Pick<SdkQuestion, 'text' | 'model'>) => ({
    model,
    messages: [{ role: 'user' as const, content: text }],
  });
  return {
    name: 'openai, chat completions',
    list: () => listModels(client),
    read: async (id) => (await client.models.retrieve(id)).id,

    async sendQuestion(question) {
      const { choices } = await client.chat.completions.create(createBody(question));
      return choices[0]?.message.content ?? '';
    },

    async *stream(question) {
      const options = { signal: question.signal };
      const chunks = await client.chat.completions.create({ ...createBody(question), stream: true }, options);
      for await (const { choices } of chunks) yield choices[0]?.delta.content ?? '';
    },

    async useTool(text, isStreamed) {
      const { cities, report } = createWeatherReporter();
      const { name, description, schema } = weather;
      const described = { name, description, parameters: schema, parse: JSON.parse, function: report };
      const tools = [{ type: 'function' as const, function: described }];
      const runner = isStreamed
        ? client.chat.completions.runTools({ ...createBody({ text }), tools, stream: true })
        : client.chat.completions.runTools({ ...createBody({ text }), tools });
      return { text: (await runner.finalContent()) ?? '', cities };
    },

    // The package's types do not include pictures here, but gateways send them.
    async draw(text, isStreamed) {
      if (!isStreamed) {
        const { choices } = await client.chat.completions.create(createBody({ text }));
        return readPictures(choices[0]?.message);
      }
      const chunks = await client.chat.completions.create({ ...createBody({ text }), stream: true });
      const found: string[] = [];
      for await (const { choices } of chunks) found.push(...readPictures(choices[0]?.delta));
      return found;
    },
  };
}

export function createResponsesSdk(target: SdkTarget): Sdk {
  const client = createOpenaiClient(target);
  const createBody = ({ text, model = demoChat }: Pick<SdkQuestion, 'text' | 'model'>) => ({
    model,
    input: text,
  });
  return {
    name: 'openai, responses',
    list: () => listModels(client),

    async sendQuestion(question) {
      return (await client.responses.create(createBody(question))).output_text;
    },

    async *stream(question) {
      const options = { signal: question.signal };
      const events = await client.responses.create({ ...createBody(question), stream: true }, options);
      for await (const event of events) if (event.type === 'response.output_text.delta') yield event.delta;
    },

    async useTool(text, isStreamed) {
      const { cities, report } = createWeatherReporter();
      const { name, description, schema } = weather;
      const tools = [{ type: 'function' as const, name, description, parameters: schema, strict: true }];
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: text }];
      for (;;) {
        const request = { model: demoChat, input, tools };
        const { output, output_text } = isStreamed
          ? await client.responses.stream(request).finalResponse()
          : await client.responses.create(request);
        const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
        if (calls.length === 0) return { text: output_text, cities };
        for (const call of calls) {
          const { call_id } = call;
          const result = report(JSON.parse(call.arguments));
          input.push(call, { type: 'function_call_output', call_id, output: result });
        }
      }
    },

    async draw(text, isStreamed) {
      const { output } = isStreamed
        ? await client.responses.stream(createBody({ text })).finalResponse()
        : await client.responses.create(createBody({ text }));
      return output.flatMap((item) => (item.type === 'image_generation_call' ? (item.result ?? []) : []));
    },

    async countTokens(text) {
      return (await client.responses.inputTokens.count(createBody({ text }))).input_tokens;
    },
  };
}

async function listModels(client: OpenAI): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of client.models.list()) ids.push(id);
  return ids;
}

function readPictures(message: unknown): readonly string[] {
  const { images = [] } = message as { images?: readonly { image_url: { url: string } }[] };
  return images.map(({ image_url }) => image_url.url.replace('data:image/png;base64,', ''));
}
