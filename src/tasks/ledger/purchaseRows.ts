import type { Database } from '../../storage/database.ts';
import { readDurationAndCost } from '../../wire/apis/taskRecord/durationAndCost.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import type { TaskDraft } from '../record/task.ts';
import type { TaskUsage } from '../record/taskSpending.ts';

// Stores the cost of video requests. Rows outlive their tasks, so removing a task from the list does not change
// the sums.

/** Stores the expected cost, within the caller's transaction. The request counts once it is submitted. */
export function insertPurchase(database: Database, draft: TaskDraft): void {
  const { key, gateway, gatewayName, model, seconds, cost } = draft;
  database.run(
    `INSERT OR REPLACE INTO purchases (key, gateway, gatewayName, model, seconds, cost, currency, isCharged)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0)`,
    key,
    gateway,
    gatewayName,
    model,
    seconds ?? null,
    cost?.amount ?? null,
    cost?.currency ?? null,
  );
}

/** Deletes the cost of a request that did not create a task, within the caller's transaction. */
export function deletePurchase(database: Database, key: string): void {
  database.run('DELETE FROM purchases WHERE key = ?', key);
}

/** Stores the length and the cost from the record of an ended task, within the caller's transaction. */
export function settlePurchase(database: Database, key: string, { status, raw }: TaskSnapshot): void {
  if (status === 'running') return;
  if (status === 'failed') {
    database.run('UPDATE purchases SET isFailed = 1 WHERE key = ?', key);
    return;
  }
  const { seconds, costUsd } = readDurationAndCost(raw);
  database.run(
    `UPDATE purchases SET isFailed = 0, seconds = coalesce(?2, seconds), cost = coalesce(?3, cost),
       currency = iif(?3 IS NULL, currency, 'USD'), isCharged = iif(?3 IS NULL, isCharged, 1)
     WHERE key = ?1`,
    key,
    seconds ?? null,
    costUsd ?? null,
  );
}

/** Larger lengths and costs are ignored, because a single wrong value would make all sums useless. */
const maxValue = 1e9;

/** Returns the SQL of the sum of a column over the tasks that did not fail. */
function buildSum(column: string): string {
  return `total(${column}) FILTER (WHERE isFailed = 0 AND ${column} BETWEEN 0 AND ${maxValue})`;
}

/** Sums up all submitted requests, newest day first. */
export function sumPurchases(database: Database): readonly TaskUsage[] {
  const rows = database.all<{ readonly [Field in keyof TaskUsage]: TaskUsage[Field] | null }>(
    `SELECT strftime('%Y-%m-%d', at / 1000.0, 'unixepoch', 'localtime') AS day, model,
       gateway, max(gatewayName) AS gatewayName, currency, isCharged,
       ${buildSum('cost')} AS cost,
       count(*) AS tasks, sum(isFailed) AS failed,
       ${buildSum('seconds')} AS seconds,
       count(*) FILTER (WHERE isFailed = 0 AND (seconds BETWEEN 0 AND ${maxValue}) IS NOT TRUE) AS withoutSeconds
     FROM submissions JOIN purchases USING (key)
     GROUP BY day, model, gateway, currency, isCharged ORDER BY day DESC`,
  );
  return rows.map(({ model, currency, isCharged, ...row }) => ({
    ...(row as TaskUsage),
    ...(model !== null && { model }),
    ...(currency !== null && { currency }),
    isCharged: Number(isCharged) === 1,
  }));
}
