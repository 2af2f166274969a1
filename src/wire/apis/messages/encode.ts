import type { JsonObject } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import type { Encoded, ForeignMessage, ForeignPart } from '../../message.ts';
import { Omissions } from '../../omissions.ts';
import { argumentsObject, CallNames, isPart, type PartOf, placedParts } from '../encoding.ts';
import { redactedThinking } from './blocks.ts';
import type { MessagesRequest } from './request.ts';

/** The members of a messages request that hold the conversation. */
export type MessagesConversation = Pick<MessagesRequest, 'system' | 'messages'>;

type Block = JsonObject & { type: string };

const imageTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/**
 * Encodes a conversation as providers require it: system messages in a field of their own, results first in a
 * message of the user, thinking first in one of the assistant. Reasoning goes back only with a signature of
 * this format's providers.
 */
export function encodeMessages(messages: readonly ForeignMessage[]): Encoded<MessagesConversation> {
  const omitted = new Omissions();
  const names = new CallNames();
  const conversation: MessagesConversation = { messages: [] };
  for (const message of messages) {
    const parts = placedParts(message, omitted).filter(saysSomething);
    if (message.role === 'system') addSystem(parts.filter(isPart('text')), conversation, omitted);
    else addMessage(message.role, contentOf(message, parts, names, omitted), conversation);
  }
  return { body: conversation, omitted: omitted.all };
}

function contentOf(
  { verbatim }: ForeignMessage,
  parts: readonly ForeignPart[],
  names: CallNames,
  omitted: Omissions,
): Block[] {
  if (!verbatim) return inOrder(parts.flatMap(encodePart(names, omitted)));
  names.noteAll(parts);
  return verbatim as Block[];
}

/** Providers refuse blank text. */
function saysSomething(part: ForeignPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '';
}

function addSystem(
  parts: readonly PartOf<'text'>[],
  conversation: MessagesConversation,
  omitted: Omissions,
): void {
  if (parts.length === 0) return;
  if (conversation.messages.length > 0) omitted.add(explain('omitted-system-place'));
  const before = Array.isArray(conversation.system) ? conversation.system : [];
  const blocks = parts.map(({ text, isCached }) => ({
    type: 'text',
    text,
    ...(isCached && { cache_control: cacheControl }),
  }));
  conversation.system = [...before, ...blocks];
}

function addMessage(
  role: 'user' | 'assistant',
  content: Block[],
  { messages }: Pick<MessagesConversation, 'messages'>,
): void {
  if (content.length > 0) messages.push({ role, content });
}

function inOrder(blocks: readonly Block[]): Block[] {
  // Thinking between the calls of a turn stays where the model put it.
  if (blocks[0] && isThinking(blocks[0])) return [...blocks];
  const leads = (block: Block) => block.type === 'tool_result' || isThinking(block);
  return [...blocks.filter(leads), ...blocks.filter((block) => !leads(block))];
}

function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function encodePart(names: CallNames, omitted: Omissions): (part: ForeignPart) => readonly Block[] {
  return (part) => {
    const blocks = [encodeContent(part, names, omitted)].flat();
    if (!part.isCached) return blocks;
    return blocks.map((block, nth) => (nth === blocks.length - 1 ? withCacheMark(block) : block));
  };
}

const cacheControl = { type: 'ephemeral' };

/** Thinking takes no mark. */
function withCacheMark(block: Block): Block {
  return isThinking(block) ? block : { ...block, cache_control: cacheControl };
}

function encodeContent(part: ForeignPart, names: CallNames, omitted: Omissions): Block | readonly Block[] {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return encodeImage(part, omitted);
    case 'imageLink':
      return { type: 'image', source: { type: 'url', url: part.url } };
    case 'document':
      return encodeDocument(part);
    case 'reasoning':
      return encodeReasoning(part, omitted);
    case 'toolCall':
      names.note(part);
      return encodeCall(part, omitted);
    case 'toolResult':
      names.check(part, omitted);
      return encodeResult(part, omitted);
  }
}

function encodeImage({ mimeType, data }: PartOf<'image'>, omitted: Omissions): Block | readonly Block[] {
  if (imageTypes.has(mimeType))
    return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
  omitted.add(explain('omitted-image-type', { mimeType }));
  return [];
}

function encodeDocument({ mimeType, data, name }: PartOf<'document'>): Block {
  const source = { type: 'base64', media_type: mimeType, data };
  return { type: 'document', source, ...(name !== undefined && { title: name }) };
}

function encodeResult({ id, text, pictures, failed }: PartOf<'toolResult'>, omitted: Omissions): Block {
  const images = (pictures ?? []).flatMap((picture) => encodeImage(picture, omitted));
  const said = text === '' ? [] : [{ type: 'text', text }];
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: images.length === 0 ? text : [...said, ...images],
    ...(failed && { is_error: true }),
  };
}

function encodeReasoning(
  { text, signature }: PartOf<'reasoning'>,
  omitted: Omissions,
): Block | readonly Block[] {
  if (!signature) {
    omitted.add(explain('omitted-unsigned-reasoning'));
    return [];
  }
  if (!signature.startsWith(redactedThinking)) return { type: 'thinking', thinking: text, signature };
  if (text !== '') omitted.add(explain('omitted-redacted-reasoning'));
  return { type: 'redacted_thinking', data: signature.slice(redactedThinking.length) };
}

function encodeCall(part: PartOf<'toolCall'>, omitted: Omissions): Block {
  const { id, name, signature } = part;
  if (signature) omitted.add(explain('omitted-call-signature'));
  return { type: 'tool_use', id, name, input: argumentsObject(part, omitted) };
}
