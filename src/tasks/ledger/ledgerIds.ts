import { randomUUID } from 'node:crypto';
import type { Database, WriteContext } from '../../storage/database.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import type { TaskRow } from './ledgerRows.ts';
import { recordStatus } from './snapshotRows.ts';

/** A task that was created elsewhere. */
export interface Adoption {
  readonly gateway: string;
  readonly gatewayName: string;
  /** A snapshot with an id. */
  readonly snapshot: TaskSnapshot;
  readonly model?: string;
  readonly prompt?: string;
}

/** The values of a new row for a task that was created elsewhere, or for a second id of a task. */
interface RemoteTaskDraft {
  readonly gateway: string;
  readonly gatewayName: string;
  readonly taskId: string;
  readonly model: string | null;
  readonly prompt: string;
  readonly createdAt?: Date;
}

/** The key of the task with this id at this gateway. */
export function findKey(database: Database, gateway: string, taskId: string): string | undefined {
  const sql = 'SELECT key FROM tasks WHERE gateway = ? AND taskId = ?';
  return database.get<{ key: string }>(sql, gateway, taskId)?.key;
}

/** The id of a gateway, and its old and new name. */
export interface GatewayRename {
  readonly gateway: string;
  readonly from: string;
  readonly to: string;
}

/** Stores the new name of a gateway in its tasks and purchases, within the caller's transaction. */
export function renameGateway(database: Database, { gateway, from, to }: GatewayRename): void {
  const sql = 'UPDATE tasks SET gatewayName = ? WHERE gateway = ? AND gatewayName = ?';
  database.run(sql, to, gateway, from);
  const purchasesSql = 'UPDATE purchases SET gatewayName = ? WHERE gateway = ? AND gatewayName = ?';
  database.run(purchasesSql, to, gateway, from);
}

/**
 * Inserts a task that was created elsewhere, within the caller's transaction.
 *
 * @returns false if the task is already known
 */
export function insertAdopted({ database, now }: WriteContext, key: string, adoption: Adoption): boolean {
  const { gateway, gatewayName, snapshot, model = null, prompt = '' } = adoption;
  const { id: taskId, createdAt } = snapshot;
  if (taskId === undefined || findKey(database, gateway, taskId) !== undefined) return false;
  const task = { gateway, gatewayName, taskId, model, prompt, ...(createdAt && { createdAt }) };
  insertRemoteTask(database, key, task, now());
  return true;
}

/** Inserts a task under a new key, within the caller's transaction. */
function insertRemoteTask(database: Database, key: string, task: RemoteTaskDraft, now: number): void {
  const intendedAt = Math.min(task.createdAt?.getTime() ?? now, now);
  database.run(
    `INSERT INTO tasks (key, gateway, gatewayName, model, prompt, status, taskId, intendedAt, acceptedAt, watchedSince)
     VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)`,
    key,
    task.gateway,
    task.gatewayName,
    task.model,
    task.prompt,
    task.taskId,
    intendedAt,
    now,
    now,
  );
}

/**
 * Stores the id of a task as `assignId` does, and its status `running`.
 *
 * @returns whether rows of other tasks changed
 */
export function acceptId({ database, now }: WriteContext, row: TaskRow, taskId: string): boolean {
  const hasChangedOthers = assignId(database, row, taskId, now());
  recordStatus(database, row.key, now(), 'running');
  return hasChangedOthers;
}

/**
 * Stores the id of a task, within the caller's transaction. Another row with this id is merged into this one. If
 * the task has another id, the new id gets its own row. An id is never dropped.
 *
 * @returns whether rows of other tasks changed
 */
function assignId(database: Database, row: TaskRow, taskId: string, now: number): boolean {
  if (row.taskId === taskId) return false;
  const other = findKey(database, row.gateway, taskId);
  if (row.taskId !== null) {
    if (other !== undefined) return false;
    const key = randomUUID();
    insertRemoteTask(database, key, { ...row, taskId }, now);
    recordStatus(database, key, now, 'running');
    return true;
  }
  if (other !== undefined) mergeInto(database, row.key, other);
  const isCreating = `status IN ('intent', 'submitting', 'unknown', 'refused')`;
  database.run(
    `UPDATE tasks SET taskId = ?1, acceptedAt = coalesce(acceptedAt, ?2), watchedSince = coalesce(watchedSince, ?2),
     problem = iif(${isCreating}, NULL, problem), status = iif(${isCreating}, 'running', status) WHERE key = ?3`,
    taskId,
    now,
    row.key,
  );
  return other !== undefined;
}

const stateColumns =
  'status, failedAs, watching, rawStatus, progress, problem, acceptedAt, watchedSince, endedAt, expiresAt';

/** Moves all rows of the task `other` to the task `key`, and deletes `other`. */
function mergeInto(database: Database, key: string, other: string): void {
  for (const table of ['statusChanges', 'failedPolls', 'results', 'notices']) {
    database.run(`UPDATE OR IGNORE ${table} SET key = ? WHERE key = ?`, key, other);
  }
  database.run(
    `INSERT INTO replies (key, record) SELECT ?, record FROM replies WHERE key = ?
     ON CONFLICT DO UPDATE SET record = excluded.record`,
    key,
    other,
  );
  database.run(
    `UPDATE tasks SET (${stateColumns}) = (SELECT ${stateColumns} FROM tasks WHERE key = ?)
     WHERE key = ? AND status NOT IN ('completed', 'failed')`,
    other,
    key,
  );
  database.run('DELETE FROM tasks WHERE key = ?', other);
}
