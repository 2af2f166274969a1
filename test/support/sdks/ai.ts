import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, type LanguageModel, streamText, tool } from 'ai';
import { demoChat, type Sdk, type SdkTarget, weather, weatherReporter } from './sdk.ts';

export function googleProvider({ baseUrl, credential }: SdkTarget) {
  return createGoogle({ baseURL: `${baseUrl}/v1beta`, apiKey: credential });
}

/** The `ai` package with each of its providers. */
export function aiSdks(target: SdkTarget): readonly Sdk[] {
  const google = googleProvider(target);
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
    blind('ai, @ai-sdk/openai-compatible', target, (id) => compatible(id)),
    aiSdk('ai, @ai-sdk/google', target, (id) => google(id)),
    aiSdk('ai, interactions of @ai-sdk/google', target, (id) => google.interactions(id)),
    blind('ai, @ai-sdk/anthropic', target, (id) => anthropic(id)),
    blind('ai, @ai-sdk/openai', target, (id) => openai(id)),
    blind('ai, chat of @ai-sdk/openai', target, (id) => openai.chat(id)),
  ];
}

/** A client whose provider ignores pictures in replies. */
function blind(name: string, target: SdkTarget, modelOf: (id: string) => LanguageModel): Sdk {
  const { draw: _, ...sdk } = aiSdk(name, target, modelOf);
  return sdk;
}

function aiSdk(name: string, { retries = 0 }: SdkTarget, modelOf: (id: string) => LanguageModel): Sdk {
  // Without a limit the provider of messages warns about unknown models. Converted replies are not stored, so they
  // must be sent completely in the next turn.
  const providerOptions = { openai: { store: false } };
  const settings = { model: modelOf(demoChat), maxRetries: retries, maxOutputTokens: 4096, providerOptions };
  return {
    name,

    async ask({ text, model = demoChat }) {
      return (await generateText({ ...settings, model: modelOf(model), prompt: text })).text;
    },

    async *stream({ text, model = demoChat, signal }) {
      const failures: unknown[] = [];
      const { textStream } = streamText({
        ...settings,
        model: modelOf(model),
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

    async useTool(text, streamed) {
      const { cities, report } = weatherReporter();
      const { description, schema } = weather;
      const inputSchema = jsonSchema<{ city: string }>(schema);
      const tools = {
        get_weather: tool({ description, inputSchema, execute: async (input) => report(input) }),
      };
      const request = { ...settings, prompt: text, tools, stopWhen: isStepCount(4) };
      const answer = streamed ? await streamText(request).text : (await generateText(request)).text;
      return { text: answer, cities };
    },

    async draw(text, streamed) {
      const request = { ...settings, prompt: text };
      const files = streamed ? await streamText(request).files : (await generateText(request)).files;
      return files.map(({ base64 }) => base64);
    },
  };
}
