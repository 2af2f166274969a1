import type { Database, WriteContext } from '../../storage/database.ts';
import type { TaskResult, TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import { isQueuedStatus } from '../../wire/apis/taskRecord/statusWords.ts';
import { readTaskText } from '../../wire/apis/taskRecord/taskText.ts';
import type { Problem, TaskStatus } from '../record/task.ts';
import type { TaskRow } from './ledgerRows.ts';
import { settlePurchase } from './purchaseRows.ts';
import { findNewResults, writeResults } from './resultRows.ts';

// Stores the outcomes of polls: snapshots, status changes and failures, within the caller's transaction.

const maxFailedPolls = 50;

/** The limit of stored status changes of a task, in case a gateway never repeats a status. */
const maxStatusChanges = 500;

/** Whether the status is final. */
export function hasEnded(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed';
}

/** Whether a snapshot differs from the stored task. Usually does not read the database. */
export function hasChanges(database: Database, row: TaskRow, snapshot: TaskSnapshot): boolean {
  if (row.taskId === null && snapshot.id !== undefined) return true;
  if (!hasEnded(row.status)) {
    // A task without an id cannot be polled, so only a reply with the result changes it.
    if (row.taskId === null) return mayExistAtGateway(row.status) && hasEnded(snapshot.status);
    return (
      row.status !== snapshot.status ||
      row.rawStatus !== (snapshot.rawStatus ?? null) ||
      row.progress !== (snapshot.progress ?? null) ||
      (snapshot.unsureResults !== undefined &&
        !isFirstResultRecorded(database, row.key, snapshot.unsureResults))
    );
  }
  return (
    !isRecorded(database, row.key, snapshot.status, snapshot.rawStatus) ||
    (row.status === snapshot.status && findNewResults(database, row.key, snapshot.results).length > 0)
  );
}

/** Whether the stored record contains the first of these results. */
function isFirstResultRecorded(database: Database, key: string, [first]: readonly TaskResult[]): boolean {
  const sql = 'SELECT 1 FROM replies WHERE key = ? AND instr(record, ?) > 0';
  const [address = ''] = first?.url.slice(0, 1_000).split('?', 1) ?? [];
  return !address.startsWith('http') || database.get(sql, key, address) !== undefined;
}

function mayExistAtGateway(status: TaskStatus): boolean {
  return status === 'submitting' || status === 'unknown';
}

/** Stores the changes in a snapshot. The status of an ended task does not change. */
export function writeSnapshot(database: Database, row: TaskRow, snapshot: TaskSnapshot, now: number): void {
  recordStatus(database, row.key, now, snapshot.status, snapshot.rawStatus);
  const hasAlreadyEnded = hasEnded(row.status);
  if (hasAlreadyEnded && row.status !== snapshot.status) return;
  if (hasAlreadyEnded) writeExpiry(database, row.key, snapshot);
  else writeStatus(database, row, snapshot, now);
  writeResults(database, row.key, snapshot.results);
  writeRecord(database, row.key, snapshot);
  settlePurchase(database, row.key, snapshot);
}

/** Stores a status with its time, if the task has not had it before. */
export function recordStatus(
  database: Database,
  key: string,
  now: number,
  status: TaskStatus,
  rawStatus = '',
): void {
  database.run(
    `INSERT OR IGNORE INTO statusChanges (key, status, rawStatus, at)
     SELECT ?1, ?2, ?3, ?4 WHERE (SELECT count(*) FROM statusChanges WHERE key = ?1) < ${maxStatusChanges}`,
    key,
    status,
    rawStatus,
    now,
  );
}

/** Stores a failed poll and deletes all but the last 50 of the task. */
export function storeFailedPoll({ database, now }: WriteContext, key: string, problem: Problem): void {
  database.run(
    'INSERT INTO failedPolls (key, at, problem) SELECT key, ?, ? FROM tasks WHERE key = ?',
    now(),
    JSON.stringify(problem),
    key,
  );
  database.run(
    `DELETE FROM failedPolls WHERE key = ?1 AND id <=
     (SELECT id FROM failedPolls WHERE key = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${maxFailedPolls})`,
    key,
  );
}

function isRecorded(database: Database, key: string, status: TaskStatus, rawStatus = ''): boolean {
  const sql = 'SELECT 1 FROM statusChanges WHERE key = ? AND status = ? AND rawStatus = ?';
  return database.get(sql, key, status, rawStatus) !== undefined;
}

function writeStatus(database: Database, row: TaskRow, snapshot: TaskSnapshot, now: number): void {
  const { status, failedAs, rawStatus, progress, expiresAt } = snapshot;
  const problem = readTaskProblem(snapshot);
  database.run(
    `UPDATE tasks SET status = ?, failedAs = ?, rawStatus = ?, progress = ?,
       maxPercent = nullif(max(coalesce(maxPercent, 0), ?), 0), problem = ?, endedAt = ?, expiresAt = ?
     WHERE key = ?`,
    status,
    failedAs ?? null,
    rawStatus ?? null,
    progress ?? null,
    // Ignore the percentage of a queued task.
    isQueuedStatus(rawStatus ?? '') ? 0 : (progress ?? 0),
    problem ? JSON.stringify(problem) : null,
    hasEnded(status) ? findEndTime(row, snapshot, now) : null,
    expiresAt?.getTime() ?? null,
    row.key,
  );
}

/** Stores a new expiry time of the results, because results with new addresses expire later. */
function writeExpiry(database: Database, key: string, { expiresAt }: TaskSnapshot): void {
  const sql = 'UPDATE tasks SET expiresAt = coalesce(?, expiresAt) WHERE key = ?';
  database.run(sql, expiresAt?.getTime() ?? null, key);
}

function readTaskProblem({ error }: TaskSnapshot): Problem | undefined {
  const message = error?.message ?? error?.code;
  if (message === undefined) return undefined;
  return { message, ...(error?.code !== undefined && { code: error.code }) };
}

/**
 * Returns the end time that the gateway reported if it is between the start and now; otherwise now. A task that
 * was created elsewhere may have ended before it was adopted.
 */
function findEndTime(row: TaskRow, { finishedAt }: TaskSnapshot, now: number): number {
  const reportedEnd = finishedAt?.getTime();
  const startedAt =
    row.route === null ? row.intendedAt : (row.acceptedAt ?? row.submittedAt ?? row.intendedAt);
  return reportedEnd !== undefined && reportedEnd >= startedAt && reportedEnd <= now ? reportedEnd : now;
}

function writeRecord(database: Database, key: string, { status, raw }: TaskSnapshot): void {
  const resultKind = status === 'completed' && readTaskText(raw) !== '' ? 'text' : null;
  database.run('UPDATE tasks SET resultKind = ? WHERE key = ?', resultKind, key);
  const sql =
    'INSERT INTO replies (key, record) VALUES (?, ?) ON CONFLICT DO UPDATE SET record = excluded.record';
  database.run(sql, key, stringifyRecord(raw));
}

/** In characters. Longer strings in a record are data, not text. */
const maxStringLength = 64 * 1024;

/** The JSON text of a record, without long data. */
function stringifyRecord(record: unknown): string | null {
  try {
    return (
      JSON.stringify(record, (_, value: unknown) => (isData(value) ? describeOmitted(value) : value)) ?? null
    );
  } catch {
    // The record is nested too deeply for JSON.stringify. The values that were read from it are stored.
    return null;
  }
}

function isData(value: unknown): value is string {
  return typeof value === 'string' && value.length > maxStringLength;
}

function describeOmitted(text: string): string {
  return `(${text.length} characters, left out)`;
}
