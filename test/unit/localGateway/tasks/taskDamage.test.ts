import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { createTaskFile } from '../../../../src/localGateway/tasks/taskFile.ts';
import { isUpstreamTask } from '../../../../src/localGateway/tasks/taskState.ts';
import { TaskStore } from '../../../../src/localGateway/tasks/taskStore.ts';
import { openTaskDatabase } from '../../../../src/localGateway/tasks/taskTable.ts';
import type { Database } from '../../../../src/storage/database.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';
import { damages, pageSize } from '../../../support/pageDamage.ts';

describe('F60 a damaged task file', () => {
  const now = 1_000_000_000_000;
  let folder: DatabaseFolder;
  let database: Database;
  let store: TaskStore;
  const start = () => new TaskStore(database, { now: () => now, monotonic: () => 0 });
  const key = (nth: number) => `key-${nth}`;
  const draft = { upstream: 'one', model: 'm', requestId: 'r', fingerprint: 'f', prompt: 'A cat' };
  const createTask = (nth: number) =>
    store.createUpstreamTask({ ...draft, format: 'videos', idempotencyKey: key(nth) });

  beforeEach(() => {
    folder = new DatabaseFolder();
    database = openTaskDatabase(folder.file());
    store = start();
  });
  afterEach(() => {
    folder.remove();
  });

  /** Makes tasks, some without a reply yet. */
  function makeAll(count: number): readonly string[] {
    return Array.from({ length: count }, (_, nth) => {
      const { id } = createTask(nth).task;
      const report = { progress: 5, results: [], record: { id: `video_${nth}`, text: 'x'.repeat(500) } };
      const ends =
        nth % 3 === 2 ? ({ status: 'completed', finishedAt: now } as const) : { status: 'running' as const };
      if (nth % 3 > 0) store.changeState(id, { ...ends, report: report, upstreamId: `video_${nth}` });
      return id;
    });
  }

  /** Opens a damaged file, and looks up the task of each request. */
  function assertAllKnown(bytes: Buffer, createdIds: readonly string[], description: string): void {
    const file = folder.file('broken.db');
    writeFileSync(file, bytes);
    database = openTaskDatabase(file);
    store = start();
    for (const [nth, id] of createdIds.entries()) {
      const { task, repeats } = createTask(nth);
      assert.deepEqual([task.id, repeats], [id, 'same'], `${description}, task ${nth}`);
    }
    store.close();
    for (const name of folder.listNames()) if (name !== 'things.db') rmSync(folder.file(name));
  }

  it('has every request after the loss of any page, so that no request is paid twice', function () {
    this.timeout(120_000);
    const createdIds = makeAll(60);
    store.close();
    const intact = readFileSync(folder.file());
    const pages = intact.length / pageSize;
    for (const [how, damage] of Object.entries(damages))
      for (let page = how === 'the next page' ? 1 : 0; page < pages - 1; page += 1)
        assertAllKnown(damage(intact, page), createdIds, `${how}, page ${page}`);
  });

  it('still knows every request after the loss of any two pages', function () {
    this.timeout(120_000);
    const createdIds = makeAll(24);
    store.close();
    const intact = readFileSync(folder.file());
    const zeros = damages['zero bytes'];
    assert.ok(zeros);
    for (let one = 1; one < intact.length / pageSize; one += 1)
      for (let other = one + 1; other < intact.length / pageSize; other += 1)
        assertAllKnown(zeros(zeros(intact, one), other), createdIds, `pages ${one} and ${other}`);
  });

  it('keeps the upstream id of a task whose record is lost, and the task is read again', () => {
    const [unanswered = '', running = ''] = makeAll(2);
    database.run("UPDATE task SET report = 'garbage'");
    database.run("UPDATE task SET plan = 'garbage' WHERE id = ?", unanswered);
    store.close();
    const bytes = readFileSync(folder.file());
    bytes.fill(0, pageSize * 8, pageSize * 9);
    writeFileSync(folder.file(), bytes);
    database = openTaskDatabase(folder.file());
    store = start();
    assert.deepEqual(
      store.takeDue().map(({ id, upstreamId, status }) => [id, upstreamId, status]),
      [[running, 'video_1', 'running']],
    );
    const lost = store.get(unanswered);
    assert.ok(lost && isUpstreamTask(lost));
    assert.deepEqual([lost.status, lost.upstreamId], ['unknown', undefined]);
  });

  it('keeps a record that is nested more deeply than SQLite reads', () => {
    const [, , completed = ''] = makeAll(3);
    const report = `{"progress":5,"results":[],"record":${'['.repeat(2_000)}${']'.repeat(2_000)}}`;
    database.run('UPDATE task SET report = ? WHERE id = ?', report, completed);
    store.close();
    const bytes = readFileSync(folder.file());
    bytes.fill(0, pageSize * 8, pageSize * 9);
    writeFileSync(folder.file(), bytes);
    database = openTaskDatabase(folder.file());
    store = start();
    const task = store.get(completed);
    assert.ok(task && isUpstreamTask(task));
    assert.equal(task.status, 'completed');
  });
});

describe('a task file that another process has locked', () => {
  it('blocks the gateway only briefly', () => {
    const folder = new DatabaseFolder();
    const database = openTaskDatabase(folder.file());
    const other = new DatabaseSync(folder.file());
    try {
      other.exec('BEGIN IMMEDIATE');
      const { timeout } = database.get<{ timeout: number }>('PRAGMA busy_timeout') ?? { timeout: NaN };
      assert.ok(timeout <= 250, `${timeout} ms`);
      assert.throws(() => database.write(() => undefined), { kind: 'busy' });
      assert.throws(() => openTaskDatabase(folder.file()), { kind: 'busy' });
      other.exec('ROLLBACK');
      database.write(() => undefined);
    } finally {
      other.close();
      database.close();
      folder.remove();
    }
  });

  it('stores a new task after the other process has finished, without blocking other replies', async () => {
    const folder = new DatabaseFolder();
    const file = createTaskFile(folder.file(), () => {});
    const draft = { upstream: 'one', model: 'm', requestId: 'r', fingerprint: 'f', prompt: 'A cat' };
    const create = () => file.create((store) => store.createUpstreamTask({ ...draft, format: 'videos' }));
    await create();
    const other = new DatabaseSync(folder.file());
    try {
      other.exec('BEGIN IMMEDIATE');
      const creation = create();
      await setImmediate();
      other.exec('ROLLBACK');
      const { task } = await creation;
      assert.equal(file.open().get(task.id)?.requestId, 'r');
    } finally {
      other.close();
      file.close();
      folder.remove();
    }
  });
});
