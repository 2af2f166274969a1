import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import type { Problem } from '../record/task.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { assignId, findKey, insertRemoteTask } from './ledgerIds.ts';
import type { LedgerReader } from './ledgerReader.ts';
import type { TaskRow } from './ledgerRows.ts';
import { hasEnded, hasNews, recordStatus, writeSnapshot } from './statusChanges.ts';

// Stores what polls bring: snapshots and failures. Everything here runs within the caller's transaction.

/** A task that was made elsewhere. */
export interface Adoption {
  readonly gateway: string;
  readonly gatewayName: string;
  /** A snapshot with an id. */
  readonly snapshot: TaskSnapshot;
  readonly model?: string;
  readonly prompt?: string;
}

const maxFailedPolls = 50;

/** @returns whether other rows than the task's own were changed */
export function acceptId({ database, now }: LedgerContext, row: TaskRow, taskId: string): boolean {
  const touchesOthers = assignId(database, row, taskId, now());
  recordStatus(database, row.key, now(), 'running');
  return touchesOthers;
}

/**
 * Stores what is new in a snapshot. The row may differ from the one that was read before the transaction.
 *
 * @param accept stores the id that the snapshot names first
 */
export function storeSnapshot(
  { database, now }: LedgerContext,
  reader: LedgerReader,
  key: string,
  snapshot: TaskSnapshot,
  accept: (row: TaskRow, taskId: string) => void,
): 'same' | 'changed' | 'ended' {
  const before = reader.row(key);
  if (before?.taskId === null && snapshot.id !== undefined) accept(before, snapshot.id);
  const row = reader.row(key);
  if (!row || !hasNews(database, row, snapshot)) return before?.taskId === row?.taskId ? 'same' : 'changed';
  writeSnapshot(database, row, snapshot, now());
  return hasEnded(snapshot.status) && !hasEnded(row.status) ? 'ended' : 'changed';
}

/** @returns false when the task is known by now */
export function insertAdopted({ database, now }: LedgerContext, key: string, adoption: Adoption): boolean {
  const { gateway, gatewayName, snapshot, model = null, prompt = '' } = adoption;
  const { id: taskId, createdAt } = snapshot;
  if (taskId === undefined || findKey(database, gateway, taskId) !== undefined) return false;
  const task = { gateway, gatewayName, taskId, model, prompt, ...(createdAt && { createdAt }) };
  insertRemoteTask(database, key, task, now());
  return true;
}

/** Stores a failed poll, and drops all but the last 50 of the task. */
export function storeFailedPoll({ database, now }: LedgerContext, key: string, problem: Problem): void {
  database.run(
    'INSERT INTO failedPolls (key, at, problem) SELECT key, ?, ? FROM tasks WHERE key = ?',
    ...[now(), JSON.stringify(problem), key],
  );
  database.run(
    `DELETE FROM failedPolls WHERE key = ?1 AND id <=
     (SELECT id FROM failedPolls WHERE key = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${maxFailedPolls})`,
    key,
  );
}
