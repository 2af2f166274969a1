import type { WriteContext } from '../../storage/database.ts';
import { isRetryable } from '../../storage/sqlite/storageError.ts';
import type { ChatRequestRecord, CostRecord } from '../conversation/conversationRecord.ts';
import { orNull, timeOrNull } from './conversationRows.ts';

/** The columns for grouping usage. Days and months are in the time zone of the request. */
export type UsageGroup = 'day' | 'month' | 'model' | 'gateway' | 'initiator';

/** The initiators of requests other than our chats. Each counts as one conversation with that name. */
const otherInitiators = ['vscodeChat', 'extensions', 'agents'] as const;

export type OtherInitiator = (typeof otherInitiators)[number];

export interface UsageQuery {
  /** The columns for grouping, in order; empty for one total. */
  readonly by: readonly UsageGroup[];
  /** Limits the sums to the requests of this conversation. */
  readonly conversation?: string;
  /** In milliseconds since 1970. */
  readonly from?: number;
  /** Exclusive, in milliseconds since 1970. */
  readonly to?: number;
}

/** A sum over replies, with the number of replies whose values are unknown. */
export interface UsageSum {
  /** `2030-01-31` */
  readonly day?: string;
  /** `2030-01` */
  readonly month?: string;
  readonly model?: string;
  /** Absent in the sum of replies with an unknown gateway. */
  readonly gateway?: string;
  /** The gateway's name at its last request. */
  readonly gatewayName?: string;
  readonly initiator?: OtherInitiator | 'chats';
  readonly replies: number;
  /** Each token sum is absent if no reply reported it. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  /** The number of replies whose input or output tokens are unknown. */
  readonly withoutTokens: number;
  /** The amount charged by gateways, in US dollars; absent if no charge was reported. */
  readonly chargedUsd?: number;
  /** The estimated cost of the other replies, in US dollars; absent if there is no estimate. */
  readonly estimatedUsd?: number;
  /** The number of replies without a known price. */
  readonly withoutPrice: number;
  /** The number of replies that ended early and reported output tokens; their counts are minimums. */
  readonly cutTokens: number;
  /** The number of replies that ended early and have a price; their prices are minimums. */
  readonly cutPrices: number;
}

const groupColumns: Readonly<Record<UsageGroup, string>> = {
  day: 'day',
  month: 'substr(day, 1, 7)',
  model: 'model',
  gateway: 'gateway',
  initiator: `CASE WHEN conversation IN (${otherInitiators.map((name) => `'${name}'`).join()}) THEN conversation ELSE 'chats' END`,
};

const chargedSource: CostRecord['source'] = 'gateway';

/** The usage and cost of all requests, even if their conversation was purged. */
export class UsageLedger {
  readonly #context: WriteContext;

  constructor(context: WriteContext) {
    this.#context = context;
  }

  /**
   * Counts a request that did not create a message.
   *
   * @param id of the request, unique in the conversation
   */
  add(conversation: string, id: string, request: ChatRequestRecord): void {
    this.#context.database.write(() => insertUsage(this.#context, conversation, id, request));
  }

