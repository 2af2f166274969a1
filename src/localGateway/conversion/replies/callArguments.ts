import { isObject, type JsonObject, parseForWriting } from '../../../base/json.ts';
import { isTooDeep, maxDepth } from '../depth.ts';
import { UnconvertibleReply } from './unconvertibleReply.ts';

/**
 * The arguments of a call as the object that some formats want.
 *
 * @throws {UnconvertibleReply} when they are none, or too deep to be written
 */
export function callArguments(name: string, text: string): JsonObject {
  if (isTooDeep(text)) throw unconvertible(name, `are nested deeper than ${maxDepth} levels`);
  const args = text === '' ? {} : parseForWriting(text);
  if (isObject(args)) return args;
  throw unconvertible(name, 'are no JSON object');
}

function unconvertible(tool: string, problem: string): UnconvertibleReply {
  return new UnconvertibleReply(
    `The model called the tool "${tool}" with arguments that ${problem}, which the API format of the request cannot hold.`,
  );
}
