import { isObject, type JsonObject, nonEmptyString, parseJson } from '../../base/json.ts';
import { readChatCompletionsUsage } from '../../wire/apis/chatCompletions/readReply.ts';
import { readContentGenerationUsage } from '../../wire/apis/contentGeneration/readReply.ts';
import { readInteractionsUsage } from '../../wire/apis/interactions/readReply.ts';
import { readMessagesUsage } from '../../wire/apis/messages/readReply.ts';
import { findServiceTier, type ServiceTier } from '../../wire/apis/models/serviceTier.ts';
import { readResponsesUsage } from '../../wire/apis/responses/readReply.ts';
import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import { type ChatEvent, type Usage, usageNames } from '../../wire/chatEvent.ts';
import { readReportedCost } from '../../wire/reportedCost.ts';
import { type RawUsage, readValidUsage } from '../../wire/stream/decodedReply.ts';
import { ReplyDecoder } from '../../wire/stream/replyDecoder.ts';
import { measureReplyText } from '../../wire/stream/textLength.ts';
import { joinPieces } from '../json/bodyPieces.ts';

/** The tokens that a reply reports. `totalTokens` only if they are more than the input and the output together. */
export interface ReportedTokens extends Usage {
  /** The reported cost, in US dollars. */
  readonly costUsd?: number;
  /** The service tier that processed the request, if it has separate prices. */
  readonly service?: ServiceTier;
}

/**
 * The sizes of the parts of a reply that are searched. Formats report tokens at its end, and some of them also at
 * its beginning.
 */
const headBytes = 4 * 1024;
const tailBytes = 16 * 1024;

/**
 * Reads the tokens that a reply reports. It stores only the beginning and the end of the reply, and reads them
 * once, so that each event costs little time. Reports in between are ignored.
 */
export class ReplyTokens {
  readonly #head: Uint8Array[] = [];
  #headSize = 0;
  #tail: Uint8Array[] = [];
  #tailSize = 0;
  readonly #decoder: ReplyDecoder | undefined;
  #textLength = 0;

  /** @param format the format of a reply whose text is measured, which takes time */
  constructor(format?: TextFormatId) {
    this.#decoder = format && new ReplyDecoder(textFormat(format).createDecoder(), 'none');
  }

  /** Adds the next bytes, which must not change afterwards. */
  add(bytes: Uint8Array | string): void {
    const chunk = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.#measure(this.#decoder?.write(chunk));
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

  /**
   * Measures the text of the whole reply, in UTF-16 units. Call it once, after the last byte.
   *
   * @returns undefined if it was not measured
   */
  measureText(): number | undefined {
    this.#measure(this.#decoder?.flush());
    return this.#decoder && this.#textLength;
  }

  #measure(events: readonly ChatEvent[] = []): void {
    for (const event of events) this.#textLength += measureReplyText(event);
  }

