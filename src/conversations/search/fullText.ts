import { DatabaseSync } from 'node:sqlite';

/** Whether the SQLite of this program has full-text search, which not every build of it has. */
export function hasFullText(): boolean {
  const connection = new DatabaseSync(':memory:');
  try {
    return connection.prepare(`SELECT 1 FROM pragma_module_list WHERE name = 'fts5'`).get() !== undefined;
  } finally {
    connection.close();
  }
}
