import { mayPass } from '../../storage/sqlite/storageError.ts';
import type { CostRecord, RequestRecord } from '../conversation/record.ts';
import { orNull, wholeTime } from './conversationRows.ts';
import type { StoreContext } from './storeContext.ts';

/** By what usage is summed up. Days and months are those of the time zone in which it was asked. */
export type UsageGroup = 'day' | 'month' | 'model' | 'gateway' | 'asker';

/** Who asks beside our chats. Each counts as one conversation of that name. */
export const otherAskers = ['vscodeChat', 'extensions', 'agents'] as const;

export type OtherAsker = (typeof otherAskers)[number];

export interface UsageQuery {
  /** The first one first; none for one sum of all. */
  readonly by: readonly UsageGroup[];
  /** Only what was asked in this one. */
  readonly conversation?: string;
  /** In milliseconds since 1970. */
  readonly from?: number;
  /** Exclusive, in milliseconds since 1970. */
  readonly to?: number;
}

/** A sum over answers, and how many of them it knows nothing of. */
export interface UsageSum {
  /** `2030-01-31` */
  readonly day?: string;
  /** `2030-01` */
  readonly month?: string;
  readonly model?: string;
  /** Absent in the sum of answers whose gateway is not known. */
  readonly gateway?: string;
  /** The gateway's name when it was last asked. */
  readonly gatewayName?: string;
  readonly asker?: OtherAsker | 'chats';
  readonly answers: number;
  /** Of tokens that no answer told, each sum is absent. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Answers of which the tokens in, or those out, are not known. */
  readonly withoutTokens: number;
  /** What gateways charged, in US dollars; absent where they charged none of it. */
  readonly chargedUsd?: number;
  /** What the others cost by a price, in US dollars; absent where none has one. */
  readonly estimatedUsd?: number;
  /** Answers of which nobody told a price. */
  readonly withoutPrice: number;
  /** Answers that ended early and tell tokens out, which are the least that it was. */
  readonly cutTokens: number;
  /** Answers that ended early and have a price, which is the least that it was. */
  readonly cutPrices: number;
}

const groupColumns: Readonly<Record<UsageGroup, string>> = {
  day: 'day',
  month: 'substr(day, 1, 7)',
  model: 'model',
  gateway: 'gateway',
  asker: `CASE WHEN conversation IN (${otherAskers.map((asker) => `'${asker}'`).join()}) THEN conversation ELSE 'chats' END`,
};

const charged: CostRecord['source'] = 'gateway';

/** What was asked and what it cost, also of conversations that are gone. */
export class UsageLedger {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * Counts a request that made no message of a conversation.
   *
   * @param id of the request, among those of the conversation
   */
  add(conversation: string, id: string, request: RequestRecord): void {
    this.#context.database.write(() => insertUsage(this.#context, conversation, id, request));
  }

