import type { CostRecord, RequestRecord } from '../record.ts';
import { orNull } from './conversationRows.ts';
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
    const { database } = this.#context;
    database.write(() => insertUsage(this.#context, conversation, id, request));
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

const sumColumns = `
  count(*) AS answers,
  sum(inputTokens) AS inputTokens,
  sum(outputTokens) AS outputTokens,
  sum(reasoningTokens) AS reasoningTokens,
  sum(cacheReadTokens) AS cacheReadTokens,
  sum(cacheWriteTokens) AS cacheWriteTokens,
  count(*) FILTER (WHERE inputTokens IS NULL OR outputTokens IS NULL) AS withoutTokens,
  sum(usd) FILTER (WHERE costSource = '${charged}') AS chargedUsd,
  sum(usd) FILTER (WHERE costSource <> '${charged}') AS estimatedUsd,
  count(*) FILTER (WHERE usd IS NULL) AS withoutPrice,
  count(*) FILTER (WHERE isCut = 1 AND outputTokens IS NOT NULL) AS cutTokens,
  count(*) FILTER (WHERE isCut = 1 AND usd IS NOT NULL) AS cutPrices`;

const order = 'sum(usd) DESC, answers DESC';

function isTime(group: UsageGroup | undefined): boolean {
  return group === 'day' || group === 'month';
}

/**
 * Runs within a transaction. What is known later of an answer replaces what was known before.
 *
 * @param key of the answer
 * @param request undefined when nothing was made
 */
export function storeUsage(
  { database }: StoreContext,
  key: number,
  request: RequestRecord | undefined,
): void {
  const sql = `SELECT conversations.id AS conversation, messages.id AS message FROM messages
    JOIN conversations ON conversations.key = messages.conversation WHERE messages.key = ?`;
  const answer = database.get<{ conversation: string; message: string }>(sql, key);
  if (!answer) return;
  const { conversation, message } = answer;
  if (!request) {
    database.run('DELETE FROM usage WHERE conversation = ? AND message = ?', conversation, message);
    return;
  }
  insertUsage({ database }, conversation, message, request);
}

function insertUsage(
  { database }: Pick<StoreContext, 'database'>,
  conversation: string,
  message: string,
  request: RequestRecord,
): void {
  const { usage, cost } = request;
  database.run(
    `INSERT OR REPLACE INTO usage (conversation, message, at, day, gateway, gatewayName, model, inputTokens, outputTokens,
       reasoningTokens, cacheReadTokens, cacheWriteTokens, usd, costSource, isCut)
     VALUES (?, ?, ?, strftime('%Y-%m-%d', ? / 1000.0, 'unixepoch', 'localtime'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[
      conversation,
      message,
      request.askedAt,
      request.askedAt,
      orNull(request.gateway),
      orNull(request.gatewayName),
      request.model,
    ],
    ...[orNull(usage?.inputTokens), orNull(usage?.outputTokens), orNull(usage?.reasoningTokens)],
    ...[orNull(usage?.cacheReadTokens), orNull(usage?.cacheWriteTokens)],
    ...[orNull(cost?.usd), orNull(cost?.source), isCut(request) ? 1 : 0],
  );
}

function isCut({ outcome }: RequestRecord): boolean {
  return outcome !== 'complete' && outcome !== 'truncated';
}
