import { DatabaseSync } from 'node:sqlite';

/** Makes all tasks of a stopped local gateway an hour older. */
export function ageTasks(file: string): void {
  updateTasks(file, 'UPDATE task SET created_at = created_at - 3600000');
}

/** Marks all tasks of a stopped local gateway as failed. */
export function failTasks(file: string, report: object): void {
  updateTasks(
    file,
    "UPDATE task SET status = 'failed', ends_at = created_at + 1, report = ?",
    JSON.stringify(report),
  );
}

function updateTasks(file: string, sql: string, ...values: readonly string[]): void {
  const database = new DatabaseSync(file);
  database.prepare(sql).run(...values);
  database.close();
}
