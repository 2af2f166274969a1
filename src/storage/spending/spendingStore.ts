import { formatLocalDate } from '../../base/localDate.ts';
import { type Database, openDatabase } from '../database.ts';
import {
  appliesTo,
  findLimitRefusal,
  findPeriod,
  isPlausibleCost,
  type LimitUse,
  limitKey,
  type PlannedSpending,
  type SpendingLimit,
  type SpentAmount,
  toBillionths,
} from './spendingLimit.ts';
import { readUse } from './spendingUse.ts';

/** SQL scripts of the counted requests. The first n scripts create version n. */
const migrations: readonly string[] = [
  `CREATE TABLE total (
    day TEXT NOT NULL,
    -- the newest counted day while the clock is behind it; the request belongs to either of the days
    other_day TEXT NOT NULL DEFAULT '',
    -- the day on which the clock was first found to be behind the row's day
    ahead_since TEXT,
    gateway TEXT NOT NULL,
    initiator TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (day, other_day, gateway, initiator, currency)
  ) STRICT;
  CREATE TABLE reservation (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    day TEXT NOT NULL,
    other_day TEXT NOT NULL DEFAULT '',
    ahead_since TEXT,
    gateway TEXT NOT NULL,
    initiator TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    -- the costs in US dollars that the record of a task reports if its price is in another currency; both count
    reported_usd INTEGER,
    -- identifies the task that the request creates; its row stays, because its record may report other costs
    task TEXT,
    -- the model of a task of text, until its tokens are known
    model TEXT,
    state TEXT NOT NULL DEFAULT 'sent' CHECK (state IN ('sent', 'settled', 'failed'))
  ) STRICT;
  CREATE INDEX reservation_by_task ON reservation (task) WHERE task IS NOT NULL;
  CREATE TABLE increase (
    limit_key TEXT NOT NULL,
    day TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (limit_key, day)
  ) STRICT;
  CREATE TABLE notice (
    limit_key TEXT NOT NULL,
    period TEXT NOT NULL,
    PRIMARY KEY (limit_key, period)
  ) STRICT`,
];

/** The largest sum of a day, in the unit of the amounts. */
const maxSum = Number.MAX_SAFE_INTEGER;

/** The number of days with requests whose counts are kept. A limit of a month needs at most 31. */
const maxKeptDays = 62;

/** Days further in the future come from a wrong clock. Windows in other time zones are at most one day ahead. */
const maxDaysAhead = 2;

/** At this part of a limit, the user is notified once. */
const noticeShare = 0.8;

/** A short wait, because it blocks the extension's thread. `retryWhileBusy` repeats the call. */
const lockWaitMs = 50;

/** A limit that refuses a request, and the reason. */
export interface RefusedSpending {
  readonly use: LimitUse;
  readonly reason: NonNullable<ReturnType<typeof findLimitRefusal>>;
}

interface ReservedRow {
  readonly day: string;
  readonly otherDay: string;
  readonly aheadSince: string | null;
  readonly task: string | null;
}

/** A counted task of text. */
interface CountedTask {
  readonly model: string;
  readonly initiator: string;
}

interface TaskRow extends CountedTask {
  readonly currency: string;
  readonly amount: number;
  readonly tokens: number;
}

/** The task that a request creates. */
interface PlannedTask {
  readonly id: string;
  /** The model of a task of text, whose record reports tokens. */
  readonly model?: string | undefined;
}

/** The end of a task, from its record. */
export interface EndedTask {
  readonly isFailed: boolean;
  /** The reported costs in US dollars; absent if the record does not report them. */
  readonly costUsd?: number;
  /**
   * Computes the spent amount of a task of text from the tokens in its record; undefined if they are not known.
   *
   * @param counted its maximum
   */
  readonly computeSpent?: (task: CountedTask, counted: SpentAmount) => SpentAmount | undefined;
}

/** `MIN`: sums of wrong prices must not overflow. */
const addExcluded = `amount = MIN(${maxSum}, amount + excluded.amount),
  tokens = MIN(${maxSum}, tokens + excluded.tokens), requests = requests + excluded.requests`;

/**
 * The requests that may cost money, in a file that several processes share. A request is counted with its maximum
 * before it is sent, so that a process that dies never loses a request. All methods throw `StorageError`, with the
 * kind `busy` while another process writes.
 */
export class SpendingStore {
  readonly #file: string;
  readonly #now: () => number;
  readonly #onDamage: () => void;
  #database: Database | undefined;
  #cleanedOn: string | undefined;

  /**
   * @param now wall clock, in milliseconds since 1970
   * @param onDamage called if the file was damaged, so that counted requests may be missing
   */
  constructor(file: string, now: () => number, onDamage: () => void = () => {}) {
    this.#file = file;
    this.#now = now;
    this.#onDamage = onDamage;
  }

