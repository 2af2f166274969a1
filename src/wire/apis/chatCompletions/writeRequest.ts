import type { JsonObject } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import { type Encoded, type ForeignMessage, type ForeignPart, Omissions } from '../../message.ts';
import { completeSchema } from '../shared/functionTools.ts';
import { CallNames, dropMisplacedParts, isPart, type PartOf, writeDataUrl } from '../shared/messageParts.ts';
import { writeMark } from '../shared/promptCaching.ts';
import { placeAt, type RequestForm } from '../shared/requestForm.ts';
import { createSchemaName, type RequestSettings } from '../shared/requestSettings.ts';
import {
  acceptsEffort,
  acceptsPenalties,
  adaptEffort,
  chatCompletionsCommon,
  samplingSettings,
} from './commonParameters.ts';
import type { ChatCompletionsRequest } from './schema.ts';

/** The member of a chat-completions request that contains the conversation. */
export type ChatCompletionsConversation = Pick<ChatCompletionsRequest, 'messages'>;

type ChatMessage = ChatCompletionsRequest['messages'][number];
type Content = NonNullable<ChatMessage['content']>;

interface ChatCompletionsEncoding {
  /** Whether to send reasoning back as `reasoning_content`. Some providers require it, others refuse it. */
  readonly sendsReasoning?: boolean;
}

/** Encodes a conversation. Each tool result becomes a separate text message, before other content of the user. */
export function encodeChatCompletions(
  messages: readonly ForeignMessage[],
  { sendsReasoning = false }: ChatCompletionsEncoding = {},
): Encoded<ChatCompletionsConversation> {
  const omitted = new Omissions();
  const names = new CallNames();
  // With any cache mark, all texts are written as parts, so that a text has the same form in every turn.
  const hasMarks = messages.some(({ parts }) => parts.some(({ cacheMark }) => cacheMark));
  const encodedMessages = messages.flatMap((message): readonly ChatMessage[] => {
    const parts = dropMisplacedParts(message, omitted);
    if (message.verbatim) {
      names.addAll(parts);
      return message.verbatim as readonly ChatMessage[];
    }
    if (message.role === 'assistant')
      return encodeAssistant(parts, names, { sendsReasoning, hasMarks }, omitted);
    return [
      ...encodeResults(parts, names, hasMarks, omitted),
      ...encodeMessage(message.role, parts, hasMarks),
    ];
  });
  return { body: { messages: encodedMessages }, omitted: omitted.all };
}

function encodeMessage(
  role: 'system' | 'user',
  parts: readonly ForeignPart[],
  hasMarks: boolean,
): readonly ChatMessage[] {
  const content = encodeContent(parts, hasMarks);
  return content === undefined ? [] : [{ role, content }];
}

function encodeResults(
  parts: readonly ForeignPart[],
  names: CallNames,
  hasMarks: boolean,
  omitted: Omissions,
): readonly ChatMessage[] {
  return parts.filter(isPart('toolResult')).map((part) => {
    names.checkResult(part, omitted);
    const { id, text, cacheMark } = part;
    const content = hasMarks && text !== '' ? [{ type: 'text', text, ...writeMark(cacheMark) }] : text;
    return { role: 'tool', tool_call_id: id, content };
  });
}

function encodeAssistant(
  parts: readonly ForeignPart[],
  names: CallNames,
  { sendsReasoning, hasMarks }: { readonly sendsReasoning: boolean; readonly hasMarks: boolean },
  omitted: Omissions,
): readonly ChatMessage[] {
  const calls = parts.filter(isPart('toolCall'));
  const reasoning = parts.filter(isPart('reasoning'));
  for (const call of calls) names.add(call);
  if (!sendsReasoning && reasoning.length > 0) omitted.add(explain('omitted-reasoning'));
  else if (reasoning.some(({ signature }) => signature)) omitted.add(explain('omitted-reasoning-signature'));
  const thought = sendsReasoning ? reasoning.map(({ text }) => text).join('') : '';
  const content = encodeContent(parts, hasMarks);
  if (content === undefined && calls.length === 0 && thought === '') return [];
  return [
    {
      role: 'assistant',
      content: content ?? (calls.length > 0 ? null : ''),
      ...(thought !== '' && { reasoning_content: thought }),
      ...(calls.length > 0 && { tool_calls: calls.map(encodeCall) }),
    },
  ];
}

function encodeCall({ id, name, arguments: json, signature }: PartOf<'toolCall'>) {
  return {
    id,
    type: 'function',
    function: { name, arguments: json },
    // Google, the only provider that signs calls, expects the signature here.
    ...(signature && { extra_content: { google: { thought_signature: signature } } }),
  };
}

/** The content of a message. Without cache marks, a single text becomes a string, which every server accepts. */
function encodeContent(parts: readonly ForeignPart[], hasMarks: boolean): Content | undefined {
  const contentParts = parts.flatMap(encodePart);
  const [first] = contentParts;
  const isString = !hasMarks && contentParts.length === 1 && first?.type === 'text';
  return isString ? first.text : first && contentParts;
}

