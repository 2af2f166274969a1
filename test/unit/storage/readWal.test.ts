import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../src/storage/database.ts';
import { readWal } from '../../../src/storage/salvage/readWal.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { createNoise } from '../../support/pageDamage.ts';

/** The smallest page that SQLite supports, so that a log of many frames is small. */
const pageSize = 512;
const headBytes = 32;
const frameBytes = 24 + pageSize;
const migrations = ['CREATE TABLE texts (words TEXT NOT NULL)'];

const initialRows = ['first', 'second', 'third'];
const unpublished = ['unpublished 1', 'unpublished 2', 'unpublished 3', 'unpublished 4'];

describe('F91 F95 the WAL of a database', () => {
  const folder = new DatabaseFolder();
  const path = folder.file();
  let file: Buffer;
  /** One transaction for each item of `texts`. */
  let log: Buffer;
  /** Logs with the items of `since` written over the unpublished frames of a window that died. */
  let logsWithLeftovers: readonly { readonly log: Buffer; readonly since: readonly string[] }[];

  before(() => {
    const connection = new DatabaseSync(path);
    connection.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; ${migrations[0]};`);
    connection.exec('PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)');
    file = readFileSync(path);
    connection.close();
    log = initialRows.reduce<Buffer>((before, words) => appendTransaction(before, [words]), Buffer.alloc(0));
    const killed = appendTransaction(log, unpublished);
    logsWithLeftovers = unpublished.map((_, place) => {
      const since = Array.from({ length: place + 1 }, (_, n) => `since ${n}`);
      const intact = appendTransaction(log, since);
      return { log: Buffer.concat([intact, killed.subarray(intact.length)]), since };
    });
    assert.ok(logsWithLeftovers.filter(({ log }) => log.length === killed.length).length > 2);
  });

  afterEach(clear);
  after(() => folder.remove());

  function clear(): void {
    for (const name of folder.listNames()) rmSync(folder.file(name));
  }

  /** The log after SQLite adds one more transaction. */
  function appendTransaction(before: Buffer, rows: readonly string[]): Buffer {
    const connection = connect(before);
    connection.exec('BEGIN');
    // Each row fills a page.
    for (const words of rows) connection.prepare('INSERT INTO texts VALUES (?)').run(words.padEnd(450));
    connection.exec('COMMIT');
    const after = readFileSync(`${path}-wal`);
    connection.close();
    return after;
  }

  function connect(log: Buffer): DatabaseSync {
    writeFiles(log);
    return new DatabaseSync(path);
  }

  function writeFiles(wal: Buffer): void {
    clear();
    writeFileSync(path, file);
    writeFileSync(`${path}-wal`, wal);
  }

  /** The number of frames that SQLite accepts. */
  function frameCountOfSqlite(wal: Buffer): unknown {
    const connection = connect(wal);
    try {
      return connection.prepare('PRAGMA wal_checkpoint').get()?.log;
    } finally {
      connection.close();
    }
  }

  function frameCount(wal: Buffer): number {
    const reading = readWal(wal);
    return reading ? (reading.end - headBytes) / frameBytes : 0;
  }

  /** Every offset near which a crash can cut a log. */
  function cuts(log: Buffer): readonly number[] {
    const ends = Array.from({ length: (log.length - headBytes) / frameBytes + 1 }, (_, n) => n * frameBytes);
    const around = ends.flatMap((end) => [-1, 0, 1, 24].map((more) => headBytes + end + more));
    return [0, 1, ...around.filter((cut) => cut <= log.length)];
  }

  function textsIn(log: Buffer): readonly string[] {
    writeFiles(log);
    const database = openDatabase({ path, migrations });
    try {
      assert.equal(database.setAside, undefined);
      database.run("INSERT INTO texts VALUES ('after')");
      const rows = database.all<{ words: string }>('SELECT words FROM texts ORDER BY rowid');
      return rows.map(({ words }) => words.trim());
    } finally {
      database.close();
    }
  }

  it('cut at any byte is not reported as damaged', () => {
    for (const { log } of logsWithLeftovers) {
      for (let cut = 0; cut <= log.length; cut++) {
        assert.ok(!readWal(log.subarray(0, cut))?.isDamaged, `cut at ${cut}`);
      }
    }
  });

  it('cut near any frame ends where SQLite ends it', () => {
    for (const { log } of logsWithLeftovers) {
      for (const cut of cuts(log)) {
        const part = log.subarray(0, cut);
        assert.equal(frameCount(part), frameCountOfSqlite(part), `cut at ${cut} of ${log.length}`);
      }
    }
  });

  it('has every reported row in spite of unpublished frames of a killed window', () => {
    for (const { log, since } of logsWithLeftovers) {
      assert.deepEqual(textsIn(log), [...initialRows, ...since, 'after']);
    }
  });

  it('has every reported row, although several windows were killed one after another', () => {
    const killed = appendTransaction(log, unpublished);
    const killedLater = appendTransaction(log, unpublished.slice(0, 2));
    const overwritten = Buffer.concat([killedLater, killed.subarray(killedLater.length)]);
    const since = appendTransaction(log, ['since']);
    const both = Buffer.concat([since, overwritten.subarray(since.length)]);
    assert.deepEqual(textsIn(both), [...initialRows, 'since', 'after']);
  });

  it('is not damaged when a power failure loses a frame of the last transaction', () => {
    const intact = appendTransaction(log, unpublished);
    for (let at = log.length; at < intact.length; at += frameBytes) {
      const torn = Buffer.from(intact).fill(0, at, at + frameBytes);
      assert.deepEqual(
        [readWal(torn)?.isDamaged, frameCount(torn)],
        [false, frameCountOfSqlite(torn)],
        `byte ${at}`,
      );
      assert.deepEqual(textsIn(torn), [...initialRows, 'after']);
    }
  });

  it('is set aside as damaged when no part of it can be recognised', () => {
    const fillings = [
      Buffer.alloc(log.length),
      createNoise(log.length, 'log'),
      Buffer.alloc(log.length, 255),
    ];
    // As long as frames of the usual size.
    const frames = createNoise(headBytes + 3 * (24 + 4096), 'frames');
    for (const damaged of [...fillings, frames, Buffer.alloc(headBytes)]) {
      writeFiles(damaged);
      const database = openDatabase({ path, migrations });
      assert.ok(database.setAside !== undefined);
      assert.deepEqual(readFileSync(`${database.setAside}-wal`), damaged);
      assert.equal(database.all('SELECT words FROM texts').length, 0);
      database.close();
    }
  });

  it('is damaged when a complete transaction follows a broken frame', () => {
    const intact = appendTransaction(log, unpublished);
    const last = log.length;
    for (let at = headBytes + 24; at < intact.length; at += frameBytes) {
      const damaged = Buffer.from(intact);
      damaged[at] = ~(damaged[at] ?? 0);
      assert.equal(readWal(damaged)?.isDamaged, at < last, `byte ${at}`);
      if (at >= last) assert.equal(frameCount(damaged), frameCountOfSqlite(damaged));
    }
  });
});