  /**
   * Counts a request with its maximum, unless a limit refuses it. Checks and counts in one transaction.
   *
   * @param id identifies the request for `settle`
   * @param task the task that it creates, for `settleTask`
   * @returns the first limit that refuses it; undefined if it may be sent
   */
  reserve(
    id: string,
    planned: PlannedSpending,
    limits: readonly SpendingLimit[],
    task?: PlannedTask,
  ): RefusedSpending | undefined {
    const now = this.#now();
    const database = this.#open();
    database.reopenForWriting();
    return database.write(() => {
      this.#deleteOldRows(database, now);
      for (const limit of limits.filter((each) => appliesTo(each, planned))) {
        const use = readUse(database, limit, now);
        const reason = findLimitRefusal(use, planned);
        if (reason) return { use, reason };
      }
      const { gateway, initiator, most } = planned;
      database.run(
        `INSERT INTO reservation (id, at, day, other_day, gateway, initiator, currency, amount, tokens, task, model)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        now,
        formatLocalDate(new Date(now)),
        findNewestDayAhead(database, now) ?? '',
        gateway,
        initiator,
        ...toColumns(most),
        task?.id ?? null,
        task?.model ?? null,
      );
      return undefined;
    });
  }

  /**
   * Replaces the maximum of a request with the spent amount. The amount counts for the day of the request.
   *
   * @param spent undefined if the request certainly did not cost anything
   */
  settle(
    id: string,
    spent: SpentAmount | undefined,
    { gateway, initiator }: Pick<PlannedSpending, 'gateway' | 'initiator'>,
  ): void {
    const database = this.#open();
    database.reopenForWriting();
    database.write(() => {
      const sql =
        'SELECT day, other_day AS otherDay, ahead_since AS aheadSince, task FROM reservation WHERE id = ?';
      const reserved = database.get<ReservedRow>(sql, id);
      if (spent && reserved && reserved.task !== null) {
        database.run(
          `UPDATE reservation SET state = 'settled', currency = ?1, amount = ?2, tokens = ?3,
            model = CASE WHEN amount = ?2 AND tokens = ?3 THEN model END
            WHERE id = ?4 AND state = 'sent'`,
          ...toColumns(spent),
          id,
        );
        return;
      }
      database.run('DELETE FROM reservation WHERE id = ?', id);
      if (!spent) return;
      database.run(
        `INSERT INTO total (day, other_day, ahead_since, gateway, initiator, currency, amount, tokens, requests)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)
          ON CONFLICT (day, other_day, gateway, initiator, currency) DO UPDATE SET ${addExcluded}`,
        reserved?.day ?? formatLocalDate(new Date(this.#now())),
        reserved?.otherDay ?? '',
        reserved?.aheadSince ?? null,
        gateway,
        initiator,
        ...toColumns(spent),
      );
    });
  }

  /**
   * Stores the end of a task. A failed task whose costs are not reported remains counted, because it may be billed.
   * A price in another currency than the reported costs also remains counted, for limits in that currency. Does
   * nothing if no request is counted for the task.
   */
  settleTask(task: string, { isFailed, costUsd, computeSpent }: EndedTask): void {
    // Some gateways report 0 for models whose price they do not know.
    const amount = isFailed || costUsd !== 0 ? toBillionths(costUsd) : undefined;
    const database = this.#open();
    database.reopenForWriting();
    database.write(() => {
      const row =
        computeSpent &&
        database.get<TaskRow>(
          'SELECT model, initiator, currency, amount, tokens FROM reservation WHERE task = ? AND model IS NOT NULL',
          task,
        );
      const spent = row && computeSpent(row, readAmount(row));
      if (spent) {
        database.run(
          `UPDATE reservation SET state = 'settled', currency = ?, amount = ?, tokens = ?, model = NULL
            WHERE task = ?`,
          ...toColumns(spent),
          task,
        );
        return;
      }
      const priced = database.get<{ amount: number }>(
        "SELECT amount FROM reservation WHERE task = ? AND model IS NULL AND currency = 'USD'",
        task,
      );
      if (amount === undefined || (amount > 0 && !isPlausibleCost(amount, priced?.amount))) {
        database.run(
          'UPDATE reservation SET state = ? WHERE task = ?',
          isFailed ? 'failed' : 'settled',
          task,
        );
        return;
      }
      database.run(
        `UPDATE reservation SET state = 'settled',
          currency = CASE currency WHEN '' THEN 'USD' ELSE currency END,
          amount = CASE WHEN currency IN ('', 'USD') OR ?1 = 0 THEN ?1 ELSE amount END,
          reported_usd = CASE WHEN currency IN ('', 'USD') THEN NULL ELSE ?1 END
          WHERE task = ?2`,
        amount,
        task,
      );
    });
  }

  /** The use of each limit now, in the order of the limits. */
  readUses(limits: readonly SpendingLimit[]): readonly LimitUse[] {
    const database = this.#open();
    const now = this.#now();
    return database.read(() => limits.map((limit) => readUse(database, limit, now)));
  }

  /**
   * Increases a limit for the rest of today.
   *
   * @param by in billionths of the currency, or in tokens
   */
  increase(limit: SpendingLimit, by: number): void {
    const database = this.#open();
    database.reopenForWriting();
    database.write(() =>
      database.run(
        `INSERT INTO increase (limit_key, day, amount) VALUES (?, ?, ?)
          ON CONFLICT (limit_key, day) DO UPDATE SET amount = amount + excluded.amount`,
        limitKey(limit),
        formatLocalDate(new Date(this.#now())),
        by,
      ),
    );
  }

  /** The limits that are used to 80 % or more. Each limit is returned once for each period, to one process. */
  takeNotices(limits: readonly SpendingLimit[]): readonly LimitUse[] {
    const near = this.readUses(limits).filter(({ used, allowed }) => used >= allowed * noticeShare);
    if (near.length === 0) return [];
    const now = this.#now();
    const database = this.#open();
    const isNew = ({ limit }: LimitUse) =>
      database.get(
        'SELECT 1 FROM notice WHERE limit_key = ? AND period = ?',
        limitKey(limit),
        findPeriod(limit.per, now).from,
      ) === undefined;
    if (!near.some(isNew)) return [];
    return database.write(() =>
      near.filter(({ limit }) => {
        const values = [limitKey(limit), findPeriod(limit.per, now).from];
        return database.run('INSERT OR IGNORE INTO notice (limit_key, period) VALUES (?, ?)', ...values) > 0;
      }),
    );
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  /** Marks the rows of a wrong clock, and deletes rows that no period can include any more. Runs once a day. */
  #deleteOldRows(database: Database, now: number): void {
    const today = formatLocalDate(new Date(now));
    if (this.#cleanedOn === today) return;
    const lastDay = findLastPossibleDay(now);
    for (const table of ['total', 'reservation']) {
      database.run(`UPDATE ${table} SET ahead_since = NULL WHERE day <= ?`, lastDay);
      database.run(
        `UPDATE ${table} SET ahead_since = ? WHERE day > ? AND ahead_since IS NULL`,
        today,
        lastDay,
      );
    }
    // Limit the number of days, not their age: while the clock is wrong, no counts of this month may be deleted.
    const days = '(SELECT day FROM total UNION SELECT day FROM reservation)';
    const keptDays = `SELECT day FROM (SELECT day FROM ${days} WHERE day <= ?1 ORDER BY day DESC LIMIT ${maxKeptDays})
      UNION SELECT day FROM (SELECT day FROM ${days} WHERE day > ?1 ORDER BY day LIMIT ${maxKeptDays})`;
    for (const table of ['total', 'reservation'])
      database.run(
        `DELETE FROM ${table} WHERE day NOT IN (${keptDays}) AND other_day NOT IN (${keptDays})`,
        lastDay,
      );
    const keptIncreases = `SELECT DISTINCT day FROM increase ORDER BY day DESC LIMIT ${maxKeptDays}`;
    database.run(`DELETE FROM increase WHERE day NOT IN (${keptIncreases})`);
    database.run('DELETE FROM notice WHERE period < ?', findPeriod('month', now).from);
    this.#cleanedOn = today;
  }

  #open(): Database {
    if (this.#database) return this.#database;
    const database = openDatabase({ path: this.#file, migrations, lockWaitMs });
    if (database.setAside !== undefined) this.#onDamage();
    database.onDidReplace(this.#onDamage);
    this.#database = database;
    return database;
  }
}

function readAmount({ currency, amount, tokens }: TaskRow): SpentAmount {
  return currency === '' ? { tokens } : { currency, amount, tokens };
}

function toColumns({ currency = '', amount = 0, tokens }: SpentAmount): readonly [string, number, number] {
  return [currency, amount, tokens];
}

/** The last day that the clock of another window may have. */
function findLastPossibleDay(now: number): string {
  const date = new Date(now);
  return formatLocalDate(new Date(date.getFullYear(), date.getMonth(), date.getDate() + maxDaysAhead));
}

/** The newest counted day if the clock is behind it. A day of a clock that was ahead is ignored after the month. */
function findNewestDayAhead(database: Database, now: number): string | undefined {
  const row = database.get<{ day: string | null }>(
    `SELECT MAX(day) AS day FROM
      (SELECT day, ahead_since FROM total UNION ALL SELECT day, ahead_since FROM reservation)
      WHERE day > ? AND (ahead_since IS NULL OR ahead_since >= ?)`,
    findLastPossibleDay(now),
    findPeriod('month', now).from,
  );
  return row?.day ?? undefined;
}
