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
    return reportedTokens(Buffer.concat(this.#head).toString(), Buffer.concat(this.#tail).toString());
  }
}

function reportedTokens(head: string, tail: string): ReportedTokens | undefined {
  const first = usages(head)[0];
  const last = usages(tail).at(-1);
  const input = inputOf(last) ?? inputOf(first);
  const output = outputOf(last) ?? outputOf(first);
  if (input === undefined && output === undefined) return undefined;
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}

/** Members that hold counts, in any of the formats. Within a string their quotes would be escaped. */
const usageMember = /(?<!\\)"(?:usage|usageMetadata|total_usage)"\s{0,8}:\s{0,8}\{/g;

function usages(text: string): readonly JsonObject[] {
  return [...text.matchAll(usageMember)].flatMap(({ 0: found, index }) => {
    const usage = objectAt(text, index + found.length - 1);
    return usage ? [usage] : [];
  });
}

/** The largest object of counts that is read, in characters. */
const maxUsage = 4_096;

function objectAt(text: string, start: number): JsonObject | undefined {
  let depth = 0;
  for (let at = start; at < Math.min(text.length, start + maxUsage); at++) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
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
  return names.map((name) => usage[name]).find(isCount);
}

function sum(usage: JsonObject, names: readonly string[]): number {
  return names
    .map((name) => usage[name])
    .filter(isCount)
    .reduce((all, count) => all + count, 0);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