  /** Newest days and months first, then what cost most. */
  sums({ by, conversation, from = 0, to = Number.MAX_SAFE_INTEGER }: UsageQuery): readonly UsageSum[] {
    const groups = [...new Set(by)];
    const columns = groups.map((group) => `${groupColumns[group]} AS "${group}"`);
    // Beside a single maximum, SQLite takes a bare column from the row that has it.
    const names = groups.includes('gateway') ? ['gatewayName', 'max(at) AS lastAt'] : [];
    const numbers = groups.map((_, index) => `${index + 1}`);
    const rows = this.#context.database.all<Record<string, string | number | null>>(
      `SELECT ${[...columns, ...names, sumColumns].join(', ')} FROM usage WHERE at >= ? AND at < ?
       ${conversation === undefined ? '' : 'AND conversation = ?'}
       ${groups.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${numbers.join(', ')}`}
       ORDER BY ${[...numbers.filter((_, index) => isTime(groups[index])).map((n) => `${n} DESC`), order].join(', ')}`,
      ...[from, to, ...(conversation === undefined ? [] : [conversation])],
    );
    return rows.map(
      ({ lastAt: _, ...row }) =>
        Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as UsageSum,
    );
  }
}

/** More than any reply has or costs. Sums of such figures neither overflow nor lose digits. */
const maxFigure = 1e12;

const sumColumns = `
  count(*) AS answers,
  ${['inputTokens', 'outputTokens', 'reasoningTokens', 'cacheReadTokens', 'cacheWriteTokens']
    .map((column) => `${sumOf(column)} AS ${column}`)
    .join(', ')},
  count(*) - count(*) FILTER (WHERE ${isSane('inputTokens')} AND ${isSane('outputTokens')}) AS withoutTokens,
  ${sumOf('usd', `costSource = '${charged}'`)} AS chargedUsd,
  ${sumOf('usd', `costSource <> '${charged}'`)} AS estimatedUsd,
  count(*) - count(*) FILTER (WHERE ${isSane('usd')}) AS withoutPrice,
  count(*) FILTER (WHERE isCut = 1 AND ${isSane('outputTokens')}) AS cutTokens,
  count(*) FILTER (WHERE isCut = 1 AND ${isSane('usd')}) AS cutPrices`;

const order = `${sumOf('usd')} DESC, answers DESC`;

function isSane(column: string): string {
  return `${column} BETWEEN 0 AND ${maxFigure}`;
}

/** NULL where no row has a sane figure. Unlike `sum`, `total` never fails. */
function sumOf(column: string, which = '1'): string {
  const filter = `FILTER (WHERE ${which} AND ${isSane(column)})`;
  return `iif(count(*) ${filter} > 0, total(${column}) ${filter}, NULL)`;
}

function isTime(group: UsageGroup | undefined): boolean {
  return group === 'day' || group === 'month';
}

/**
 * Runs within the transaction that stores an answer. What is known later of an answer replaces what was known before.
 *
 * @param key of the answer
 * @param request undefined when nothing was made
 */
export function storeUsage(context: StoreContext, key: number, request: RequestRecord | undefined): void {
  const { database } = context;
  const sql = `SELECT conversations.id AS conversation, messages.id AS message FROM messages
    JOIN conversations ON conversations.key = messages.conversation WHERE messages.key = ?`;
  const answer = database.get<{ conversation: string; message: string }>(sql, key);
  if (!answer) return;
  const { conversation, message } = answer;
  if (!request) {
    database.run('DELETE FROM usage WHERE conversation = ? AND message = ?', conversation, message);
    return;
  }
  insertUsage(context, conversation, message, request);
}

/** The text of an answer is stored together with its figures: a row that the database rejects must not undo it. */
function insertUsage(
  context: StoreContext,
  conversation: string,
  message: string,
  request: RequestRecord,
): void {
  try {
    insertRow(context, conversation, message, request);
  } catch (error) {
    if (mayPass(error)) throw error;
  }
}

function insertRow(
  { database, now }: StoreContext,
  conversation: string,
  message: string,
  { usage, cost, ...request }: RequestRecord,
): void {
  const at = wholeTime(request.askedAt) ?? now();
  database.run(
    `INSERT OR REPLACE INTO usage (conversation, message, at, day, gateway, gatewayName, model, inputTokens, outputTokens,
       reasoningTokens, cacheReadTokens, cacheWriteTokens, usd, costSource, isCut)
     VALUES (?, ?, ?, strftime('%Y-%m-%d', ? / 1000.0, 'unixepoch', 'localtime'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[conversation, message, at, at, orNull(request.gateway), orNull(request.gatewayName), request.model],
    ...[wholeCount(usage?.inputTokens), wholeCount(usage?.outputTokens), wholeCount(usage?.reasoningTokens)],
    ...[wholeCount(usage?.cacheReadTokens), wholeCount(usage?.cacheWriteTokens)],
    ...[isFigure(cost?.usd) ? cost.usd : null, orNull(cost?.source), isCut(request) ? 1 : 0],
  );
}

/** The count as its column takes it; null for what cannot be a count. */
function wholeCount(count: number | undefined): number | null {
  return isFigure(count) ? Math.round(count) : null;
}

function isFigure(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && value <= maxFigure;
}

function isCut({ outcome }: Pick<RequestRecord, 'outcome'>): boolean {
  return outcome !== 'complete' && outcome !== 'truncated';
}
