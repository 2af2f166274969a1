import { isObject, type JsonObject, parseForWriting } from '../../../base/json.ts';
import type { Usage } from '../../chatEvent.ts';
import type { Finish, Section, Step } from '../../stream/sections.ts';
import { isTooDeep, maxDepth } from './encoding.ts';
import type { ErrorDetails } from './errorFormat.ts';

/** What all parts of a reply share. */
export interface ReplyFacts {
  readonly id: string;
  readonly model: string;
  readonly createdAt: Date;
  /** The id of the request. */
  readonly requestId: string;
  /** The token counts as far as they are known. */
  usage(): Usage | undefined;
}

/** One answer of a reply, whole. */
export interface Choice {
  readonly sections: readonly Section[];
  readonly finish: Finish;
}

/** Writes one streamed reply. Its methods are called in this order, and each returns whole events. */
export interface StreamWriter {
  readonly contentType: string;
  opening(): string;
  step(step: Step, choice: number): string;
  /** @param finishes one for each choice */
  ending(finishes: readonly Finish[]): string;
  /** Called in place of the rest when the reply breaks off. */
  brokenOff(error: ErrorDetails): string;
}

/** How an API format writes replies to one request. */
export interface ReplyForm {
  /** Whether a call holds its signature. Where it does not, reasoning next to the call holds it. */
  readonly signsCalls: boolean;
  /** The code of a blocked prompt, where the format has a fixed set of codes. */
  readonly blockedCode?: string;
  /** The body of a reply that is not streamed. */
  whole(facts: ReplyFacts, choices: readonly [Choice, ...Choice[]]): object;
  stream(facts: ReplyFacts, choices: number): StreamWriter;
}

/** A reply holds something that the caller's API format has no place for. */
export class UnconvertibleReply extends Error {
  override readonly name = 'UnconvertibleReply';
}

/** A reply ended without an answer, for a reason that the caller's API format has no word for. */
export class WordlessReply extends Error {
  override readonly name = 'WordlessReply';

  /** @param reason the upstream's own word */
  constructor(reason: string) {
    const word = /^[\w .:-]{1,60}$/.test(reason) ? `, for the reason ${reason}` : '';
    super(`The model ended its reply without a word${word}. Ask again, or ask another model.`);
  }
}

/** The texts of all sections of a kind, joined. */
export function textOf(sections: readonly Section[], kind: Section['head']['kind']): string {
  return sections
    .filter(({ head }) => head.kind === kind)
    .map(({ text }) => text)
    .join('');
}

/** A picture that lies elsewhere, for formats whose answers hold text alone. */
export function pictureInText(url: string): string {
  return `\n![](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)\n`;
}

/** Seconds since 1970. */
export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

/**
 * The arguments of a call as the object that some formats require. If the reply ended inside them, the members before
 * that.
 *
 * @throws {UnconvertibleReply} when they are not an object, or are too deep to be written
 */
export function callArguments(name: string, { text, isCut }: Pick<Section, 'text' | 'isCut'>): JsonObject {
  const args = text === '' ? {} : checked(name, text);
  if (isObject(args)) return args;
  const begun = isCut ? checked(name, completed(text)) : undefined;
  if (isObject(begun)) return begun;
  if (isCut) return {};
  throw unconvertible(name, 'are not a JSON object');
}

function checked(name: string, json: string): unknown {
  if (isTooDeep(json)) throw unconvertible(name, `are nested deeper than ${maxDepth} levels`);
  return parseForWriting(json);
}

/** JSON text that ended early, without its last unfinished member, and with the brackets that are missing. */
function completed(json: string): string {
  const open: string[] = [];
  let end = 0;
  let isKey = false;
  for (let at = 0; at < json.length; at++) {
    const token = json[at] ?? '';
    if (token === '"') {
      at = stringEnd(json, at);
      if (at < 0) break;
      if (!isKey) end = at + 1;
    } else if (token === '{' || token === '[') {
      open.push(token === '{' ? '}' : ']');
      end = at + 1;
    } else if (token === '}' || token === ']') {
      open.pop();
      end = at + 1;
    } else if (token === ',') end = at;
    else continue;
    isKey = (token === '{' || token === ',') && open.at(-1) === '}';
  }
  return json.slice(0, end) + open.reverse().join('');
}

/** Where the string ends that begins here; -1 if it is not closed. */
function stringEnd(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === '"') return at;
    if (json[at] === '\\') at++;
  }
  return -1;
}

function unconvertible(tool: string, problem: string): UnconvertibleReply {
  return new UnconvertibleReply(
    `The model called the tool "${tool}" with arguments that ${problem}, which the API format of the request cannot hold.`,
  );
}
