import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, type LanguageModel, streamText, tool } from 'ai';
import { createWeatherReporter, demoChat, type Sdk, type SdkTarget, weather } from './sdk.ts';

export function createGoogleProvider({ baseUrl, credential }: SdkTarget) {
  return createGoogle({ baseURL: `${baseUrl}/v1beta`, apiKey: credential });
}

/** Creates SDKs of the `ai` package, one with each of its providers. */
export function createAiSdks(target: SdkTarget): readonly Sdk[] {
  const google = createGoogleProvider(target);
  const compatible = createOpenAICompatible({
    name: 'gateway',
    baseURL: `${target.baseUrl}/v1`,
    apiKey: target.credential,
    includeUsage: true,
  });
  const direct = { baseURL: `${target.baseUrl}/v1`, apiKey: target.credential };
  const anthropic = createAnthropic(direct);
  const openai = createOpenAI(direct);
  return [
    createPicturelessSdk('ai, @ai-sdk/openai-compatible', target, (id) => compatible(id)),
    createAiSdk('ai, @ai-sdk/google', target, (id) => google(id)),
    createAiSdk('ai, interactions of @ai-sdk/google', target, (id) => google.interactions(id)),
    createPicturelessSdk('ai, @ai-sdk/anthropic', target, (id) => anthropic(id)),
    createPicturelessSdk('ai, @ai-sdk/openai', target, (id) => openai(id)),
    createPicturelessSdk('ai, chat of @ai-sdk/openai', target, (id) => openai.chat(id)),
  ];
}

/** Creates an SDK whose provider ignores pictures in replies. */
function createPicturelessSdk(
  name: string,
  target: SdkTarget,
  createModel: (id: string) => LanguageModel,
): Sdk {
  const { draw: _, ...sdk } = createAiSdk(name, target, createModel);
  return sdk;
}

function createAiSdk(
  name: string,
  { retries = 0 }: SdkTarget,
  createModel: (id: string) => LanguageModel,
): Sdk {
  // Without a limit the provider of messages warns about unknown models. Converted replies are not stored, so they
  // must be sent completely in the next turn.
  const providerOptions = { openai: { store: false } };
  const settings = {
    model: createModel(demoChat),
    maxRetries: retries,
    maxOutputTokens: 4096,
    providerOptions,
  };
  return {
    name,

    async sendQuestion({ text, model = demoChat }) {
      return (await generateText({ ...settings, model: createModel(model), prompt: text })).text;
    },

    async *stream({ text, model = demoChat, signal }) {
      const failures: unknown[] = [];
      const { textStream } = streamText({
        ...settings,
        model: createModel(model),
        prompt: text,
        abortSignal: signal,
        onError: ({ error }) => {
          failures.push(error);
        },
      });
      yield* textStream;
      signal?.throwIfAborted();
      if (failures.length > 0) throw failures[0];
    },

    async useTool(text, isStreamed) {
      const { cities, report } = createWeatherReporter();
      const { description, schema } = weather;
      const inputSchema = jsonSchema<{ city: string }>(schema);
      const tools = {
        get_weather: tool({ description, inputSchema, execute: async (input) => report(input) }),
      };
      const request = { ...settings, prompt: text, tools, stopWhen: isStepCount(4) };
      const replyText = isStreamed ? await streamText(request).text : (await generateText(request)).text;
      return { text: replyText, cities };
    },

    async draw(text, isStreamed) {
      const request = { ...settings, prompt: text };
      const files = isStreamed ? await streamText(request).files : (await generateText(request)).files;
      return files.map(({ base64 }) => base64);
    },
  };
}
