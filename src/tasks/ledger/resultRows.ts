import type { Database, WriteContext } from '../../storage/database.ts';
import type { TaskResult } from '../../wire/apis/taskRecord/snapshot.ts';
import type { LedgerResult } from '../record/task.ts';
import { type ResultRow, resultColumns } from './ledgerRows.ts';

// Stores the results of tasks. Everything here runs within the caller's transaction.

/** The new values of a result. An undefined value deletes the stored one. */
export type ResultChange = Partial<Omit<LedgerResult, 'index'>>;

/**
 * Returns the indexes of results to store. Results are identified by their position. Saved results do not change;
 * other results may get a new address.
 */
export function findNewResults(
  database: Database,
  key: string,
  results: readonly TaskResult[],
): readonly number[] {
  if (results.length === 0) return [];
  const sql = 'SELECT position AS "index", state, url FROM results WHERE key = ?';
  const storedRows = new Map(
    database.all<Pick<ResultRow, 'index' | 'state' | 'url'>>(sql, key).map((row) => [row.index, row]),
  );
  return results.flatMap(({ url }, index) => {
    const row = storedRows.get(index);
    return row === undefined || (row.state !== 'saved' && row.url !== url) ? [index] : [];
  });
}

/** Stores new results and new addresses of results. */
export function writeResults(database: Database, key: string, results: readonly TaskResult[]): void {
  for (const index of findNewResults(database, key, results)) {
    const { url, mimeType, expiresAt } = results[index] as TaskResult;
    database.run(
      `INSERT INTO results (key, position, state, url, mimeType, expiresAt) VALUES (?, ?, 'waiting', ?, ?, ?)
       ON CONFLICT DO UPDATE SET url = excluded.url, mimeType = excluded.mimeType, expiresAt = excluded.expiresAt`,
      key,
      index,
      url,
      mimeType ?? null,
      expiresAt?.getTime() ?? null,
    );
  }
}

interface DownloadClaim {
  readonly state: LedgerResult['state'];
  /** The last window that claimed the download. */
  readonly owner: string | null;
}

/** Changes a result, unless another window is downloading it. */
export function changeResult(
  { database, window }: WriteContext,
  key: string,
  index: number,
  change: ResultChange,
): void {
  const sql = `SELECT ${resultColumns} FROM results
    WHERE key = ? AND position = ? AND (state <> 'downloading' OR owner = ?)`;
  const row = database.get<ResultRow>(sql, key, index, window);
  if (!row) return;
  const { state, url, mimeType, expiresAt, path, bytes, sha256 } = { ...row, ...change };
  const problem = 'problem' in change ? change.problem && JSON.stringify(change.problem) : row.problem;
  database.run(
    `UPDATE results SET state = ?, url = ?, mimeType = ?, expiresAt = ?, path = ?, bytes = ?, sha256 = ?,
     problem = ? WHERE key = ? AND position = ?`,
    state,
    url,
    mimeType ?? null,
    expiresAt ?? null,
    path ?? null,
    bytes ?? null,
    sha256 ?? null,
    problem ?? null,
    key,
    index,
  );
}

/** @returns whether the caller may download the result now */
export function claimResult(
  { database, window }: WriteContext,
  key: string,
  index: number,
  isAlive: (window: string) => boolean,
): boolean {
  const sql = 'SELECT state, owner FROM results WHERE key = ? AND position = ?';
  const result = database.get<DownloadClaim>(sql, key, index);
  if (!result || !canClaim(result, window, isAlive)) return false;
  const claim = `UPDATE results SET state = 'downloading', owner = ?, problem = NULL WHERE key = ? AND position = ?`;
  return database.run(claim, window, key, index) > 0;
}

function canClaim(
  { state, owner }: DownloadClaim,
  window: string,
  isAlive: (window: string) => boolean,
): boolean {
  if (state === 'waiting' || state === 'failed') return true;
  return state === 'downloading' && owner !== null && owner !== window && !isAlive(owner);
}