  /** Sums up usage by groups, newest days and months first, then the highest cost. */
  sum({ by, conversation, from = 0, to = Number.MAX_SAFE_INTEGER }: UsageQuery): readonly UsageSum[] {
    const groups = [...new Set(by)];
    const columns = groups.map((group) => `${groupColumns[group]} AS "${group}"`);
    // With a single `max()`, SQLite takes a bare column from the row with the maximum.
    const names = groups.includes('gateway') ? ['gatewayName', 'max(at) AS lastAt'] : [];
    const positions = groups.map((_, index) => `${index + 1}`);
    const rows = this.#context.database.all<Record<string, string | number | null>>(
      `SELECT ${[...columns, ...names, sumColumns].join(', ')} FROM usage WHERE at >= ? AND at < ?
       ${conversation === undefined ? '' : 'AND conversation = ?'}
       ${groups.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${positions.join(', ')}`}
       ORDER BY ${[...positions.filter((_, index) => isPeriod(groups[index])).map((n) => `${n} DESC`), sumOrder].join(', ')}`,
      from,
      to,
      ...(conversation === undefined ? [] : [conversation]),
    );
    return rows.map(
      ({ lastAt: _, ...row }) =>
        Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as UsageSum,
    );
  }
}

/** More than any real count or cost. Sums of smaller values do not overflow or lose digits. */
const maxValue = 1e12;

const sumColumns = `
  count(*) AS replies,
  ${['inputTokens', 'outputTokens', 'reasoningTokens', 'cachedTokens', 'cacheWriteTokens']
    .map((column) => `${buildSum(column)} AS ${column}`)
    .join(', ')},
  count(*) - count(*) FILTER (WHERE ${buildRangeCondition('inputTokens')} AND ${buildRangeCondition('outputTokens')}) AS withoutTokens,
  ${buildSum('usd', `costSource = '${chargedSource}'`)} AS chargedUsd,
  ${buildSum('usd', `costSource <> '${chargedSource}'`)} AS estimatedUsd,
  count(*) - count(*) FILTER (WHERE ${buildRangeCondition('usd')}) AS withoutPrice,
  count(*) FILTER (WHERE isCut = 1 AND ${buildRangeCondition('outputTokens')}) AS cutTokens,
  count(*) FILTER (WHERE isCut = 1 AND ${buildRangeCondition('usd')}) AS cutPrices`;

const sumOrder = `${buildSum('usd')} DESC, replies DESC`;

function buildRangeCondition(column: string): string {
  return `${column} BETWEEN 0 AND ${maxValue}`;
}

/** Builds SQL that is NULL if no row has a valid value. Unlike `sum`, `total` never fails. */
function buildSum(column: string, condition = '1'): string {
  const filter = `FILTER (WHERE ${condition} AND ${buildRangeCondition(column)})`;
  return `iif(count(*) ${filter} > 0, total(${column}) ${filter}, NULL)`;
}

function isPeriod(group: UsageGroup | undefined): boolean {
  return group === 'day' || group === 'month';
}

/**
 * Runs within the transaction that stores a reply. Newer values of a reply replace older ones.
 *
 * @param key of the reply
 * @param request undefined if the gateway produced nothing
 */
export function storeUsage(context: WriteContext, key: number, request: ChatRequestRecord | undefined): void {
  const { database } = context;
  const sql = `SELECT conversations.id AS conversation, messages.id AS message FROM messages
    JOIN conversations ON conversations.key = messages.conversation WHERE messages.key = ?`;
  const messageIds = database.get<{ conversation: string; message: string }>(sql, key);
  if (!messageIds) return;
  const { conversation, message } = messageIds;
  if (!request) {
    database.run('DELETE FROM usage WHERE conversation = ? AND message = ?', conversation, message);
    return;
  }
  insertUsage(context, conversation, message, request);
}

/** A reply's text is stored in the same transaction: a rejected usage row must not roll it back. */
function insertUsage(
  context: WriteContext,
  conversation: string,
  message: string,
  request: ChatRequestRecord,
): void {
  try {
    insertRow(context, conversation, message, request);
  } catch (error) {
    if (isRetryable(error)) throw error;
  }
}

function insertRow(
  { database, now }: WriteContext,
  conversation: string,
  message: string,
  { usage, cost, ...request }: ChatRequestRecord,
): void {
  const at = timeOrNull(request.requestedAt) ?? now();
  database.run(
    `INSERT OR REPLACE INTO usage (conversation, message, at, day, gateway, gatewayName, model, inputTokens, outputTokens,
       reasoningTokens, cachedTokens, cacheWriteTokens, usd, costSource, isCut)
     VALUES (?, ?, ?, strftime('%Y-%m-%d', ? / 1000.0, 'unixepoch', 'localtime'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    conversation,
    message,
    at,
    at,
    orNull(request.gateway),
    orNull(request.gatewayName),
    request.model,
    ...[usage?.inputTokens, usage?.outputTokens, usage?.reasoningTokens].map(countOrNull),
    ...[usage?.cachedTokens, usage?.cacheWriteTokens].map(countOrNull),
    isInRange(cost?.usd) ? cost.usd : null,
    orNull(cost?.source),
    isCut(request) ? 1 : 0,
  );
}

/** Returns a count for its column; null if it is not valid. */
function countOrNull(count: number | undefined): number | null {
  return isInRange(count) ? Math.round(count) : null;
}

function isInRange(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && value <= maxValue;
}

function isCut({ outcome }: Pick<ChatRequestRecord, 'outcome'>): boolean {
  return outcome !== 'complete' && outcome !== 'truncated';
}
