import { isObject, type JsonObject, parseExactJson, parseForWriting, parseJson } from '../../../base/json.ts';
import { explain, type SentenceIdWith } from '../../explanations/explanation.ts';
import type { ForeignPart, ForeignResult, Message, Omissions } from '../../message.ts';

type Misplaced = { readonly [Type in ForeignPart['type']]?: SentenceIdWith<never> };

/** By role: the parts that no format accepts in its messages, and the sentences that report them. */
const misplacedParts: Readonly<Record<Message['role'], Misplaced>> = {
  system: {
    image: 'omitted-image-of-system',
    imageLink: 'omitted-image-of-system',
    reasoning: 'omitted-reasoning-of-system',
    toolCall: 'omitted-tool-call-of-system',
    toolResult: 'omitted-tool-result-of-system',
  },
  user: { reasoning: 'omitted-reasoning-of-user', toolCall: 'omitted-tool-call-of-user' },
  assistant: {
    image: 'omitted-image-of-assistant',
    imageLink: 'omitted-image-of-assistant',
    toolResult: 'omitted-tool-result-of-assistant',
  },
};

export type PartOf<Type extends ForeignPart['type']> = Extract<ForeignPart, { type: Type }>;

/**
 * The parts of a message that every format accepts for its role, without empty texts. Adds the others to
 * `omitted`.
 */
export function dropMisplacedParts<Part extends ForeignPart>(
  { role, parts }: Message<Part>,
  omitted: Omissions,
): readonly Part[] {
  return parts.filter((part) => {
    if (part.type === 'text' && part.text === '') return false;
    const omission = misplacedParts[role][part.type];
    if (omission !== undefined) omitted.add(explain(omission));
    return omission === undefined;
  });
}

export function isPart<Type extends ForeignPart['type']>(type: Type) {
  return (part: ForeignPart): part is PartOf<Type> => part.type === type;
}

/** The arguments of a call as an object. Adds to `omitted` if they are not an object. */
export function readArguments({ name, arguments: text }: PartOf<'toolCall'>, omitted: Omissions): JsonObject {
  const args = text === '' ? {} : parseForWriting(text);
  if (isObject(args)) return args;
  omitted.add(explain('omitted-call-arguments', { tool: name }));
  return {};
}

/** The names of the called tools by the ids of their calls, because results have only the id. */
export class CallNames {
  readonly #names = new Map<string, string>();

  add({ id, name }: Pick<PartOf<'toolCall'>, 'id' | 'name'>): void {
    this.#names.set(id, name);
  }

  addAll(parts: readonly ForeignPart[]): void {
    for (const part of parts) if (part.type === 'toolCall') this.add(part);
  }

  /** Adds to `omitted` if the call of a result is missing, because only the call has the name of the tool. */
  checkResult({ id, name }: PartOf<'toolResult'>, omitted: Omissions): void {
    if (this.#names.get(id) !== name) omitted.add(explain('omitted-tool-name'));
  }

  createResult(id: string, content: Pick<ForeignResult, 'text' | 'pictures' | 'hasFailed'>): ForeignResult {
    return { type: 'toolResult', id, name: this.#names.get(id) ?? '', ...content };
  }
}

/** The value if it is a string, otherwise an empty string: the schemas allow other values. */
export function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A time in whole seconds since 1970, from milliseconds. */
export function toUnixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

const dataUrlPattern = /^data:([^;,]*);base64,(.*)$/s;

export function writeDataUrl({ mimeType, data }: PartOf<'image' | 'document'>): string {
  return `data:${mimeType};base64,${data}`;
}

/** The image within a data URL; undefined for any other address. */
export function readDataUrl(url: unknown): PartOf<'image'> | undefined {
  const [, mimeType, data] = dataUrlPattern.exec(stringOrEmpty(url)) ?? [];
  return mimeType === undefined || data === undefined ? undefined : { type: 'image', mimeType, data };
}

/** The deepest JSON that is converted between formats. JSON.stringify runs out of stack on much deeper values. */
export const maxDepth = 500;

/**
 * Whether JSON text, such as the arguments of a call, is nested too deeply to become part of a body. A pattern
 * would need quadratic time for strings without an end, and would overflow the stack for long strings.
 */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let position = 0; position < json.length; position++) {
    const character = json[position];
    if (character === '\\') position++;
    else if (character === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

/**
 * Parses a payload of a format whose calls have JSON values as arguments. These may contain large integer ids, which
 * become text.
 *
 * @returns the value of the JSON text; undefined if it is not JSON
 */
export function parseCalls(json: string): unknown {
  return json.includes('"function') || json.includes('"tool_use"') ? parseExactJson(json) : parseJson(json);
}
