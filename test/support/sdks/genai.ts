import {
  type CallableTool,
  type GenerateContentResponse,
  GoogleGenAI,
  type Interactions,
} from '@google/genai';
import {
  createWeatherReporter,
  demoChat,
  type Sdk,
  type SdkQuestion,
  type SdkTarget,
  weather,
} from './sdk.ts';

export function createGenaiClient({ baseUrl, credential, retries = 0 }: SdkTarget): GoogleGenAI {
  const retryOptions = { attempts: 1 + retries };
  return new GoogleGenAI({ apiKey: credential, httpOptions: { baseUrl, retryOptions } });
}

export function createContentSdk(target: SdkTarget): Sdk {
  const { models } = createGenaiClient(target);
  const createRequest = ({ text, model = demoChat, signal }: SdkQuestion) => ({
    model,
    contents: text,
    config: { abortSignal: signal },
  });
  return {
    name: '@google/genai, content generation',

    async list() {
      const names: string[] = [];
      for await (const { name } of await models.list({ config: { pageSize: 2 } })) names.push(name ?? '');
      return names.map((name) => name.replace(/^models\//, ''));
    },

    read: async (id) => (await models.get({ model: id })).name?.replace(/^models\//, ''),

    sendQuestion: async (question) => (await models.generateContent(createRequest(question))).text ?? '',

    async *stream(question) {
      for await (const { text } of await models.generateContentStream(createRequest(question)))
        yield text ?? '';
    },

    async useTool(text, isStreamed) {
      const { cities, report } = createWeatherReporter();
      const { name, description, schema } = weather;
      const tool: CallableTool = {
        tool: async () => ({
          functionDeclarations: [{ name, description, parametersJsonSchema: schema }],
        }),
        callTool: async (calls) =>
          calls.map((call) => ({
            functionResponse: { id: call.id, name, response: { output: report(call.args ?? {}) } },
          })),
      };
      const question = { model: demoChat, contents: text, config: { tools: [tool] } };
      if (!isStreamed) return { text: readText(await models.generateContent(question)), cities };
      let replyText = '';
      for await (const part of await models.generateContentStream(question)) replyText += readText(part);
      return { text: replyText, cities };
    },

    async draw(text, isStreamed) {
      const question = createRequest({ text });
      if (!isStreamed) return readPictures(await models.generateContent(question));
      const found: string[] = [];
      for await (const part of await models.generateContentStream(question))
        found.push(...readPictures(part));
      return found;
    },

    countTokens: async (text) => (await models.countTokens({ model: demoChat, contents: text })).totalTokens,
  };
}

function listParts({ candidates = [] }: GenerateContentResponse) {
  return candidates.flatMap(({ content }) => content?.parts ?? []);
}

/** The package's own `text` warns about parts that contain a call. */
function readText(response: GenerateContentResponse): string {
  return listParts(response)
    .map(({ text, thought }) => (thought ? '' : (text ?? '')))
    .join('');
}

function readPictures(response: GenerateContentResponse): readonly string[] {
  return listParts(response).flatMap(({ inlineData }) => inlineData?.data ?? []);
}

export function createInteractionsSdk(target: SdkTarget): Sdk {
  const { interactions } = createGenaiClient(target);
  const createRequest = ({ text, model = demoChat }: Pick<SdkQuestion, 'text' | 'model'>) => ({
    model,
    input: text,
  });

  async function* readEvents(question: SdkQuestion) {
    const options = { signal: question.signal };
    yield* await interactions.create({ ...createRequest(question), stream: true }, options);
  }

  return {
    name: '@google/genai, interactions',

    sendQuestion: async (question) => (await interactions.create(createRequest(question))).output_text ?? '',

    async *stream(question) {
      for await (const event of readEvents(question)) {
        if (event.event_type === 'step.delta' && event.delta.type === 'text') yield event.delta.text ?? '';
      }
    },

    async useTool(text, isStreamed) {
      const { cities, report } = createWeatherReporter();
      const { name, description, schema } = weather;
      const tools = [{ type: 'function' as const, name, description, parameters: schema }];
      const input: Interactions.Step[] = [{ type: 'user_input', content: [{ type: 'text', text }] }];
      for (;;) {
        const question = { model: demoChat, input, tools };
        const { steps, replyText } = isStreamed
          ? await collectStream(await interactions.create({ ...question, stream: true }))
          : await interactions
              .create(question)
              .then(({ steps, output_text }) => ({ steps, replyText: output_text }));
        const calls = (steps ?? []).filter((step) => step.type === 'function_call');
        if (calls.length === 0) return { text: replyText ?? '', cities };
        for (const call of calls) {
          const result = report(call.arguments as { city?: string });
          input.push(call, { type: 'function_result', call_id: call.id, name, result });
        }
      }
    },

    async draw(text, isStreamed) {
      if (!isStreamed) {
        const { output_image } = await interactions.create(createRequest({ text }));
        return [output_image?.data ?? ''];
      }
      const found: string[] = [];
      for await (const event of readEvents({ text })) {
        if (event.event_type === 'step.delta' && event.delta.type === 'image')
          found.push(event.delta.data ?? '');
      }
      return found;
    },
  };
}

/** Collects the function calls of a stream, and its text. */
async function collectStream(stream: AsyncIterable<Interactions.InteractionSSEEvent>) {
  const steps = new Map<number, Interactions.FunctionCallStep>();
  const json = new Map<number, string>();
  let replyText = '';
  for await (const event of stream) {
    if (event.event_type === 'step.start' && event.step.type === 'function_call')
      steps.set(event.index, event.step);
    if (event.event_type !== 'step.delta') continue;
    if (event.delta.type === 'text') replyText += event.delta.text ?? '';
    if (event.delta.type === 'arguments_delta')
      json.set(event.index, (json.get(event.index) ?? '') + (event.delta.arguments ?? ''));
  }
  const calls = [...steps].map(([index, step]) => ({
    ...step,
    arguments: JSON.parse(json.get(index) ?? '{}') as Record<string, unknown>,
  }));
  return { steps: calls, replyText };
}
