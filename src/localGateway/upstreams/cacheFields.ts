import { deepJsonText, isObject, type JsonObject, parseForWriting } from '../../base/json.ts';
import { cacheMembers } from '../../wire/apis/shared/receivedRequest.ts';
import type { RequestBody } from '../http/requestBody.ts';

/** The members for prompt caching at the top level of a request. */
const requestMembers: readonly string[] = [
  ...cacheMembers,
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
];

/** The members whose elements may have a cache mark, or contain such members. */
const partMembers: readonly string[] = [
  'system',
  'messages',
  'content',
  'output',
  'tools',
  // LiteLLM reads marks of calls. In the messages API, tool_references are the tools that a search found.
  'tool_calls',
  'tool_references',
];

/** The members of messages whose single object may contain such members: a document, or the result of a server's tool. */
const objectMembers: readonly string[] = ['content', 'source'];

/** A body without fields for prompt caching. */
interface PlainBody {
  readonly bytes: Uint8Array;
  /** The paths of the removed fields, each once, such as `messages[].cache_control`. */
  readonly dropped: readonly string[];
}

/**
 * Removes the fields for prompt caching from a request of any format. Arguments of calls and schemas are unchanged,
 * because their members may have the same names.
 *
 * @returns undefined if the request has no such fields
 */
export function removeCacheFields({ bytes }: Pick<RequestBody, 'bytes'>): PlainBody | undefined {
  const text = new TextDecoder().decode(bytes);
  if (!requestMembers.some((name) => text.includes(name))) return undefined;
  const body = parseForWriting(text);
  if (!isObject(body)) return undefined;
  const dropped = new Set<string>();
  const plain = removeMembers(body, requestMembers, '', dropped);
  return dropped.size === 0 ? undefined : { bytes: Buffer.from(deepJsonText(plain)), dropped: [...dropped] };
}

function removeMembers(
  object: JsonObject,
  names: readonly string[],
  base: string,
  dropped: Set<string>,
): JsonObject {
  const entries = Object.entries(object).flatMap(([name, value]) => {
    if (names.includes(name)) {
      dropped.add(base + name);
      return [];
    }
    return [[name, removeFromMember(name, value, base, dropped)] as const];
  });
  return Object.fromEntries(entries);
}

function removeFromMember(name: string, value: unknown, base: string, dropped: Set<string>): unknown {
  const path = base + name;
  if (isObject(value)) {
    const isTyped = objectMembers.includes(name) && typeof value.type === 'string';
    const isFunction = base === 'tools[].' && name === 'function';
    return isTyped || isFunction ? removeMembers(value, cacheMembers, `${path}.`, dropped) : value;
  }
  // Inside a part, the input contains the arguments of a call.
  const hasParts = partMembers.includes(name) || (name === 'input' && base === '');
  if (!hasParts || !Array.isArray(value)) return value;
  return value.map((each: unknown) =>
    isObject(each) ? removeMembers(each, cacheMembers, `${path}[].`, dropped) : each,
  );
}
