import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import type { ReportedTokens } from './exchangeRecord.ts';

/** Where the formats report tokens: at the end of a reply, some at its beginning too. */
const headBytes = 4 * 1024;
const tailBytes = 16 * 1024;

/**
 * Reads the tokens that a reply reports, while it passes. It keeps the beginning and the end and reads them once,
 * so that an event costs next to nothing; what a reply reports in between counts for nothing.
 */
export class ReplyTokens {
  readonly #head: Uint8Array[] = [];
  #headSize = 0;
  #tail: Uint8Array[] = [];
  #tailSize = 0;

  /** Takes the next bytes, which must not change afterwards. */
  add(bytes: Uint8Array | string): void {
    const chunk = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    if (this.#headSize < headBytes) {
      this.#head.push(chunk.subarray(0, headBytes - this.#headSize));
      this.#headSize += chunk.length;
    }
    this.#tail.push(chunk.subarray(-tailBytes));
    this.#tailSize += Math.min(chunk.length, tailBytes);
    // Twice the size, so that each byte is moved once at most.
    if (this.#tailSize > 2 * tailBytes) {
      const kept = Buffer.concat(this.#tail).subarray(-tailBytes);
      this.#tail = [kept];
      this.#tailSize = kept.length;
    }
  }

  get reported(): ReportedTokens | undefined {
    const tail = joined(this.#tail);
    return reportedTokens(this.#headSize < headBytes ? tail : joined(this.#head), tail);
  }
}

function joined(pieces: readonly Uint8Array[]): string {
  const [first, ...others] = pieces;
  if (!first) return '';
  if (others.length > 0) return Buffer.concat(pieces).toString();
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString();
}

function reportedTokens(head: string, tail: string): ReportedTokens | undefined {
  const last = lastUsage(tail);
  let input = inputOf(last);
  let output = outputOf(last);
  if (input === undefined || output === undefined) {
    const first = firstUsage(head);
    input ??= inputOf(first);
    output ??= outputOf(first);
  }
  if (input === undefined && output === undefined) return undefined;
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}

/** In the name of each member that holds counts, in any of the formats. */
const sought = 'usage';

function firstUsage(text: string): JsonObject | undefined {
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    const usage = usageAt(text, at);
    if (usage) return usage;
  }
  return undefined;
}

function lastUsage(text: string): JsonObject | undefined {
  for (let at = text.lastIndexOf(sought); at >= 0; at = at === 0 ? -1 : text.lastIndexOf(sought, at - 1)) {
    const usage = usageAt(text, at);
    if (usage) return usage;
  }
  return undefined;
}

const restOfMember = /usage(?:Metadata)?"\s{0,8}:\s{0,8}\{/y;

/** The counts of the member whose name has `usage` here. Within a string its quotes would be escaped. */
function usageAt(text: string, at: number): JsonObject | undefined {
  const start = text.startsWith('total_', at - 6) ? at - 7 : at - 1;
  if (text[start] !== '"' || text[start - 1] === '\\') return undefined;
  restOfMember.lastIndex = at;
  return restOfMember.test(text) ? objectAt(text, restOfMember.lastIndex - 1) : undefined;
}

const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The largest object of counts that is read, in characters. */
const maxUsage = 4_096;

function objectAt(text: string, start: number): JsonObject | undefined {
  let depth = 0;
  for (let at = start; at < Math.min(text.length, start + maxUsage); at++) {
    const character = text.charCodeAt(at);
    if (character === openBrace) depth += 1;
    else if (character === closeBrace) depth -= 1;
    if (depth > 0) continue;
    const value = parseJson(text.slice(start, at + 1));
    return isObject(value) ? value : undefined;
  }
  return undefined;
}

function inputOf(usage: JsonObject | undefined): number | undefined {
  if (!usage) return undefined;
  const told = firstCount(usage, ['prompt_tokens', 'promptTokenCount', 'total_input_tokens', 'input_tokens']);
  // Messages count cached input beside the other input.
  const cached = sum(usage, ['cache_creation_input_tokens', 'cache_read_input_tokens']);
  return told !== undefined && 'input_tokens' in usage ? told + cached : told;
}

function outputOf(usage: JsonObject | undefined): number | undefined {
  if (!usage) return undefined;
  const told = firstCount(usage, ['completion_tokens', 'total_output_tokens', 'output_tokens']);
  if (told !== undefined) return told;
  const parts = ['candidatesTokenCount', 'thoughtsTokenCount'];
  return parts.some((name) => isCount(usage[name])) ? sum(usage, parts) : undefined;
}

function firstCount(usage: JsonObject, names: readonly string[]): number | undefined {
  for (const name of names) {
    const count = usage[name];
    if (isCount(count)) return Math.round(count);
  }
  return undefined;
}

function sum(usage: JsonObject, names: readonly string[]): number {
  let all = 0;
  for (const name of names) {
    const count = usage[name];
    if (isCount(count)) all += Math.round(count);
  }
  return all;
}

/** More than any reply has. One such figure would make all later sums useless. */
const maxCount = 1e12;

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= maxCount;
}
