import { join } from 'node:path';
import { openTaskDatabase } from '../../src/localGateway/tasks/taskTable.ts';
import type { Workbench } from './workbench.ts';

/**
 * Ends the demo's videos whose prompts start with this text: the gateway derives their state from their times and
 * its clock.
 */
export function endDemoVideos({ storage }: Pick<Workbench, 'storage'>, prompt: string): void {
  const database = openTaskDatabase(join(storage, 'gateway', 'tasks.sqlite'));
  try {
    const sql = `UPDATE task SET starts_at = min(starts_at, ?1), ends_at = ?1 WHERE instr(plan ->> '$.prompt', ?2) = 1`;
    database.writeDurably(() => database.run(sql, Date.now(), prompt));
  } finally {
    database.close();
  }
}
