import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { damages, overwrite, pageSize } from '../../support/pageDamage.ts';

const migrations = ['CREATE TABLE shelf (name TEXT NOT NULL) STRICT'];

describe('F95 a database that is too large to be checked when it is opened', () => {
  let folder: DatabaseFolder;
  const opened: Database[] = [];

  beforeEach(() => {
    folder = new DatabaseFolder();
    const database = open();
    database.write(() => {
      for (let n = 0; n < 500; n++)
        database.run('INSERT INTO shelf VALUES (?)', `shelf ${n} ${'long '.repeat(50)}`);
    });
    database.close();
    const bytes = readFileSync(folder.file());
    const last = bytes.length / pageSize - 1;
    overwrite(folder.file(), damages.ones?.(bytes, last) ?? bytes);
  });
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
    folder.remove();
  });

  function open(maxPagesChecked?: number): Database {
    const database = openDatabase({
      path: folder.file(),
      migrations,
      plan: { counted: 'shelf' },
      ...(maxPagesChecked !== undefined && { maxPagesChecked }),
    });
    opened.push(database);
    return database;
  }

  const count = (database: Database) => database.all('SELECT name FROM shelf').length;

  it('is repaired by a check in another connection, and then reopened by the first one', () => {
    const window = open(10);
    assert.equal(window.setAside, undefined);
    const worker = open(10);
    worker.check();
    assert.ok(worker.setAside !== undefined);
    assert.ok((worker.salvaged?.saved ?? 0) > 400);
    let replaced = false;
    window.reopenIfReplaced();
    assert.equal(count(window), count(worker));
    worker.write(() => worker.run(`INSERT INTO shelf VALUES ('new')`));
    window.onDidReplace(() => {
      replaced = true;
    });
    window.reopenIfReplaced();
    assert.equal(replaced, false);
    assert.equal(count(window), worker.salvaged && worker.salvaged.saved + 1);
  });

  it('stays readable after its file was moved away', () => {
    const window = open();
    renameSync(folder.file(), folder.file('elsewhere.db'));
    window.reopenIfReplaced();
    assert.ok(count(window) > 400);
  });

  it('is repaired when a damaged page is read', () => {
    const window = open(10);
    assert.ok(count(window) > 400);
    assert.ok(window.setAside !== undefined);
  });

  it('is checked when it is opened if the limit is higher', () => {
    assert.ok(open().setAside !== undefined);
  });
});
