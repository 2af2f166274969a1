import { isObject, type JsonObject, jsonText, parseExactJson, parseJson } from '../../base/json.ts';
import type { Message, MessagePart } from '../message.ts';

/** What each part is called for the user. */
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
 * The parts of a message that a message of its role can hold in every format, without empty text. Adds the
 * names of the others to `lost`.
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
 * The arguments of a call as an object. Adds to `lost` when the model wrote something else, or a number that
 * JSON.parse rounds.
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

/** The JSON text without the contents of strings, to compare two values. */
function unquoted(value: JsonObject): string | undefined {
  return jsonText(value)?.replaceAll('"', '');
}

/** The names of the tools called so far, by the id of the call, since results have the id alone. */
export class CallNames {
  readonly #names = new Map<string, string>();

  note({ id, name }: PartOf<'toolCall'>): void {
    this.#names.set(id, name);
  }

  /** Adds to `lost` when the call of a result is missing, which names the tool. */
  check({ id, name }: PartOf<'toolResult'>, lost: Set<string>): void {
    if (this.#names.get(id) !== name) lost.add('the name of a tool whose call is not in the conversation');
  }

  result(id: string, text: string): PartOf<'toolResult'> {
    return { type: 'toolResult', id, name: this.#names.get(id) ?? '', text };
  }
}

/** The value if it is a string, or an empty one: the schemas let other values pass. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const dataUrlPattern = /^data:([^;,]*);base64,(.*)$/s;

export function dataUrl({ mimeType, data }: PartOf<'image'>): string {
  return `data:${mimeType};base64,${data}`;
}

/** The image within a data URL; undefined for any other address. */
export function imageOf(url: unknown): PartOf<'image'> | undefined {
  const [, mimeType, data] = dataUrlPattern.exec(stringOf(url)) ?? [];
  return mimeType === undefined || data === undefined ? undefined : { type: 'image', mimeType, data };
}