function encodePart(part: ForeignPart): Exclude<Content, string> {
  const mark = writeMark(part.cacheMark);
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...mark }];
    case 'image':
      return [{ type: 'image_url', image_url: { url: writeDataUrl(part) }, ...mark }];
    case 'imageLink':
      return [{ type: 'image_url', image_url: { url: part.url }, ...mark }];
    case 'document': {
      const file = { filename: part.name ?? 'document', file_data: writeDataUrl(part) };
      return [{ type: 'file', file, ...mark }];
    }
    default:
      return [];
  }
}

export const chatCompletionsForm: RequestForm = {
  contentRules: {
    format: 'chatCompletions',
    documentTypes: new Set(['application/pdf']),
    acceptsUnsignedReasoning: requiresReasoning,
    acceptsCallSignatures: true,
    allowsInlineInstructions: true,
    enforcesToolSchemas: true,
    acceptsCacheMark: (part) =>
      part.type !== 'reasoning' && part.type !== 'toolCall' && !('text' in part && part.text === ''),
    acceptsToolMarks: true,
    maxStops: 4,
    toolName: /^[\w-]{1,64}$/,
    maxCallIdLength: 40,
  },
  encode: (messages, model) =>
    encodeChatCompletions(messages.map(separatePictures), {
      sendsReasoning: requiresReasoning(model),
    }),
  settings: {
    ...samplingSettings,
    presencePenalty: (value, { model }) =>
      acceptsPenalties(model) ? placeAt('presence_penalty')(value) : undefined,
    frequencyPenalty: (value, { model }) =>
      acceptsPenalties(model) ? placeAt('frequency_penalty')(value) : undefined,
    seed: ['seed'],
    stop: ['stop'],
    outputLimit: chatCompletionsCommon.outputLimit,
    choices: ['n'],
    reasoningEffort(value, { model }) {
      if (value === 'adaptive') return [];
      return acceptsEffort(model) ? placeAt('reasoning_effort')(adaptEffort(value, model)) : undefined;
    },
    tools: (tools) =>
      placeAt('tools')(
        tools.map(({ cacheMark, ...tool }) => ({
          type: 'function',
          function: completeSchema(tool),
          ...writeMark(cacheMark),
        })),
      ),
    toolChoice: ({ mode, names: [name] = [] }) =>
      placeAt('tool_choice')(name === undefined ? mode : { type: 'function', function: { name } }),
    parallelCalls: ['parallel_tool_calls'],
    responseFormat: (_, { settings }) => placeAt('response_format')(encodeFormat(settings)),
    // The format has no such setting. Servers always send the visible part of the reasoning.
    thoughts: () => [],
    verbosity: ['verbosity'],
    pictures: () => placeAt('modalities')(['text', 'image']),
  },
  complete: (body, { isStreamed, shared, model }) => ({
    model,
    ...(requiresReasoning(model) ? fillReasoning(body) : body),
    ...shared,
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
  }),
};

/** Models that refuse a conversation with tool calls if its replies lack their reasoning. */
const thinkingModel = /kimi-k(?:2-thinking|2\.[5-9]|[3-9])|deepseek-(?:reasoner|v3\.2|v[4-9])/i;

function requiresReasoning(model: string): boolean {
  return thinkingModel.test(model);
}

/** The placeholder for lost reasoning and for the reasoning of another model. These models refuse empty text. */
const unknownReasoning = ' ';

function fillReasoning(body: JsonObject): JsonObject {
  const { messages } = body as unknown as ChatCompletionsConversation;
  if (!messages.some(({ tool_calls: calls }) => calls?.length)) return body;
  const filledMessages = messages.map((message) =>
    message.role === 'assistant' ? { reasoning_content: unknownReasoning, ...message } : message,
  );
  return { ...body, messages: filledMessages };
}

/** The pictures of a result become content of the user, because a tool message cannot contain them. */
function separatePictures(message: ForeignMessage): ForeignMessage {
  const pictures = message.parts.flatMap((part): readonly ForeignPart[] => {
    if (part.type !== 'toolResult' || !part.pictures?.length) return [];
    const label = { type: 'text', text: `Pictures from the result of ${part.name || part.id}:` } as const;
    return [label, ...part.pictures];
  });
  return pictures.length === 0 ? message : { ...message, parts: [...pictures, ...message.parts] };
}

function encodeFormat({
  responseFormat,
  responseSchema: schema,
  schemaName: name,
  strictSchema: strict,
}: Partial<RequestSettings>): object {
  if (responseFormat !== 'json_schema' || !schema) return { type: 'json_object' };
  const jsonSchema = { name: name ?? createSchemaName(schema), schema, ...(strict && { strict }) };
  return { type: 'json_schema', json_schema: jsonSchema };
}
