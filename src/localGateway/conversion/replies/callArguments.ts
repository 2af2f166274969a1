import { isObject, type JsonObject, parseForWriting } from '../../../base/json.ts';
import { isTooDeep, maxDepth } from '../depth.ts';
import { UnconvertibleReply } from './replyForm.ts';
import type { Section } from './sections.ts';

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
