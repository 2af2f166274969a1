import type { KeptResult } from '../record/task.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { type ResultRow, resultColumns } from './ledgerRows.ts';

// What is kept of the things that tasks made. Everything here runs within the caller's transaction.

export type ResultChange = Partial<Omit<KeptResult, 'index'>>;

interface FetchClaim {
  readonly state: KeptResult['state'];
  /** The window that downloaded last. */
  readonly owner: string | null;
}

/** A result that another window is downloading stays as it is. */
export function changeResult(
  { database, window }: LedgerContext,
  key: string,
  index: number,
  change: ResultChange,
): void {
  const sql = `SELECT ${resultColumns} FROM results
    WHERE key = ? AND place = ? AND (state <> 'fetching' OR owner = ?)`;
  const row = database.get<ResultRow>(sql, key, index, window);
  if (!row) return;
  const { state, url, mimeType, expiresAt, path, bytes, sha256 } = { ...row, ...change };
  const problem = 'problem' in change ? change.problem && JSON.stringify(change.problem) : row.problem;
  database.run(
    `UPDATE results SET state = ?, url = ?, mimeType = ?, expiresAt = ?, path = ?, bytes = ?, sha256 = ?,
     problem = ? WHERE key = ? AND place = ?`,
    ...[state, url, mimeType ?? null, expiresAt ?? null, path ?? null, bytes ?? null, sha256 ?? null],
    ...[problem ?? null, key, index],
  );
}

/** @returns whether the result is the caller's to download now */
export function claimResult(
  { database, window }: LedgerContext,
  key: string,
  index: number,
  isAlive: (window: string) => boolean,
): boolean {
  const sql = 'SELECT state, owner FROM results WHERE key = ? AND place = ?';
  const result = database.get<FetchClaim>(sql, key, index);
  if (!result || !isFree(result, window, isAlive)) return false;
  const claim = `UPDATE results SET state = 'fetching', owner = ?, problem = NULL WHERE key = ? AND place = ?`;
  return database.run(claim, window, key, index) > 0;
}

function isFree({ state, owner }: FetchClaim, window: string, isAlive: (window: string) => boolean): boolean {
  if (state === 'waiting' || state === 'failed') return true;
  return state === 'fetching' && owner !== null && owner !== window && !isAlive(owner);
}
