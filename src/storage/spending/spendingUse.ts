import { formatLocalDate } from '../../base/localDate.ts';
import type { Database } from '../database.ts';
import { findPeriod, type LimitUse, limitKey, type SpendingLimit } from './spendingLimit.ts';

/** No request takes longer. The program that sent it ended without settling it, so its maximum counts as used. */
const maxInProgressMs = 3_600_000;

/** A request that seems to be sent much later than now is from a clock that was ahead. */
const isInProgress = `state = 'sent' AND ABS(at - ?6) < ${maxInProgressMs}`;

interface Sums {
  readonly amount: number;
  readonly tokens: number;
  readonly others?: number | null;
}

/** `TOTAL` instead of `SUM`: sums of wrong prices must not overflow. */
const sumColumns = 'TOTAL(CASE WHEN currency = ?1 THEN amount ELSE 0 END) AS amount, TOTAL(tokens) AS tokens';
const reservedColumns = `TOTAL(CASE WHEN currency = ?1 THEN amount WHEN ?1 = 'USD' THEN reported_usd ELSE 0 END) AS amount,
  TOTAL(tokens) AS tokens, SUM(currency <> ?1 AND (?1 <> 'USD' OR reported_usd IS NULL)) AS others`;
/**
 * Days after the period count too, so that a clock or a time zone that is set back does not make a limit forget
 * requests. Those of a clock that was ahead count until the end of the period in which it was corrected.
 */
const inPeriod = `(day >= ?2 AND (day <= ?5 OR ahead_since IS NULL OR ahead_since >= ?2) OR other_day BETWEEN ?2 AND ?5)
  AND (?3 IS NULL OR gateway = ?3) AND (?4 IS NULL OR initiator = ?4)`;

/** Reads the use of a limit at a time, in milliseconds since 1970. */
export function readUse(database: Database, limit: SpendingLimit, now: number): LimitUse {
  const { per, currency, gateway = null, initiator = null, allowed } = limit;
  const { from, resetsAt } = findPeriod(per, now);
  const lastDay = formatLocalDate(new Date(resetsAt - 1));
  const scope = [currency ?? '', from, gateway, initiator, lastDay];
  const readUnit = (sums: Sums | undefined) => (currency === undefined ? sums?.tokens : sums?.amount) ?? 0;
  const ended = database.get<Sums>(
    `SELECT ${sumColumns}, SUM(CASE WHEN currency = ?1 THEN 0 ELSE requests END) AS others
      FROM total WHERE ${inPeriod}`,
    ...scope,
  );
  const open = database.get<Sums>(
    `SELECT ${reservedColumns} FROM reservation
      WHERE ${inPeriod} AND ${isInProgress}`,
    ...scope,
    now,
  );
  const kept = database.get<Sums>(
    `SELECT ${reservedColumns} FROM reservation
      WHERE ${inPeriod} AND NOT (${isInProgress})`,
    ...scope,
    now,
  );
  const failed = database.get<Sums>(
    `SELECT ${reservedColumns} FROM reservation WHERE ${inPeriod} AND state = 'failed'`,
    ...scope,
  );
  const increased = database.get<{ amount: number }>(
    'SELECT amount FROM increase WHERE limit_key = ? AND day = ?',
    limitKey(limit),
    formatLocalDate(new Date(now)),
  );
  const others = [ended, open, kept].reduce((sum, each) => sum + (each?.others ?? 0), 0);
  return {
    limit,
    used: readUnit(ended) + readUnit(kept),
    failed: readUnit(failed),
    reserved: readUnit(open),
    allowed: allowed + (increased?.amount ?? 0),
    unpriced: currency === undefined ? 0 : others,
    resetsAt,
  };
}
