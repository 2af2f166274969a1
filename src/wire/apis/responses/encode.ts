import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import type { Encoded, ForeignMessage, ForeignPart, Message, MessagePart } from '../../message.ts';
import { Omissions } from '../../omissions.ts';
import { CallNames, dataUrl, imageOf, type PartOf, placedParts, stringOf } from '../encoding.ts';
import type { ResponsesRequest } from './request.ts';

/** The members of a responses request that hold the conversation. */
export interface ResponsesConversation {
  readonly input: Exclude<ResponsesRequest['input'], string | null | undefined>;
  readonly instructions?: string;
}

type Item = ResponsesConversation['input'][number];

/**
 * Encodes a conversation as items, in the order of its parts. A system prompt above it goes into a field of its
 * own. Reasoning goes back only with its signature, the provider's encrypted content.
 */
export function encodeResponses(messages: readonly ForeignMessage[]): Encoded<ResponsesConversation> {
  const omitted = new Omissions();
  const names = new CallNames();
  const items = messages.map((message) => encodeMessage(message, names, omitted));
  // Providers refuse instructions without any input.
  const hasInput = items.slice(1).some(({ length }) => length > 0);
  const instructions = hasInput ? systemPromptOf(messages[0]) : undefined;
  const input = items.slice(instructions === undefined ? 0 : 1).flat();
  return { body: { ...(instructions !== undefined && { instructions }), input }, omitted: omitted.all };
}

/** The text of a system message that is one text and nothing else. */
function systemPromptOf(message: Message<ForeignPart> | undefined): string | undefined {
  const [part, ...others] = message?.role === 'system' ? message.parts : [];
  return part?.type === 'text' && part.text !== '' && others.length === 0 ? part.text : undefined;
}

/** Decodes the conversation of a request, its instructions first. Unknown items are ignored. */
export function decodeResponses({
  input,
  instructions,
}: Pick<ResponsesRequest, 'input' | 'instructions'>): readonly Message[] {
  const said = decodeInput(input);
  return instructions ? [{ role: 'system', parts: [{ type: 'text', text: instructions }] }, ...said] : said;
}

function decodeInput(input: ResponsesRequest['input']): readonly Message[] {
  if (input == null) return [];
  if (typeof input === 'string') return [{ role: 'user', parts: [{ type: 'text', text: input }] }];
  const names = new CallNames();
  const messages: { readonly role: Message['role']; readonly parts: MessagePart[] }[] = [];
  for (const item of input) {
    const role = roleOf(item);
    const parts = decodeItem(item, names);
    const last = messages.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role && role !== 'system') last.parts.push(...parts);
    else messages.push({ role, parts: [...parts] });
  }
  return messages;
}

function encodeMessage(message: ForeignMessage, names: CallNames, omitted: Omissions): readonly Item[] {
  const { role, verbatim } = message;
  if (verbatim) {
    names.noteAll(message.parts);
    return verbatim as readonly Item[];
  }
  const items: Item[] = [];
  for (const part of placedParts(message, omitted)) {
    if (isContent(part)) addContent(items, role, encodeContent(part, role));
    else items.push(...encodeItem(part, names, omitted));
  }
  return items;
}

type ContentPart = PartOf<'text' | 'image' | 'imageLink' | 'document'>;

function isContent(part: ForeignPart): part is ContentPart {
  return ['text', 'image', 'imageLink', 'document'].includes(part.type);
}

/** Content without a call or a result in between becomes one item. */
function addContent(items: Item[], role: Message['role'], content: JsonObject): void {
  const last = items.at(-1)?.content;
  if (Array.isArray(last)) last.push(content);
  else items.push({ type: 'message', role, content: [content] });
}

function encodeContent(part: ContentPart, role: Message['role']): JsonObject {
  if (part.type === 'image') return { type: 'input_image', detail: 'auto', image_url: dataUrl(part) };
  if (part.type === 'imageLink') return { type: 'input_image', detail: 'auto', image_url: part.url };
  if (part.type === 'document')
    return { type: 'input_file', filename: part.name ?? 'document', file_data: dataUrl(part) };
  if (role === 'assistant') return { type: 'output_text', text: part.text, annotations: [] };
  return { type: 'input_text', text: part.text };
}

function encodeItem(
  part: PartOf<'reasoning' | 'toolCall' | 'toolResult'>,
  names: CallNames,
  omitted: Omissions,
): readonly Item[] {
  switch (part.type) {
    case 'reasoning':
      return encodeReasoning(part, omitted);
    case 'toolCall':
      names.note(part);
      if (part.signature) omitted.add(explain('omitted-call-signature'));
      return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments }];
    case 'toolResult':
      names.check(part, omitted);
      return [{ type: 'function_call_output', call_id: part.id, output: outputOf(part) }];
  }
}

function outputOf({ text, pictures = [] }: PartOf<'toolResult'>): string | readonly JsonObject[] {
  if (pictures.length === 0) return text;
  const said = text === '' ? [] : [{ type: 'input_text', text }];
  return [...said, ...pictures.map((picture) => encodeContent(picture, 'user'))];
}

function encodeReasoning({ text, signature }: PartOf<'reasoning'>, omitted: Omissions): readonly Item[] {
  if (!signature) {
    omitted.add(explain('omitted-unsigned-reasoning'));
    return [];
  }
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [{ type: 'reasoning', summary, encrypted_content: signature }];
}

function roleOf({ type, role }: Item): Message['role'] {
  if (type === 'function_call_output' || type === 'custom_tool_call_output') return 'user';
  if (type === 'function_call' || type === 'custom_tool_call' || type === 'reasoning') return 'assistant';
  if (role === 'user' || role === 'assistant') return role;
  return 'system';
}

function decodeItem(item: Item, names: CallNames): readonly MessagePart[] {
  switch (item.type) {
    case undefined:
    case 'message':
      return contentParts(item.content).flatMap((part) => decodeContent(part) ?? []);
    case 'reasoning':
      return [decodeReasoning(item)];
    case 'function_call':
    case 'custom_tool_call':
      return [decodeCall(item, names)];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [names.result(stringOf(item.call_id), textOf(item.output))];
    default:
      return [];
  }
}

function contentParts(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [{ text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function decodeContent({ type, text, refusal, image_url: url }: JsonObject): MessagePart | undefined {
  if (type === 'input_image') return imageOf(url);
  const said = nonEmptyString(text) ?? nonEmptyString(refusal);
  return said === undefined ? undefined : { type: 'text', text: said };
}

function decodeReasoning({ summary, encrypted_content: proof }: JsonObject): MessagePart {
  const signature = nonEmptyString(proof);
  return { type: 'reasoning', text: textOf(summary), ...(signature !== undefined && { signature }) };
}

function decodeCall(item: JsonObject, names: CallNames): MessagePart {
  const call = {
    type: 'toolCall',
    id: stringOf(item.call_id),
    name: stringOf(item.name),
    arguments: stringOf(item.arguments ?? item.input),
  } as const;
  names.note(call);
  return call;
}

function textOf(content: unknown): string {
  return contentParts(content)
    .map(({ text }) => stringOf(text))
    .join('');
}
