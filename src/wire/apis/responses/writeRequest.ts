import type { JsonObject } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import {
  type Encoded,
  type ForeignMessage,
  type ForeignPart,
  type Message,
  Omissions,
} from '../../message.ts';
import { acceptsEffort, adaptEffort, samplingSettings } from '../chatCompletions/commonParameters.ts';
import { type RequestTool, toObjectSchema } from '../shared/functionTools.ts';
import { CallNames, dropMisplacedParts, type PartOf, writeDataUrl } from '../shared/messageParts.ts';
import { writeMark } from '../shared/promptCaching.ts';
import { placeAt, type RequestForm } from '../shared/requestForm.ts';
import { createSchemaName, type RequestSettings } from '../shared/requestSettings.ts';
import type { ResponsesRequest } from './schema.ts';

/** The members of a responses request that contain the conversation. */
interface ResponsesConversation {
  readonly input: Exclude<ResponsesRequest['input'], string | null | undefined>;
  readonly instructions?: string;
}

type Item = ResponsesConversation['input'][number];

/**
 * Encodes a conversation as items, in the order of its parts. A system prompt at the beginning is written to a
 * field of its own. Reasoning is sent back only with its signature, the provider's encrypted content.
 */
export function encodeResponses(messages: readonly ForeignMessage[]): Encoded<ResponsesConversation> {
  const omitted = new Omissions();
  const names = new CallNames();
  // A result has the same form in all turns, with or without its mark.
  const hasMarks = messages.some(({ parts }) => parts.some(({ cacheMark }) => cacheMark));
  const items = messages.map((message) => encodeMessage(message, names, hasMarks, omitted));
  // Providers refuse instructions without any input.
  const hasInput = items.slice(1).some(({ length }) => length > 0);
  const instructions = hasInput ? findSystemPrompt(messages[0]) : undefined;
  const input = items.slice(instructions === undefined ? 0 : 1).flat();
  return { body: { ...(instructions !== undefined && { instructions }), input }, omitted: omitted.all };
}

/** The text of a system message with a single text. A field has no place for a cache mark. */
function findSystemPrompt(message: Message<ForeignPart> | undefined): string | undefined {
  const [part, ...others] = message?.role === 'system' ? message.parts : [];
  const isPlain = part?.type === 'text' && part.text !== '' && !part.cacheMark;
  return isPlain && others.length === 0 ? part.text : undefined;
}

function encodeMessage(
  message: ForeignMessage,
  names: CallNames,
  hasMarks: boolean,
  omitted: Omissions,
): readonly Item[] {
  const { role, verbatim } = message;
  if (verbatim) {
    names.addAll(message.parts);
    return verbatim as readonly Item[];
  }
  const items: Item[] = [];
  for (const part of dropMisplacedParts(message, omitted)) {
    if (isContent(part)) addContent(items, role, encodeContent(part, role));
    else items.push(...encodeItem(part, names, hasMarks, omitted));
  }
  return items;
}

type ContentPart = PartOf<'text' | 'image' | 'imageLink' | 'document'>;

function isContent(part: ForeignPart): part is ContentPart {
  return ['text', 'image', 'imageLink', 'document'].includes(part.type);
}

/** Adds content, to the last item unless that item is a call or a result. */
function addContent(items: Item[], role: Message['role'], content: JsonObject): void {
  const last = items.at(-1)?.content;
  if (Array.isArray(last)) last.push(content);
  else items.push({ type: 'message', role, content: [content] });
}

function encodeContent(part: ContentPart, role: Message['role']): JsonObject {
  const mark = writeMark(part.cacheMark);
  if (part.type === 'image')
    return { type: 'input_image', detail: 'auto', image_url: writeDataUrl(part), ...mark };
  if (part.type === 'imageLink') return { type: 'input_image', detail: 'auto', image_url: part.url, ...mark };
  if (part.type === 'document')
    return { type: 'input_file', filename: part.name ?? 'document', file_data: writeDataUrl(part), ...mark };
  if (role === 'assistant') return { type: 'output_text', text: part.text, annotations: [] };
  return { type: 'input_text', text: part.text, ...mark };
}

