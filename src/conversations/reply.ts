import type { ChatEvent } from '../wire/chatEvent.ts';
import type { MessagePart } from '../wire/message.ts';

export type ToolCall = Extract<MessagePart, { type: 'toolCall' }>;
export type Image = Extract<MessagePart, { type: 'image' }>;

export interface Citation {
  readonly url: string | undefined;
  readonly title: string | undefined;
}

/** What a model said in one choice, in the order it came. */
export interface Reply {
  readonly parts: readonly MessagePart[];
  readonly citations: readonly Citation[];
}

export const emptyReply: Reply = { parts: [], citations: [] };

type ChoiceEvent = Extract<ChatEvent, { choice: number }>;

/** The reply with one more event taken in. */
export function grown(reply: Reply, event: ChoiceEvent): Reply {
  switch (event.type) {
    case 'text':
    case 'refusal':
      return withParts(reply, withText(reply.parts, event.text));
    case 'reasoning':
      return withParts(reply, withReasoning(reply.parts, event.text, event.signature));
    case 'toolCall':
      return withParts(reply, withToolCall(reply.parts, event));
    case 'media':
      return withParts(reply, [
        ...reply.parts,
        { type: 'image', mimeType: event.mimeType, data: event.data },
      ]);
    case 'mediaLink':
      return withCitation(reply, { url: event.url, title: event.mimeType });
    case 'citation':
      return withCitation(reply, { url: event.url, title: event.title });
    default:
      return reply;
  }
}

export function textOf({ parts }: Reply): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function reasoningOf({ parts }: Reply): string {
  return parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
}

export function toolCallsOf({ parts }: Reply): readonly ToolCall[] {
  return parts.filter((part) => part.type === 'toolCall');
}

export function imagesOf({ parts }: Reply): readonly Image[] {
  return parts.filter((part) => part.type === 'image');
}

function withParts(reply: Reply, parts: readonly MessagePart[]): Reply {
  return { ...reply, parts };
}

function withCitation(reply: Reply, citation: Citation): Reply {
  return { ...reply, citations: [...reply.citations, citation] };
}

function withText(parts: readonly MessagePart[], text: string): readonly MessagePart[] {
  const last = parts.at(-1);
  if (last?.type !== 'text') return [...parts, { type: 'text', text }];
  return [...parts.slice(0, -1), { ...last, text: last.text + text }];
}

/** A signature closes the passage it vouches for: what follows is another one. */
function withReasoning(
  parts: readonly MessagePart[],
  text: string,
  signature: string | undefined,
): readonly MessagePart[] {
  const last = parts.at(-1);
  const proof = signature === undefined ? {} : { signature };
  if (last?.type !== 'reasoning' || last.signature !== undefined) {
    return [...parts, { type: 'reasoning', text, ...proof }];
  }
  return [...parts.slice(0, -1), { ...last, text: last.text + text, ...proof }];
}

/** Fragments of one call share its index, which counts the calls of the choice. */
function withToolCall(
  parts: readonly MessagePart[],
  fragment: Extract<ChatEvent, { type: 'toolCall' }>,
): readonly MessagePart[] {
  const positions = parts.flatMap((part, position) => (part.type === 'toolCall' ? [position] : []));
  const position = positions[fragment.index];
  const call = position === undefined ? undefined : parts[position];
  const joined = joinedCall(call?.type === 'toolCall' ? call : undefined, fragment);
  return position === undefined ? [...parts, joined] : parts.with(position, joined);
}

function joinedCall(
  call: ToolCall | undefined,
  fragment: Extract<ChatEvent, { type: 'toolCall' }>,
): ToolCall {
  const signature = fragment.signature ?? call?.signature;
  return {
    type: 'toolCall',
    id: fragment.id ?? call?.id ?? '',
    name: fragment.name ?? call?.name ?? '',
    arguments: (call?.arguments ?? '') + (fragment.arguments ?? ''),
    ...(signature !== undefined && { signature }),
  };
}
