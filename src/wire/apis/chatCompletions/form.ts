import type { JsonObject } from '../../../base/json.ts';
import type { ForeignMessage, ForeignPart } from '../../message.ts';
import { withSchema } from '../functionTools.ts';
import { asIn, at, type RequestForm } from '../requestForm.ts';
import { type RequestSettings, schemaName } from '../requestSettings.ts';
import { chatCompletionsCommon, effortFor, takesEffort, takesPenalties, takesSampling } from './common.ts';
import { type ChatCompletionsConversation, encodeChatCompletions } from './encode.ts';

const { temperature, outputLimit } = chatCompletionsCommon;

/** Writes requests of chat completions. */
export const chatCompletionsForm: RequestForm = {
  admission: {
    format: 'chatCompletions',
    documentTypes: new Set(['application/pdf']),
    takesUnsignedReasoning: takesReasoningBack,
    takesCallSignatures: true,
    keepsInstructions: true,
    holdsToolsToSchemas: true,
    mostStops: 4,
    toolName: /^[\w-]{1,64}$/,
    longestCallId: 40,
  },
  encode: (messages, model) =>
    encodeChatCompletions(messages.map(withPicturesApart), { reasoningContent: takesReasoningBack(model) }),
  settings: {
    temperature: (value, { model, settings }) =>
      takesSampling(model, value, settings.reasoningEffort) ? temperature.place(settings, model) : undefined,
    topP: (value, { model, settings }) =>
      takesSampling(model, value, settings.reasoningEffort) ? at('top_p')(value) : undefined,
    presencePenalty: (value, { model }) =>
      takesPenalties(model) ? at('presence_penalty')(value) : undefined,
    frequencyPenalty: (value, { model }) =>
      takesPenalties(model) ? at('frequency_penalty')(value) : undefined,
    seed: at('seed'),
    stop: at('stop'),
    outputLimit: asIn(outputLimit),
    choices: at('n'),
    reasoningEffort(value, { model }) {
      if (value === 'adaptive') return [];
      return takesEffort(model) ? at('reasoning_effort')(effortFor(value, model)) : undefined;
    },
    tools: (tools) => at('tools')(tools.map((tool) => ({ type: 'function', function: withSchema(tool) }))),
    toolChoice: ({ mode, names: [name] = [] }) =>
      at('tool_choice')(name === undefined ? mode : { type: 'function', function: { name } }),
    parallelCalls: at('parallel_tool_calls'),
    responseFormat: (_, { settings }) => at('response_format')(formatOf(settings)),
    // Servers send what they show of it anyway.
    thoughts: () => [],
    verbosity: at('verbosity'),
    pictures: () => at('modalities')(['text', 'image']),
  },
  complete: (body, { streamed, shared, model }) => ({
    model,
    ...(takesReasoningBack(model) ? withReasoning(body) : body),
    ...shared,
    ...(streamed && { stream: true, stream_options: { include_usage: true } }),
  }),
};

/** Models that refuse a conversation with tool calls whose answers lack the reasoning that came with them. */
const thinkingModel = /kimi-k(?:2-thinking|2\.[5-9]|[3-9])|deepseek-(?:reasoner|v3\.2|v[4-9])/i;

function takesReasoningBack(model: string): boolean {
  return thinkingModel.test(model);
}

/** What they take for the reasoning of answers that another model gave, or that was lost. They refuse an empty one. */
const unknownReasoning = ' ';

function withReasoning(body: JsonObject): JsonObject {
  const { messages } = body as unknown as ChatCompletionsConversation;
  if (!messages.some(({ tool_calls: calls }) => calls?.length)) return body;
  const filled = messages.map((message) =>
    message.role === 'assistant' ? { reasoning_content: unknownReasoning, ...message } : message,
  );
  return { ...body, messages: filled };
}

/** The pictures of a result, which a tool message cannot hold, become content of the user. */
function withPicturesApart(message: ForeignMessage): ForeignMessage {
  const pictures = message.parts.flatMap((part): readonly ForeignPart[] => {
    if (part.type !== 'toolResult' || !part.pictures?.length) return [];
    const owner = { type: 'text', text: `Pictures from the result of ${part.name || part.id}:` } as const;
    return [owner, ...part.pictures];
  });
  return pictures.length === 0 ? message : { ...message, parts: [...pictures, ...message.parts] };
}

function formatOf({
  responseFormat,
  responseSchema: schema,
  schemaName: name,
  strictSchema: strict,
}: Partial<RequestSettings>): object {
  if (responseFormat !== 'json_schema' || !schema) return { type: 'json_object' };
  const named = { name: name ?? schemaName(schema), schema, ...(strict && { strict }) };
  return { type: 'json_schema', json_schema: named };
}
