// Replaces `@vscode/sqlite3`, which is not compiled here. VS Code's agent host stores its sessions with it, and
// starts no session without it.
const { DatabaseSync } = require('node:sqlite');

const busyTimeoutMs = 1000;

class Database {
  #file;

  constructor(path, done) {
    later(done, () => {
      this.#file = new DatabaseSync(path, {
        timeout: busyTimeoutMs,
        enableForeignKeyConstraints: false,
        enableDoubleQuotedStringLiterals: true,
      });
    });
  }

  exec(sql, done) {
    later(done, () => void this.#file.exec(sql));
  }

  run(sql, values, done) {
    later(done, () => {
      const { changes, lastInsertRowid } = this.#file.prepare(sql).run(...values.map(bound));
      return { receiver: { changes: Number(changes), lastID: Number(lastInsertRowid) } };
    });
  }

  get(sql, values, done) {
    later(done, () => ({ result: row(this.#file.prepare(sql).get(...values.map(bound))) }));
  }

  all(sql, values, done) {
    later(done, () => ({
      result: this.#file
        .prepare(sql)
        .all(...values.map(bound))
        .map(row),
    }));
  }

  /** Statements always run in order here. */
  serialize(work) {
    work?.();
  }

  close(done) {
    later(done, () => void this.#file.close());
  }
}

/** Calls back after the current event, as the original does. */
function later(done, work) {
  setImmediate(() => {
    let outcome;
    try {
      outcome = work() ?? {};
    } catch (error) {
      done?.(error);
      return;
    }
    done?.call(outcome.receiver, null, outcome.result);
  });
}

function bound(value) {
  if (typeof value === 'boolean') return Number(value);
  return value ?? null;
}

/** The original returns bytes as buffers. */
function row(values) {
  if (!values) return undefined;
  const asBuffer = (value) => (value instanceof Uint8Array ? Buffer.from(value) : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asBuffer(value)]));
}

exports.Database = Database;
