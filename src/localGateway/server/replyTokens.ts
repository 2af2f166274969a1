import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { reportedCost } from '../../wire/reportedCost.ts';
import { joinPieces } from '../json/bodyPieces.ts';

/** The tokens that a reply reports. */
export interface ReportedTokens {
  readonly input?: number;
  readonly output?: number;
  /** Input that the provider read from its cache, and input that it wrote there, within the input. */
  readonly cached?: number;
  readonly cacheWritten?: number;
  /** The reported cost, in US dollars. */
  readonly costUsd?: number;
}

/** The searched length of a reply. Formats report tokens at its end, and some of them also at its beginning. */
const headBytes = 4 * 1024;
const tailBytes = 16 * 1024;

/**
 * Reads the tokens that a reply reports, while it passes. It stores only the beginning and the end and reads them
 * once, so that events have almost no cost; reports in between are ignored.
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
    // Twice the size, so that each byte is moved at most once.
    if (this.#tailSize > 2 * tailBytes) {
      const tail = Buffer.concat(this.#tail).subarray(-tailBytes);
      this.#tail = [tail];
      this.#tailSize = tail.length;
    }
  }

  get reported(): ReportedTokens | undefined {
    const tail = joinPieces(this.#tail).toString();
    const head = this.#headSize < headBytes ? tail : joinPieces(this.#head).toString();
    return reportedTokens(head, tail);
  }
}

function reportedTokens(head: string, tail: string): ReportedTokens | undefined {
  const [last, previous] = lastUsages(tail);
  // A report that shrinks must not hide costs.
  let input = larger(inputOf(last), inputOf(previous));
  let output = larger(outputOf(last), outputOf(previous));
  const first = input === undefined || output === undefined ? firstUsage(head) : undefined;
  input ??= inputOf(first);
  output ??= outputOf(first);
  const costUsd = larger(costOf(last), costOf(previous));
  if (input === undefined && output === undefined && costUsd === undefined) return undefined;
  const cached = cachedOf(last) ?? cachedOf(first);
  const cacheWritten = cacheWrittenOf(last) ?? cacheWrittenOf(first);
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(cached !== undefined && { cached }),
    ...(cacheWritten !== undefined && { cacheWritten }),
    ...(costUsd !== undefined && { costUsd }),
  };
}

function costOf(usage: JsonObject | undefined): number | undefined {
  return usage && reportedCost(usage);
}

function larger(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

/** A part of the name of each member with counts, in all formats. */
const usageWord = 'usage';

function firstUsage(text: string): JsonObject | undefined {
  for (let i = text.indexOf(usageWord); i >= 0; i = text.indexOf(usageWord, i + 1)) {
    const usage = usageAt(text, i);
    if (usage) return usage;
  }
  return undefined;
}

/** The last report, and the one before it. */
function lastUsages(text: string): readonly JsonObject[] {
  const found: JsonObject[] = [];
  for (let i = text.lastIndexOf(usageWord); i >= 0; i = i === 0 ? -1 : text.lastIndexOf(usageWord, i - 1)) {
    const usage = usageAt(text, i);
    if (usage) found.push(usage);
    if (found.length === 2) break;
  }
  return found;
}

const restOfMember = /usage(?:Metadata)?"\s{0,8}:\s{0,8}\{/y;

/** The counts of the member whose name has `usage` at an index. Within a string, its quotes would be escaped. */
function usageAt(text: string, index: number): JsonObject | undefined {
  const start = text.startsWith('total_', index - 6) ? index - 7 : index - 1;
  if (text[start] !== '"' || text[start - 1] === '\\') return undefined;
  restOfMember.lastIndex = index;
  return restOfMember.test(text) ? objectAt(text, restOfMember.lastIndex - 1) : undefined;
}

const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The largest object of counts that is read, in characters. */
const maxUsage = 4_096;

function objectAt(text: string, start: number): JsonObject | undefined {
  let depth = 0;
  for (let i = start; i < Math.min(text.length, start + maxUsage); i++) {
    const character = text.charCodeAt(i);
    if (character === openBrace) depth += 1;
    else if (character === closeBrace) depth -= 1;
    if (depth > 0) continue;
    const value = parseJson(text.slice(start, i + 1));
    return isObject(value) ? value : undefined;
  }
  return undefined;
}

function inputOf(usage: JsonObject | undefined): number | undefined {
  if (!usage) return undefined;
  const count = firstCount(usage, [
    'prompt_tokens',
    'promptTokenCount',
    'total_input_tokens',
    'input_tokens',
  ]);
  // Messages count cached input separately from the other input.
  const cached = sum(usage, ['cache_creation_input_tokens', 'cache_read_input_tokens']);
  return count !== undefined && 'input_tokens' in usage ? count + cached : count;
}

function outputOf(usage: JsonObject | undefined): number | undefined {
  if (!usage) return undefined;
  const count = firstCount(usage, ['completion_tokens', 'total_output_tokens', 'output_tokens']);
  if (count !== undefined) return count;
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
  let total = 0;
  for (const name of names) {
    const count = usage[name];
    if (isCount(count)) total += Math.round(count);
  }
  return total;
}

function cachedOf(usage: JsonObject | undefined): number | undefined {
  if (!usage) return undefined;
  const details = [usage.prompt_tokens_details, usage.input_tokens_details].find(isObject) ?? {};
  const names = ['cache_read_input_tokens', 'cachedContentTokenCount', 'total_cached_tokens'];
  return firstCount(details, ['cached_tokens']) ?? firstCount(usage, names);
}

function cacheWrittenOf(usage: JsonObject | undefined): number | undefined {
  return usage && firstCount(usage, ['cache_creation_input_tokens']);
}

/** Larger figures are ignored, because they would make all later sums useless. */
const maxCount = 1e12;

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= maxCount;
}
