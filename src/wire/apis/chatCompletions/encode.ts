import { explain } from '../../explanations/explanation.ts';
import type { Encoded, ForeignMessage, ForeignPart } from '../../message.ts';
import { Omissions } from '../../omissions.ts';
import { CallNames, dataUrl, isPart, type PartOf, placedParts } from '../encoding.ts';
import type { ChatCompletionsRequest } from './request.ts';

/** The member of a chat-completions request that holds the conversation. */
export type ChatCompletionsConversation = Pick<ChatCompletionsRequest, 'messages'>;

type ChatMessage = ChatCompletionsRequest['messages'][number];
type Content = NonNullable<ChatMessage['content']>;

export interface ChatCompletionsEncoding {
  /**
   * Whether to send earlier reasoning back as `reasoning_content`: some providers require it, others refuse
   * it.
   */
  readonly reasoningContent?: boolean;
}

/**
 * Encodes a conversation. Each tool result becomes a message of its own, before other content of the user, as text.
 */
export function encodeChatCompletions(
  messages: readonly ForeignMessage[],
  { reasoningContent = false }: ChatCompletionsEncoding = {},
): Encoded<ChatCompletionsConversation> {
  const omitted = new Omissions();
  const names = new CallNames();
  const encoded = messages.flatMap((message): readonly ChatMessage[] => {
    const parts = placedParts(message, omitted);
    if (message.verbatim) {
      names.noteAll(parts);
      return message.verbatim as readonly ChatMessage[];
    }
    if (message.role === 'assistant') return encodeAssistant(parts, names, reasoningContent, omitted);
    return [...encodeResults(parts, names, omitted), ...encodeSaid(message.role, parts)];
  });
  return { body: { messages: encoded }, omitted: omitted.all };
}

function encodeSaid(role: 'system' | 'user', parts: readonly ForeignPart[]): readonly ChatMessage[] {
  const content = contentOf(parts);
  return content === undefined ? [] : [{ role, content }];
}

function encodeResults(
  parts: readonly ForeignPart[],
  names: CallNames,
  omitted: Omissions,
): readonly ChatMessage[] {
  return parts.filter(isPart('toolResult')).map((part) => {
    names.check(part, omitted);
    return { role: 'tool', tool_call_id: part.id, content: part.text };
  });
}

function encodeAssistant(
  parts: readonly ForeignPart[],
  names: CallNames,
  reasoningContent: boolean,
  omitted: Omissions,
): readonly ChatMessage[] {
  const calls = parts.filter(isPart('toolCall'));
  const reasoning = parts.filter(isPart('reasoning'));
  for (const call of calls) names.note(call);
  if (!reasoningContent && reasoning.length > 0) omitted.add(explain('omitted-reasoning'));
  else if (reasoning.some(({ signature }) => signature)) omitted.add(explain('omitted-reasoning-signature'));
  const thought = reasoningContent ? reasoning.map(({ text }) => text).join('') : '';
  const content = contentOf(parts);
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
    // Google, the one provider that signs calls, expects the signature here.
    ...(signature && { extra_content: { google: { thought_signature: signature } } }),
  };
}

/** Every server accepts a single text as a string. */
function contentOf(parts: readonly ForeignPart[]): Content | undefined {
  const said = parts.flatMap(encodePart);
  const [first] = said;
  return said.length === 1 && first?.type === 'text' ? first.text : first && said;
}

function encodePart(part: ForeignPart): Exclude<Content, string> {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'image':
      return [{ type: 'image_url', image_url: { url: dataUrl(part) } }];
    case 'imageLink':
      return [{ type: 'image_url', image_url: { url: part.url } }];
    case 'document':
      return [{ type: 'file', file: { filename: part.name ?? 'document', file_data: dataUrl(part) } }];
    default:
      return [];
  }
}
