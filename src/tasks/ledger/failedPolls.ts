import type { Problem } from '../task.ts';
import type { LedgerContext } from './ledgerContext.ts';

const maxFailedPolls = 50;

/** Keeps the last 50 failed polls of each task, within the caller's transaction. */
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
