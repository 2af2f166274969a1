import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { MessagePart } from '../../wire/message.ts';
import type { MissingPart } from './conversationRecord.ts';

type ToolCall = Extract<MessagePart, { type: 'toolCall' }>;
export type Image = Extract<MessagePart, { type: 'image' }>;

/** A stored picture. Reading `data` reads the file, because a chat may have gigabytes of pictures. */
export interface StoredImage extends Image {
  /** The SHA-256 of its bytes. */
  readonly hash: string;
}

export function isStoredImage(part: MessagePart): part is StoredImage {
  return part.type === 'image' && 'hash' in part;
}

export interface Citation {
  readonly url: string | undefined;
  readonly title: string | undefined;
}

/** The parts of one choice of a reply, in order. */
export interface Reply {
  readonly parts: readonly MessagePart[];
  readonly citations: readonly Citation[];
  /** Parts that are no longer on the disk, or were not imported. Absent for none. */
  readonly missing?: readonly MissingPart[] | undefined;
}

type ChoiceEvent = Extract<ChatEvent, { choice: number }>;
type ToolCallFragment = Extract<ChatEvent, { type: 'toolCall' }>;

/** A reply that grows in place: the cost of an event does not depend on the length of the reply. */
export class ReplyBuilder implements Reply {
  readonly parts: MessagePart[];
  readonly citations: Citation[];
  readonly missing: Reply['missing'];
  /** The position of each tool call in `parts`, by its number. */
  readonly #callPositions: number[] = [];
  #callNumbers: CallNumbers | undefined;

  /**
   * @param restored the content that arrived in an earlier session
   * @param callNumbers the numbers of the calls so far, if this is only an addition to a reply
   */
  constructor(
    { parts, citations, missing }: Reply = { parts: [], citations: [] },
    callNumbers?: CallNumbers,
  ) {
    this.parts = [...parts];
    this.citations = [...citations];
    this.missing = missing;
    this.#callNumbers = callNumbers;
  }

  /** The tool calls that events were appended to, each with its number. */
  get numberedCalls(): readonly (readonly [number: number, call: ToolCall])[] {
    return this.#callPositions.flatMap((position, number) => {
      const call = this.parts[position];
      return call?.type === 'toolCall' ? [[number, call] as const] : [];
    });
  }

  appendEvent(event: ChoiceEvent): void {
    switch (event.type) {
      case 'text':
      case 'refusal':
        this.#appendText(event.text);
        break;
      case 'reasoning':
        this.#appendReasoning(event.text, event.signature);
        break;
      case 'toolCall':
        this.#appendToolCall(event);
        break;
      case 'media':
        this.parts.push({ type: 'image', mimeType: event.mimeType, data: event.data });
        break;
      case 'mediaLink':
        this.citations.push({ url: event.url, title: event.mimeType });
        break;
      case 'citation':
        this.citations.push({ url: event.url, title: event.title });
        break;
      case 'finish':
        break;
    }
  }

  #appendText(text: string): void {
    const last = this.parts.at(-1);
    if (last?.type === 'text') this.#replaceLast({ ...last, text: last.text + text });
    else this.parts.push({ type: 'text', text });
  }

  /** A signature covers the reasoning before it; later reasoning is another part. */
  #appendReasoning(text: string, signature: string | undefined): void {
    const last = this.parts.at(-1);
    const signed = signature === undefined ? {} : { signature };
    if (last?.type === 'reasoning' && last.signature === undefined) {
      this.#replaceLast({ ...last, text: last.text + text, ...signed });
    } else this.parts.push({ type: 'reasoning', text, ...signed });
  }

  #appendToolCall(fragment: ToolCallFragment): void {
    this.#callNumbers ??= new CallNumbers();
    const number = this.#callNumbers.getNumber(fragment.index);
    const position = this.#callPositions[number] ?? this.parts.length;
    const call = this.parts[position];
    this.#callPositions[number] = position;
    this.parts[position] = addFragment(call?.type === 'toolCall' ? call : undefined, fragment);
  }

  #replaceLast(part: MessagePart): void {
    this.parts[this.parts.length - 1] = part;
  }
}

/** The maximum number of stored choices of one reply. */
export const maxChoices = 128;

/** Appends a received event to the choices of a reply, which grow in place. */
export function appendEvent(replies: ReplyBuilder[], event: ChatEvent): void {
  if (!('choice' in event) || event.choice >= maxChoices) return;
  while (replies.length <= event.choice) replies.push(new ReplyBuilder());
  replies[event.choice]?.appendEvent(event);
}

/** Numbers the tool calls of one choice in the order of their starts, because gateways use arbitrary indices. */
export class CallNumbers {
  readonly #numbers = new Map<number, number>();

  /** @returns from 0 */
  getNumber(index: number): number {
    const number = this.#numbers.get(index) ?? this.#numbers.size;
    this.#numbers.set(index, number);
    return number;
  }
}

export function replyText({ parts }: Reply): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function readReasoning({ parts }: Reply): string {
  return parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
}

export function filterToolCalls({ parts }: Reply): readonly ToolCall[] {
  return parts.filter((part) => part.type === 'toolCall');
}

export function filterImages({ parts }: Reply): readonly Image[] {
  return parts.filter((part) => part.type === 'image');
}

export function isEmptyReply({ parts, citations, missing = [] }: Reply): boolean {
  return parts.length === 0 && citations.length === 0 && missing.length === 0;
}

/** Whether a reply has text. Later requests omit a reply without text. */
export function hasText(reply: Reply | undefined): boolean {
  return reply?.parts.some((part) => part.type === 'text' && part.text !== '') ?? false;
}

/** Joins a reply and its continuations, each with its choices. Only the first choice of each is continued. */
export function joinReplies(chain: readonly (readonly Reply[])[]): readonly Reply[] {
  const [single = []] = chain;
  if (chain.length < 2) return single;
  const firstChoices = chain.flatMap(([first]) => first ?? []);
  const missing = firstChoices.flatMap((first) => first.missing ?? []);
  return [
    {
      parts: joinTexts(firstChoices.flatMap(({ parts }) => parts)),
      citations: firstChoices.flatMap(({ citations }) => citations),
      ...(missing.length > 0 && { missing }),
    },
  ];
}

function addFragment(call: ToolCall | undefined, fragment: ToolCallFragment): ToolCall {
  const signature = fragment.signature ?? call?.signature;
  return {
    type: 'toolCall',
    id: fragment.id ?? call?.id ?? '',
    name: fragment.name ?? call?.name ?? '',
    arguments: (call?.arguments ?? '') + (fragment.arguments ?? ''),
    ...(signature !== undefined && { signature }),
  };
}

/** Merges adjacent texts: a reply may be continued in the middle of a word. */
export function joinTexts(parts: readonly MessagePart[]): readonly MessagePart[] {
  const joined: MessagePart[] = [];
  let texts: string[] = [];
  const close = () => {
    if (texts.length > 0) joined.push({ type: 'text', text: texts.join('') });
    texts = [];
  };
  for (const part of parts) {
    if (part.type === 'text') texts.push(part.text);
    else {
      close();
      joined.push(part);
    }
  }
  close();
  return joined;
}
