import { isObject, type JsonObject, jsonText, parseExactJson, parseJson } from '../../base/json.ts';
import type { Message, MessagePart } from '../message.ts';

/** What each part is called in plain words. */
const partNames: Record<MessagePart['type'], string> = {
  text: 'text',
  image: 'an image',
  reasoning: 'reasoning',
  toolCall: 'a tool call',
  toolResult: 'a tool result',
};

const places: Record<Message['role'], ReadonlySet<MessagePart['type']>> = {
  system: new Set(['text'] as const),
  user: new Set(['text', 'image', 'toolResult'] as const),
  assistant: new Set(['text', 'reasoning', 'toolCall'] as const),
};

export type PartOf<Type extends MessagePart['type']> = Extract<MessagePart, { type: Type }>;

/**
 * The parts of a message that can stand in a message of its role in any style; `lost` is told of the
 * others. Text without a character in it says nothing.
 */
export function placedParts({ role, parts }: Message, lost: Set<string>): readonly MessagePart[] {
  return parts.filter((part) => {
    if (part.type === 'text' && part.text === '') return false;
    const placed = places[role].has(part.type);
    if (!placed) lost.add(`${partNames[part.type]} in a message of the ${role}`);
    return placed;
  });
}

export function isPart<Type extends MessagePart['type']>(type: Type) {
  return (part: MessagePart): part is PartOf<Type> => part.type === type;
}

/**
 * The arguments of a call as an object; `lost` is told when the model wrote something else, or a number
 * that JSON.parse would round.
 */
export function argumentsObject(
  { name, arguments: text }: PartOf<'toolCall'>,
  lost: Set<string>,
): JsonObject {
  const args = text === '' ? {} : parseJson(text);
  if (!isObject(args)) {
    lost.add(`the arguments of the call of ${name}, which are no JSON object`);
    return {};
  }
  const exact = parseExactJson(text);
  if (!isObject(exact) || unquoted(exact) === unquoted(args)) return args;
  lost.add(`numbers in the call of ${name}, which become text`);
  return exact;
}

/** What is the same for two values that differ only in what they quote. */
function unquoted(value: JsonObject): string | undefined {
  return jsonText(value)?.replaceAll('"', '');
}

/** The names of the tools called so far, by the id of the call: results carry the id alone. */
export class CallNames {
  readonly #names = new Map<string, string>();

  note({ id, name }: PartOf<'toolCall'>): void {
    this.#names.set(id, name);
  }

  /** Tells `lost` when the call a result answers is not there to name the tool. */
  check({ id, name }: PartOf<'toolResult'>, lost: Set<string>): void {
    if (this.#names.get(id) !== name) lost.add('the name of a tool whose call is not in the conversation');
  }

  result(id: string, text: string): PartOf<'toolResult'> {
    return { type: 'toolResult', id, name: this.#names.get(id) ?? '', text };
  }
}

/** The value when it is a string: a request may hold anything where none is asked for. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const DATA_URL = /^data:([^;,]*);base64,(.*)$/s;

export function dataUrl({ mimeType, data }: PartOf<'image'>): string {
  return `data:${mimeType};base64,${data}`;
}

/** The image within a data URL; undefined when the address is of another kind. */
export function imageOf(url: unknown): PartOf<'image'> | undefined {
  const [, mimeType, data] = DATA_URL.exec(stringOf(url)) ?? [];
  return mimeType === undefined || data === undefined ? undefined : { type: 'image', mimeType, data };
}