  get reported(): ReportedTokens | undefined {
    // The names and values of counts are ASCII, and reading them so is faster.
    const tail = joinPieces(this.#tail).toString('latin1');
    const head = this.#headSize < headBytes ? '' : joinPieces(this.#head).toString('latin1');
    return findReportedTokens(head, tail);
  }
}

function findReportedTokens(head: string, tail: string): ReportedTokens | undefined {
  const [last, ...others] = [...listReports(tail), ...listReports(head)];
  if (!last) return undefined;
  // A report that shrinks must not hide costs.
  const { tier, totalTokens, ...counts } = others.reduce(selectLargest, last);
  const { inputTokens = 0, outputTokens = 0, costUsd } = counts;
  // A normal sum only repeats the other counts.
  const reported =
    totalTokens !== undefined && totalTokens > inputTokens + outputTokens
      ? { ...counts, totalTokens }
      : counts;
  if ((counts.inputTokens ?? counts.outputTokens ?? costUsd ?? totalTokens) === undefined) return undefined;
  return { ...reported, ...readService(tier ?? findLastTier(tail) ?? findLastTier(head)) };
}

interface Report extends Omit<ReportedTokens, 'service'> {
  /** The provider's name of the service tier. */
  readonly tier?: string;
}

const countNames = [...usageNames, 'costUsd'] as const satisfies readonly (keyof Report)[];

/** Selects the largest value of each count, and the first service tier. */
function selectLargest(one: Report, other: Report): Report {
  const tier = one.tier ?? other.tier;
  const counts: { -readonly [Name in keyof Report]: Report[Name] } = tier === undefined ? {} : { tier };
  for (const name of countNames) {
    const count = Math.max(one[name] ?? -1, other[name] ?? -1);
    if (count >= 0) counts[name] = count;
  }
  return counts;
}

/** A part of the name of each member with counts, in every format. */
const usageWord = 'usage';

/** Lists the reports in a text, the last one first. */
function listReports(text: string): readonly Report[] {
  const found: Report[] = [];
  // Searching forward is much faster than backward.
  for (let i = text.indexOf(usageWord); i >= 0; i = text.indexOf(usageWord, i + 1)) {
    const report = readReportAt(text, i);
    if (report) found.push(report);
  }
  return found.reverse();
}

const restOfMember = /usage(?:_?[Mm]etadata)?"\s{0,8}:\s{0,8}\{/y;

/**
 * Reads the counts of the member whose name has `usage` at an index. A name with escaped quotes is inside a string,
 * and is ignored.
 */
function readReportAt(text: string, index: number): Report | undefined {
  const start = text.startsWith('total_', index - 6) ? index - 7 : index - 1;
  if (text[start] !== '"' || text[start - 1] === '\\') return undefined;
  restOfMember.lastIndex = index;
  const usage = restOfMember.test(text) ? readObjectAt(text, restOfMember.lastIndex - 1) : undefined;
  if (!usage) return undefined;
  const { outputTokens, totalTokens, ...counts } = readValidUsage(readUsage(usage)) ?? {};
  const costUsd = readReportedCost(usage);
  const { speed, serviceTier, service_tier, trafficType, traffic_type } = usage;
  const named = serviceTier ?? service_tier ?? trafficType ?? traffic_type;
  // The messages API reports the fast tier in a separate field.
  const tier = nonEmptyString(speed === 'fast' ? speed : named);
  return {
    ...counts,
    // The first event of a message reports a preliminary output.
    ...(!isInMessageStart(text, start) && {
      ...(outputTokens !== undefined && { outputTokens }),
      ...(totalTokens !== undefined && { totalTokens }),
    }),
    ...(costUsd !== undefined && { costUsd }),
    ...(tier !== undefined && { tier }),
  };
}

/** Adds the tokens that an event reports. A report that shrinks must not hide costs. */
export function addCosts(tokens: ReportedTokens = {}, event: ChatEvent): ReportedTokens {
  const { service, ...counts } = tokens;
  if (event.type === 'serviceTier') return { ...counts, ...readService(event.name) };
  if (event.type !== 'usage' && event.type !== 'cost') return tokens;
  const reported = event.type === 'cost' ? { costUsd: event.usd } : event.usage;
  return { ...selectLargest(counts, reported), ...(service && { service }) };
}

function readService(tier: string | undefined): Pick<ReportedTokens, 'service'> {
  // An unknown tier counts as the most expensive one.
  const service = findServiceTier(tier) ?? 'priority';
  return service === 'standard' ? {} : { service };
}

/** Reads the counts in the format to which their names belong. */
function readUsage(usage: JsonObject): RawUsage {
  if ('prompt_tokens' in usage || 'completion_tokens' in usage) return readChatCompletionsUsage(usage);
  if ('input_tokens_details' in usage) return readResponsesUsage(usage);
  // Counts of responses without details have the same names and the same meaning as counts of messages.
  if ('input_tokens' in usage || 'output_tokens' in usage) return readIterations(usage);
  if ('total_input_tokens' in usage || 'total_output_tokens' in usage) return readInteractionsUsage(usage);
  if ('total_tokens' in usage) return readChatCompletionsUsage(usage);
  return readContentGenerationUsage(usage);
}

/** Reads the counts of a message, with the iterations of an advisor and of compactions, which its sums omit. */
function readIterations(usage: JsonObject): RawUsage {
  const counts = readValidUsage(readMessagesUsage(usage)) ?? {};
  const { iterations } = usage;
  if (!Array.isArray(iterations)) return counts;
  const parts = iterations.filter(isObject).map((each) => readValidUsage(readMessagesUsage(each)) ?? {});
  const sums = usageNames.map((name) => [name, parts.reduce((sum, each) => sum + (each[name] ?? 0), 0)]);
  return selectLargest(counts, Object.fromEntries(sums.filter(([, sum]) => sum !== 0)));
}

// Without the opening quote, which would make the search slow because most texts have many quotes.
const messageStart = 'message_start"';
const tierName = 'service_tier"';

/** Whether the event at an index is the first one of a message. */
function isInMessageStart(text: string, index: number): boolean {
  return text.slice(text.lastIndexOf('\n', index) + 1, index).includes(messageStart);
}

const restOfTier = /\s{0,8}:\s{0,8}"(\w{1,40})"/y;

/**
 * Finds the last service tier that a text names outside the counts. A name with escaped quotes is inside a string,
 * and is ignored.
 */
function findLastTier(text: string): string | undefined {
  const index = text.includes(tierName) ? text.lastIndexOf(tierName) : -1;
  if (index < 0 || text[index - 1] !== '"' || text[index - 2] === '\\') return undefined;
  restOfTier.lastIndex = index + tierName.length;
  return restOfTier.exec(text)?.[1];
}

const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The longest object of counts that is read, in characters. */
const maxUsageLength = 12 * 1024;

function readObjectAt(text: string, start: number): JsonObject | undefined {
  let depth = 0;
  for (let i = start; i < Math.min(text.length, start + maxUsageLength); i++) {
    const character = text.charCodeAt(i);
    if (character === openBrace) depth += 1;
    else if (character === closeBrace) depth -= 1;
    if (depth > 0) continue;
    const value = parseJson(text.slice(start, i + 1));
    return isObject(value) ? value : undefined;
  }
  return undefined;
}