function encodeItem(
  part: PartOf<'reasoning' | 'toolCall' | 'toolResult'>,
  names: CallNames,
  hasMarks: boolean,
  omitted: Omissions,
): readonly Item[] {
  switch (part.type) {
    case 'reasoning':
      return encodeReasoning(part, omitted);
    case 'toolCall':
      names.add(part);
      if (part.signature) omitted.add(explain('omitted-call-signature'));
      return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments }];
    case 'toolResult':
      names.checkResult(part, omitted);
      return [{ type: 'function_call_output', call_id: part.id, output: encodeOutput(part, hasMarks) }];
  }
}

function encodeOutput(
  { text, pictures = [], cacheMark }: PartOf<'toolResult'>,
  hasMarks: boolean,
): string | readonly JsonObject[] {
  if (pictures.length === 0 && !hasMarks) return text;
  const texts = text === '' ? [] : [{ type: 'input_text', text }];
  const content = [...texts, ...pictures.map((picture) => encodeContent(picture, 'user'))];
  const last = content.at(-1);
  return last ? content.with(-1, { ...last, ...writeMark(cacheMark) }) : text;
}

function encodeReasoning({ text, signature }: PartOf<'reasoning'>, omitted: Omissions): readonly Item[] {
  if (!signature) {
    omitted.add(explain('omitted-unsigned-reasoning'));
    return [];
  }
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [{ type: 'reasoning', summary, encrypted_content: signature }];
}

const encryptedReasoningField = [{ path: ['include'], value: ['reasoning.encrypted_content'] }];

/** Writes requests of responses. The provider stores them only if the caller requests it. */
export const responsesForm: RequestForm = {
  contentRules: {
    format: 'responses',
    acceptsReasoning: true,
    allowsInlineInstructions: true,
    enforcesToolSchemas: true,
    acceptsCacheMark(part, role) {
      if (part.type === 'reasoning' || part.type === 'toolCall' || role === 'assistant') return false;
      const hasPictures = part.type === 'toolResult' && (part.pictures ?? []).length > 0;
      return hasPictures || !('text' in part && part.text === '');
    },
    toolName: /^[\w-]{1,64}$/,
    maxCallIdLength: 64,
  },
  encode: encodeResponses,
  settings: {
    ...samplingSettings,
    outputLimit: ['max_output_tokens'],
    reasoningEffort(value, { model }) {
      if (value === 'adaptive') return [];
      if (!acceptsEffort(model)) return undefined;
      return [...placeAt('reasoning', 'effort')(adaptEffort(value, model)), ...encryptedReasoningField];
    },
    thoughts: (_, { model }) =>
      acceptsEffort(model)
        ? [...placeAt('reasoning', 'summary')('auto'), ...encryptedReasoningField]
        : undefined,
    tools: (tools) => placeAt('tools')(tools.map(encodeTool)),
    toolChoice: ({ mode, names: [name] = [] }) =>
      placeAt('tool_choice')(name === undefined ? mode : { type: 'function', name }),
    parallelCalls: ['parallel_tool_calls'],
    responseFormat: (_, { settings }) => placeAt('text', 'format')(encodeFormat(settings)),
    verbosity: ['text', 'verbosity'],
  },
  complete: (body, { isStreamed, shared, model }) => ({
    model,
    store: false,
    ...body,
    ...shared,
    ...(isStreamed && { stream: true }),
  }),
};

/** Without `strict`, the provider treats every schema as strict. */
function encodeTool({ cacheMark: _, ...tool }: RequestTool): object {
  return { type: 'function', strict: false, ...tool, parameters: toObjectSchema(tool.parameters) };
}

function encodeFormat({
  responseFormat,
  responseSchema: schema,
  schemaName: name,
  strictSchema: strict,
}: Partial<RequestSettings>): object {
  if (responseFormat !== 'json_schema' || !schema) return { type: 'json_object' };
  return { type: 'json_schema', name: name ?? createSchemaName(schema), schema, ...(strict && { strict }) };
}
