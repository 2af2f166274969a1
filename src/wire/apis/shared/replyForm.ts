import { isObject, type JsonObject, parseForWriting } from '../../../base/json.ts';
import type { Usage } from '../../chatEvent.ts';
import type { Finish, Section, SectionStep } from '../../stream/sections.ts';
import type { ErrorDetails } from './errorFormat.ts';
import { isTooDeep, maxDepth } from './messageParts.ts';

/** The properties of a reply that all its events share. */
export interface ReplyFacts {
  readonly id: string;
  readonly model: string;
  readonly createdAt: Date;
  /** The id of the request. */
  readonly requestId: string;
  /** The token counts that are known so far. */
  usage(): Usage | undefined;
}

/** A complete choice of a reply. */
export interface ReplyChoice {
  readonly sections: readonly Section[];
  readonly finish: Finish;
}

/** Writes one streamed reply. The methods are called in this order, and each returns complete events. */
export interface StreamWriter {
  readonly contentType: string;
  open(): string;
  writeStep(step: SectionStep, choice: number): string;
  /** @param finishes one for each choice */
  end(finishes: readonly Finish[]): string;
  /** Called instead of the remaining methods if the reply fails. */
  fail(error: ErrorDetails): string;
}

/** How an API format writes the replies to a request. */
export interface ReplyForm {
  /** Whether a call contains its signature; otherwise the reasoning next to the call contains it. */
  readonly signsCalls: boolean;
  /** The code of a blocked prompt, if the format has a fixed set of codes. */
  readonly blockedCode?: string;
  /** The body of a reply that is not streamed. */
  writeBody(facts: ReplyFacts, choices: readonly [ReplyChoice, ...ReplyChoice[]]): object;
  /** Creates the writer of a streamed reply with this number of choices. */
  createWriter(facts: ReplyFacts, choices: number): StreamWriter;
}

/** Thrown if a reply contains something that the caller's API format cannot express. */
export class UnconvertibleReplyError extends Error {
  override readonly name = 'UnconvertibleReplyError';
}

/** Thrown if a reply ended without content, for a reason that the caller's API format cannot express. */
export class EmptyReplyError extends Error {
  override readonly name = 'EmptyReplyError';

  /** @param reason the upstream's word for the reason */
  constructor(reason: string) {
    const word = /^[\w .:-]{1,60}$/.test(reason) ? ` for the reason ${reason}` : '';
    super(`The model returned an empty reply${word}. Send the request again, or use another model.`);
  }
}

/** The texts of all sections of a kind, joined. */
export function joinSections(sections: readonly Section[], kind: Section['head']['kind']): string {
  return sections
    .filter(({ head }) => head.kind === kind)
    .map(({ text }) => text)
    .join('');
}

/** A picture at an address, for formats whose replies contain only text. */
export function writePictureLink(url: string): string {
  return `\n![](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)\n`;
}

/**
 * The arguments of a call as the object that some formats require. If the reply ended inside the arguments, only
 * the complete members are returned.
 *
 * @throws {UnconvertibleReplyError} if they are not an object, or are nested too deeply
 */
export function readCallArguments(
  name: string,
  { text, isCut }: Pick<Section, 'text' | 'isCut'>,
): JsonObject {
  const args = text === '' ? {} : parseArguments(name, text);
  if (isObject(args)) return args;
  const partial = isCut ? parseArguments(name, closeJson(text)) : undefined;
  if (isObject(partial)) return partial;
  if (isCut) return {};
  throw createUnconvertibleError(name, 'are not a JSON object');
}

function parseArguments(name: string, json: string): unknown {
  if (isTooDeep(json)) throw createUnconvertibleError(name, `are nested deeper than ${maxDepth} levels`);
  return parseForWriting(json);
}

/** Closes incomplete JSON text: removes its last unfinished member, and adds the missing brackets. */
function closeJson(json: string): string {
  const openBrackets: string[] = [];
  let end = 0;
  let isKey = false;
  for (let position = 0; position < json.length; position++) {
    const token = json[position] ?? '';
    if (token === '"') {
      position = findStringEnd(json, position);
      if (position < 0) break;
      if (!isKey) end = position + 1;
    } else if (token === '{' || token === '[') {
      openBrackets.push(token === '{' ? '}' : ']');
      end = position + 1;
    } else if (token === '}' || token === ']') {
      openBrackets.pop();
      end = position + 1;
    } else if (token === ',') end = position;
    else continue;
    isKey = (token === '{' || token === ',') && openBrackets.at(-1) === '}';
  }
  return json.slice(0, end) + openBrackets.reverse().join('');
}

/** The position of the closing quote of a string; -1 if the string is not closed. */
function findStringEnd(json: string, start: number): number {
  for (let position = start + 1; position < json.length; position++) {
    if (json[position] === '"') return position;
    if (json[position] === '\\') position++;
  }
  return -1;
}

function createUnconvertibleError(tool: string, problem: string): UnconvertibleReplyError {
  return new UnconvertibleReplyError(
    `The model called the tool "${tool}" with arguments that ${problem}. The API format of the request does not support such arguments.`,
  );
}
