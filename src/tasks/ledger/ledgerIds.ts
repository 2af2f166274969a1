import { randomUUID } from 'node:crypto';
import type { Database } from '../../storage/database.ts';
import { anyGatewayThere, isAnyThere } from '../gatewayId.ts';
import type { TaskRow } from './ledgerRows.ts';
import { recordStatus } from './statusChanges.ts';

/** A task that the gateway named and this machine did not make. */
export interface StrayTask {
  readonly gateway: string;
  readonly gatewayName: string;
  readonly taskId: string;
  readonly model: string | null;
  readonly prompt: string;
  readonly createdAt?: Date;
}

/** The key of the task with this id at exactly this gateway. */
export function keyOf(database: Database, gateway: string, taskId: string): string | undefined {
  const sql = 'SELECT key FROM tasks WHERE gateway = ? AND taskId = ?';
  return database.get<{ key: string }>(sql, gateway, taskId)?.key;
}

/** Like `keyOf`; without a task of this gateway, a task of which only the origin is known. */
export function keyThere(database: Database, gateway: string, taskId: string): string | undefined {
  return keyOf(database, gateway, taskId) ?? keyOf(database, anyGatewayThere(gateway), taskId);
}

/** Tasks of which only the origin is known, and the gateway that they belong to. */
export interface Naming {
  readonly gateway: string;
  readonly gatewayName: string;
  readonly name: string;
}

/** @param nameOf finds a gateway at an origin by the name that the user gave it */
export function namings(
  database: Database,
  nameOf: (gateway: string, gatewayName: string) => string | undefined,
): readonly Naming[] {
  return database
    .all<Omit<Naming, 'name'>>('SELECT DISTINCT gateway, profile AS gatewayName FROM tasks')
    .filter(({ gateway }) => isAnyThere(gateway))
    .flatMap(({ gateway, gatewayName }) => {
      const name = nameOf(gateway, gatewayName);
      return name === undefined ? [] : [{ gateway, gatewayName, name }];
    });
}

/** Runs within the caller's transaction. A task that is known under that id already stays unchanged. */
export function nameGateway(database: Database, { gateway, gatewayName, name }: Naming): void {
  const sql = 'UPDATE OR IGNORE tasks SET gateway = ? WHERE gateway = ? AND profile = ?';
  database.run(sql, name, gateway, gatewayName);
}

/** Inserts a task under a new key, within the caller's transaction. */
export function insertStray(database: Database, key: string, task: StrayTask, now: number): void {
  const intendedAt = Math.min(task.createdAt?.getTime() ?? now, now);
  database.run(
    `INSERT INTO tasks (key, gateway, profile, model, prompt, stage, taskId, intendedAt, acceptedAt, watchedSince)
     VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)`,
    ...[key, task.gateway, task.gatewayName, task.model, task.prompt, task.taskId, intendedAt, now, now],
  );
}

/**
 * Gives a task its id, within the caller's transaction. Another row with this id is merged into this one.
 * When the task has another id, the new one gets its own row: an id is never dropped.
 *
 * @returns whether rows of other tasks changed
 */
export function takeId(database: Database, row: TaskRow, taskId: string, now: number): boolean {
  if (row.taskId === taskId) return false;
  const other = keyOf(database, row.gateway, taskId);
  if (row.taskId !== null) {
    if (other !== undefined) return false;
    const key = randomUUID();
    insertStray(database, key, { ...row, taskId }, now);
    recordStatus(database, key, now, 'running');
    return true;
  }
  if (other !== undefined) absorb(database, row.key, other);
  const making = `stage IN ('intent', 'submitting', 'unknown', 'refused')`;
  database.run(
    `UPDATE tasks SET taskId = ?1, acceptedAt = coalesce(acceptedAt, ?2), watchedSince = coalesce(watchedSince, ?2),
     problem = iif(${making}, NULL, problem), stage = iif(${making}, 'running', stage) WHERE key = ?3`,
    ...[taskId, now, row.key],
  );
  return other !== undefined;
}

const state =
  'stage, failedAs, watching, word, progress, problem, acceptedAt, watchedSince, endedAt, expiresAt';

/** Moves everything stored for `other` to `key`, and deletes `other`. */
function absorb(database: Database, key: string, other: string): void {
  for (const table of ['sightings', 'failedPolls', 'results', 'notices']) {
    database.run(`UPDATE OR IGNORE ${table} SET key = ? WHERE key = ?`, key, other);
  }
  database.run(
    `INSERT INTO replies (key, record) SELECT ?, record FROM replies WHERE key = ?
     ON CONFLICT DO UPDATE SET record = excluded.record`,
    ...[key, other],
  );
  database.run(
    `UPDATE tasks SET (${state}) = (SELECT ${state} FROM tasks WHERE key = ?)
     WHERE key = ? AND stage NOT IN ('completed', 'failed')`,
    ...[other, key],
  );
  database.run('DELETE FROM tasks WHERE key = ?', other);
}
