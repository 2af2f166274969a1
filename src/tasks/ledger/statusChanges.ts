import type { Database } from '../../storage/database.ts';
import type { TaskResult, TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import { isQueuedStatus } from '../../wire/apis/taskRecord/statusWords.ts';
import { taskText } from '../../wire/apis/taskRecord/text.ts';
import type { Problem, TaskStatus } from '../record/task.ts';
import type { ResultRow, TaskRow } from './ledgerRows.ts';
import { settlePurchase } from './purchaseRows.ts';

/** The most status changes of one task, in case a gateway never repeats a status. */
const maxStatusChanges = 500;

/** Whether the status is final. */
export function hasEnded(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed';
}

/** Whether a snapshot tells anything new. Only reads, and usually not even that. */
export function hasNews(database: Database, row: TaskRow, snapshot: TaskSnapshot): boolean {
  if (row.taskId === null && snapshot.id !== undefined) return true;
  if (!hasEnded(row.status)) {
    // Without an id nobody can poll the task: only a reply that holds the result tells anything.
    if (row.taskId === null) return mayHaveBeenMade(row.status) && hasEnded(snapshot.status);
    return (
      row.status !== snapshot.status ||
      row.rawStatus !== (snapshot.rawStatus ?? null) ||
      row.progress !== (snapshot.progress ?? null) ||
      (snapshot.unsureResults !== undefined && !namesFirst(database, row.key, snapshot.unsureResults))
    );
  }
  return (
    !isRecorded(database, row.key, snapshot.status, snapshot.rawStatus) ||
    (row.status === snapshot.status && newResults(database, row.key, snapshot.results).length > 0)
  );
}

/** Whether the stored record names the first of these results. */
function namesFirst(database: Database, key: string, [first]: readonly TaskResult[]): boolean {
  const sql = 'SELECT 1 FROM replies WHERE key = ? AND instr(record, ?) > 0';
  const [address = ''] = first?.url.slice(0, 1_000).split('?', 1) ?? [];
  return !address.startsWith('http') || database.get(sql, key, address) !== undefined;
}

function mayHaveBeenMade(status: TaskStatus): boolean {
  return status === 'submitting' || status === 'unknown';
}

/** Stores a snapshot, within the caller's transaction. A task that has ended stays as it ended. */
export function writeSnapshot(database: Database, row: TaskRow, snapshot: TaskSnapshot, now: number): void {
  recordStatus(database, row.key, now, snapshot.status, snapshot.rawStatus);
  const ended = hasEnded(row.status);
  if (ended && row.status !== snapshot.status) return;
  if (ended) writeExpiry(database, row.key, snapshot);
  else writeStatus(database, row, snapshot, now);
  writeResults(database, row.key, snapshot.results);
  writeRecord(database, row.key, snapshot);
  settlePurchase(database, row.key, snapshot);
}

/** Stores a status with its time, if the task never had it before. */
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

function isRecorded(database: Database, key: string, status: TaskStatus, rawStatus = ''): boolean {
  const sql = 'SELECT 1 FROM statusChanges WHERE key = ? AND status = ? AND rawStatus = ?';
  return database.get(sql, key, status, rawStatus) !== undefined;
}

function writeStatus(database: Database, row: TaskRow, snapshot: TaskSnapshot, now: number): void {
  const { status, failedAs, rawStatus, progress, expiresAt } = snapshot;
  const problem = problemIn(snapshot);
  database.run(
    `UPDATE tasks SET status = ?, failedAs = ?, rawStatus = ?, progress = ?,
       mostProgress = nullif(max(coalesce(mostProgress, 0), ?), 0), problem = ?, endedAt = ?, expiresAt = ?
     WHERE key = ?`,
    status,
    failedAs ?? null,
    rawStatus ?? null,
    progress ?? null,
    // A percentage means nothing in the queue.
    isQueuedStatus(rawStatus ?? '') ? 0 : (progress ?? 0),
    problem ? JSON.stringify(problem) : null,
    hasEnded(status) ? endOf(row, snapshot, now) : null,
    expiresAt?.getTime() ?? null,
    row.key,
  );
}

/** Results with new addresses expire later. */
function writeExpiry(database: Database, key: string, { expiresAt }: TaskSnapshot): void {
  const sql = 'UPDATE tasks SET expiresAt = coalesce(?, expiresAt) WHERE key = ?';
  database.run(sql, expiresAt?.getTime() ?? null, key);
}

function problemIn({ error }: TaskSnapshot): Problem | undefined {
  const message = error?.message ?? error?.code;
  if (message === undefined) return undefined;
  return { message, ...(error?.code !== undefined && { code: error.code }) };
}

/** The gateway's own time, unless its clock differs too much from ours. A task made elsewhere may end before it is known here. */
function endOf(row: TaskRow, { finishedAt }: TaskSnapshot, now: number): number {
  const told = finishedAt?.getTime();
  const since = row.route === null ? row.intendedAt : (row.acceptedAt ?? row.submittedAt ?? row.intendedAt);
  return told !== undefined && told >= since && told <= now ? told : now;
}

/** Results are identified by their position. A saved one stays; another may get a new address. */
function newResults(database: Database, key: string, results: readonly TaskResult[]): readonly number[] {
  if (results.length === 0) return [];
  const sql = 'SELECT place AS "index", state, url FROM results WHERE key = ?';
  const known = new Map(
    database.all<Pick<ResultRow, 'index' | 'state' | 'url'>>(sql, key).map((row) => [row.index, row]),
  );
  return results.flatMap(({ url }, index) => {
    const row = known.get(index);
    return row === undefined || (row.state !== 'saved' && row.url !== url) ? [index] : [];
  });
}

function writeResults(database: Database, key: string, results: readonly TaskResult[]): void {
  for (const index of newResults(database, key, results)) {
    const { url, mimeType, expiresAt } = results[index] as TaskResult;
    database.run(
      `INSERT INTO results (key, place, state, url, mimeType, expiresAt) VALUES (?, ?, 'waiting', ?, ?, ?)
       ON CONFLICT DO UPDATE SET url = excluded.url, mimeType = excluded.mimeType, expiresAt = excluded.expiresAt`,
      key,
      index,
      url,
      mimeType ?? null,
      expiresAt?.getTime() ?? null,
    );
  }
}

function writeRecord(database: Database, key: string, { status, raw }: TaskSnapshot): void {
  const holds = status === 'completed' && taskText(raw) !== '' ? 'text' : null;
  database.run('UPDATE tasks SET holds = ? WHERE key = ?', holds, key);
  const sql =
    'INSERT INTO replies (key, record) VALUES (?, ?) ON CONFLICT DO UPDATE SET record = excluded.record';
  database.run(sql, key, recordText(raw));
}

/** Longer strings in a record are data, not text; in characters. */
const maxString = 64 * 1024;

/** The JSON text of a record, without long data. */
function recordText(record: unknown): string | null {
  try {
    return JSON.stringify(record, (_, value: unknown) => (isData(value) ? leftOut(value) : value)) ?? null;
  } catch {
    // The record is nested too deeply for JSON.stringify. What was read from it is stored all the same.
    return null;
  }
}

function isData(value: unknown): value is string {
  return typeof value === 'string' && value.length > maxString;
}

function leftOut(text: string): string {
  return `(${text.length} characters, left out)`;
}
