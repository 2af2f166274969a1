import { isObject, type JsonObject, parseForWriting } from '../../../base/json.ts';
import { explain, type SentenceNaming } from '../../explanations/explanation.ts';
import type { ForeignPart, ForeignResult, Message } from '../../message.ts';
import type { Omissions } from '../../omissions.ts';

type Misplaced = { readonly [Type in ForeignPart['type']]?: SentenceNaming<never> };

/** The parts that no format takes in a message of a role, and how each is told. */
const misplaced: Readonly<Record<Message['role'], Misplaced>> = {
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
 * The parts of a message that a message of its role can hold in every format, without empty text. Adds the
 * others to `omitted`.
 */
export function placedParts<Part extends ForeignPart>(
  { role, parts }: Message<Part>,
  omitted: Omissions,
): readonly Part[] {
  return parts.filter((part) => {
    if (part.type === 'text' && part.text === '') return false;
    const omission = misplaced[role][part.type];
    if (omission !== undefined) omitted.add(explain(omission));
    return omission === undefined;
  });
}

export function isPart<Type extends ForeignPart['type']>(type: Type) {
  return (part: ForeignPart): part is PartOf<Type> => part.type === type;
}

/** The arguments of a call as an object. Adds to `omitted` when the model wrote something else. */
export function argumentsObject(
  { name, arguments: text }: PartOf<'toolCall'>,
  omitted: Omissions,
): JsonObject {
  const args = text === '' ? {} : parseForWriting(text);
  if (isObject(args)) return args;
  omitted.add(explain('omitted-call-arguments', { tool: name }));
  return {};
}

/** The names of the tools called so far, by the id of the call, since results have the id alone. */
export class CallNames {
  readonly #names = new Map<string, string>();

  note({ id, name }: Pick<PartOf<'toolCall'>, 'id' | 'name'>): void {
    this.#names.set(id, name);
  }

  noteAll(parts: readonly ForeignPart[]): void {
    for (const part of parts) if (part.type === 'toolCall') this.note(part);
  }

  /** Adds to `omitted` when the call of a result is missing, which names the tool. */
  check({ id, name }: PartOf<'toolResult'>, omitted: Omissions): void {
    if (this.#names.get(id) !== name) omitted.add(explain('omitted-tool-name'));
  }

  result(id: string, content: Pick<ForeignResult, 'text' | 'pictures' | 'failed'>): ForeignResult {
    return { type: 'toolResult', id, name: this.#names.get(id) ?? '', ...content };
  }
}

/** The value if it is a string, or an empty one: the schemas let other values pass. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const dataUrlPattern = /^data:([^;,]*);base64,(.*)$/s;

export function dataUrl({ mimeType, data }: PartOf<'image' | 'document'>): string {
  return `data:${mimeType};base64,${data}`;
}

/** The image within a data URL; undefined for any other address. */
export function imageOf(url: unknown): PartOf<'image'> | undefined {
  const [, mimeType, data] = dataUrlPattern.exec(stringOf(url)) ?? [];
  return mimeType === undefined || data === undefined ? undefined : { type: 'image', mimeType, data };
}

/** The deepest JSON that is converted between formats. JSON.stringify runs out of stack on much deeper values. */
export const maxDepth = 500;

/** Whether JSON text, such as the arguments of a call, is nested too deeply to become part of a body. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{}\]]/gs)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}
