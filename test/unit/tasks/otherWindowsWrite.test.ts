import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { GatewayClient } from '../../../src/client/gatewayClient.ts';
import { type Database, openDatabase, StorageError } from '../../../src/storage/database.ts';
import { connect } from '../../../src/storage/sqlite/connection.ts';
import { LongWriteAheadLog } from '../../../src/storage/upkeep/databaseUpkeep.ts';
import type { UpkeepRequests } from '../../../src/storage/upkeep/upkeepRequests.ts';
import { RequestWorker } from '../../../src/storage/worker/requestWorker.ts';
import { isLogLong } from '../../../src/storage/writeAheadLog.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations, openLedgerDatabase } from '../../../src/tasks/ledger/ledgerSchema.ts';
import type { Task } from '../../../src/tasks/record/task.ts';
import { type SubmitClient, submitTask } from '../../../src/tasks/submitTask.ts';
import { TaskService } from '../../../src/tasks/taskService.ts';
import { damages, overwrite, pageSize } from '../../support/pageDamage.ts';
import { TestGateway } from '../../support/testGateway.ts';
import { createDraft, createTasksFolder, defaultPollOptions } from '../../support/testWindow.ts';

interface Flush {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const program = fileURLToPath(new URL('../../../src/tasks/worker/main.ts', import.meta.url));

describe('the tasks of a window while other windows write', () => {
  const folder = createTasksFolder();
  let file: string;
  let files = 0;
  let server: TestGateway;
  let worker: RequestWorker<UpkeepRequests>;
  let tasks: TaskService;
  let notices: string[];
  let warnings: string[];

  beforeEach(() => {
    files += 1;
    file = join(folder.path, `${files}`, 'tasks.sqlite');
    server = new TestGateway(Date.now);
    worker = new RequestWorker({ program, data: { file } });
    [notices, warnings] = [[], []];
    tasks = service();
  });

  afterEach(async () => {
    await tasks.dispose();
    await worker.close();
  });

  after(() => folder.remove());

  function service(): TaskService {
    return new TaskService({
      file,
      worker,
      resultsFolder: () => join(folder.path, 'results'),
      pollOptions: () => defaultPollOptions,
      gateways: {
        getClient: async () => server as unknown as GatewayClient,
        resolveAddress: async (_, address) => address,
        findConfigured: (_, name) => ({ name }),
        discardClients: () => {},
      },
      log: {
        info: () => {},
        warn: (_, text) => warnings.push(text),
        error: (_, text) => warnings.push(text),
      },
      onNotice: (notice) => notices.push(notice.type),
    });
  }

  const { key: _, ...request } = createDraft('');

  /** Holds the lock of the file in this thread. A blocking wait for it in this thread would never succeed. */
  function hold(): () => void {
    const connection = connect(file);
    connection.exec('BEGIN IMMEDIATE');
    return () => {
      connection.exec('ROLLBACK');
      connection.close();
    };
  }

  /** Lets other threads and the event loop run for this many milliseconds. */
  async function runFor(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (performance.now() < until) await setImmediate();
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await setImmediate();
  }

  it('F97 are created after another connection releases a lock of two seconds, without blocking the window', async () => {
    await tasks.open();
    const release = hold();
    const making = tasks.create(request, 'token', 1);
    let isCreated = false;
    void making.then(() => {
      isCreated = true;
    });
    await runFor(2_000);
    assert.deepEqual([isCreated, server.bills.size, tasks.all], [false, 0, []]);
    release();
    await making;
    await until(() => tasks.all[0]?.taskId !== undefined);
    assert.deepEqual([...server.bills.values()], [1]);
    assert.deepEqual([notices, warnings], [[], []]);
  });

  it('F97 F67 have an id that arrived while another connection held the lock, without a warning', async () => {
    await tasks.open();
    let release = () => {};
    const makeVideo = server.makeVideo.bind(server);
    server.makeVideo = async (...parameters: Parameters<typeof makeVideo>) => {
      release = hold();
      return makeVideo(...parameters);
    };
    const [task] = await tasks.create(request, 'token', 1);
    await until(() => server.bills.size === 1);
    await runFor(300);
    assert.equal(tasks.get(task?.key ?? '')?.status, 'submitting');
    release();
    await until(() => tasks.get(task?.key ?? '')?.taskId === 'task-1');
    assert.deepEqual([notices, warnings], [[], []]);
  });

  it('F95 are stored in the file that the worker repaired after it was damaged while open', async () => {
    await tasks.create(request, 'first', 1);
    await until(() => tasks.all[0]?.taskId !== undefined);
    const other = openDatabase({ path: file, migrations: ledgerMigrations });
    other.write(() => other.run('DELETE FROM revision'));
    other.close();
    const { ino } = statSync(file);
    assert.equal(tasks.all.length, 1, 'the last list remains until the file is repaired');
    const [created] = await tasks.create(request, 'second', 1);
    await until(() => tasks.get(created?.key ?? '')?.taskId !== undefined);
    assert.notEqual(statSync(file).ino, ino);
    assert.equal(tasks.all.length, 2);
    assert.ok(notices.includes('set-aside'));
  });

  it('have a WAL that the worker empties once it is long', async () => {
    const database = openLedgerDatabase({ path: file, isNonBlocking: true });
    await fillAndEmptyLog(database);
    assert.ok(!isLogLong(file));
    assert.deepEqual([notices, warnings], [[], []]);
    database.close();
  });

  it('F95 are recovered with a notice if the worker finds damage when it empties the WAL', async () => {
    const database = openLedgerDatabase({ path: file, isNonBlocking: true });
    await fillAndEmptyLog(database);
    const bytes = readFileSync(file);
    const page = Math.floor(bytes.length / pageSize / 2);
    overwrite(file, damages['random bytes']?.(bytes, page) ?? bytes);
    await fillAndEmptyLog(database);
    assert.deepEqual([notices, warnings], [['set-aside'], []]);
    database.close();
  });

  async function fillAndEmptyLog(database: Database): Promise<void> {
    const ledger = new Ledger(database, { window: 'one' });
    while (!isLogLong(file))
      ledger.create(createDraft(randomUUID(), { request: { prompt: 'x'.repeat(50_000) } }));
    const log = new LongWriteAheadLog(database, {
      emptyLog: () => worker.request('emptyLog', undefined),
      onNotice: ({ type }) => notices.push(type),
      onError: (error) => warnings.push(String(error)),
    });
    await log.emptyIfLong();
  }
});

describe('the record of a task in a window that never blocks', () => {
  const folder = createTasksFolder();
  let files = 0;
  let database: Database;
  let ledger: Ledger;
  let server: TestGateway;
  let flushed: Flush[];

  beforeEach(() => {
    files += 1;
    server = new TestGateway(Date.now);
    database = openLedgerDatabase({ path: join(folder.path, `${files}.sqlite`), isNonBlocking: true });
    ledger = new Ledger(database, { window: 'one' });
    flushed = [];
    database.flush = () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      flushed.push({ resolve, reject });
      return promise;
    };
  });

  afterEach(() => ledger.close());

  after(() => folder.remove());

  function begin(client: SubmitClient = server) {
    const task = (ledger.get('a') ?? ledger.create(createDraft('a'))) as Task;
    const received: string[] = [];
    const sending = submitTask(task, { model: 'video-1' }, { ledger, client });
    sending.then(
      ({ kind }) => received.push(kind),
      (error) => received.push(String(error)),
    );
    return { sending, received };
  }

  /** Resolves at the nth flush. */
  async function flushing(nth: number): Promise<Flush> {
    for (;;) {
      const flush = flushed[nth - 1];
      if (flush) return flush;
      await setImmediate();
    }
  }

  it('F91 is flushed to disk before the request is sent, and its id before it is reported', async () => {
    const { sending, received } = begin();
    const claim = await flushing(1);
    await setImmediate();
    assert.deepEqual([ledger.get('a')?.status, server.readIds.length], ['submitting', 0]);
    claim.resolve();
    const id = await flushing(2);
    await setImmediate();
    assert.deepEqual([ledger.get('a')?.taskId, received], ['task-1', []]);
    id.resolve();
    assert.equal((await sending).kind, 'accepted');
  });

  it('F92 F99 is an intent that can be sent later if it cannot be flushed to disk', async () => {
    const { sending } = begin();
    (await flushing(1)).reject(new StorageError('io', 'The disk failed.'));
    (await flushing(2)).resolve();
    await assert.rejects(sending, { kind: 'io' });
    assert.deepEqual([server.readIds.length, server.bills.size], [0, 0]);
    const { status, requestId, submittedAt } = ledger.get('a') ?? {};
    assert.deepEqual([status, requestId, submittedAt], ['intent', undefined, undefined]);
    assert.deepEqual(ledger.readSpending(), { inLastHour: 1, inLastDay: 1 });
    const again = begin();
    (await flushing(3)).resolve();
    (await flushing(4)).resolve();
    assert.equal((await again.sending).kind, 'accepted');
  });
});
