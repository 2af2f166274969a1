import type { WriteContext } from '../../storage/database.ts';
import type { Problem, TaskDraft } from '../record/task.ts';
import { deletePurchase, insertPurchase } from './purchaseRows.ts';
import { recordStatus } from './snapshotRows.ts';

// Stores the request that creates a task. Everything here runs within the caller's transaction.

/**
 * Inserts a task with its unsent request.
 *
 * @returns false if the key exists already
 */
export function insertTask({ database, window, now }: WriteContext, draft: TaskDraft): boolean {
  const { key, gateway, gatewayName, route, model, prompt, request } = draft;
  const insertedRows = database.run(
    `INSERT OR IGNORE INTO tasks (key, gateway, gatewayName, route, model, prompt, status, intendedAt, owner)
     VALUES (?, ?, ?, ?, ?, ?, 'intent', ?, ?)`,
    key,
    gateway,
    gatewayName,
    route,
    model,
    prompt,
    now(),
    window,
  );
  if (insertedRows === 0) return false;
  database.run('INSERT INTO requests (key, body) VALUES (?, ?)', key, JSON.stringify(request));
  insertPurchase(database, draft);
  recordStatus(database, key, now(), 'intent');
  return true;
}

/**
 * Marks a task as being submitted by this window.
 *
 * @returns whether the request was unsent and the caller may send it now
 */
export function beginSubmission(
  { database, window, now }: WriteContext,
  key: string,
  requestId: string,
): boolean {
  const changedRows = database.run(
    `UPDATE tasks SET status = 'submitting', requestId = ?, submittedAt = ?, owner = ?
     WHERE key = ? AND status = 'intent'`,
    requestId,
    now(),
    window,
    key,
  );
  if (changedRows === 0) return false;
  database.run('INSERT OR IGNORE INTO submissions VALUES (?, ?)', key, now());
  recordStatus(database, key, now(), 'submitting');
  return true;
}

/** Undoes the `beginSubmission` with this request id. */
export function revertSubmission({ database }: WriteContext, key: string, requestId: string): void {
  const changedRows = database.run(
    `UPDATE tasks SET status = 'intent', requestId = NULL, submittedAt = NULL
     WHERE key = ? AND status = 'submitting' AND requestId = ?`,
    key,
    requestId,
  );
  if (changedRows === 0) return;
  database.run('DELETE FROM submissions WHERE key = ?', key);
  database.run(`DELETE FROM statusChanges WHERE key = ? AND status = 'submitting'`, key);
}

/** Marks a request as refused, and deletes its purchase, because a refused request is not billed. */
export function refuseSubmission(context: WriteContext, key: string, problem: Problem): void {
  if (!endSubmission(context, key, 'refused', problem)) return;
  context.database.run('DELETE FROM submissions WHERE key = ?', key);
  deletePurchase(context.database, key);
}

/**
 * Marks the outcome of a request as unknown.
 *
 * @param unclearReply the beginning of the reply
 */
export function markSubmissionUnknown(
  context: WriteContext,
  key: string,
  problem: Problem,
  unclearReply: string | undefined,
): void {
  if (!endSubmission(context, key, 'unknown', problem) || unclearReply === undefined) return;
  const sql =
    'INSERT INTO replies (key, unclear) VALUES (?, ?) ON CONFLICT DO UPDATE SET unclear = excluded.unclear';
  context.database.run(sql, key, unclearReply);
}

/**
 * Marks the outcome of a dead window's request as unknown.
 *
 * @param owner the dead window
 * @returns whether it was still sending the request
 */
export function abandonSubmission({ database, now }: WriteContext, key: string, owner: string): boolean {
  const sql = `UPDATE tasks SET status = 'unknown' WHERE key = ? AND status = 'submitting' AND owner = ?`;
  if (database.run(sql, key, owner) === 0) return false;
  recordStatus(database, key, now(), 'unknown');
  return true;
}

function endSubmission(
  { database, now }: WriteContext,
  key: string,
  status: 'refused' | 'unknown',
  problem: Problem,
): boolean {
  const sql = `UPDATE tasks SET status = ?, problem = ? WHERE key = ? AND status IN ('submitting', 'unknown')`;
  if (database.run(sql, status, JSON.stringify(problem), key) === 0) return false;
  recordStatus(database, key, now(), status);
  return true;
}
