import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayClient } from '../../../src/client/gatewayClient.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations } from '../../../src/tasks/ledger/ledgerSchema.ts';
import { findTaskGroup, type Task } from '../../../src/tasks/record/task.ts';
import type { GatewayAccess, LedgerNotice, Pause } from '../../../src/tasks/taskOptions.ts';

import { type TaskRequest, TaskService } from '../../../src/tasks/taskService.ts';
import { createDownload, ScriptedClient } from '../../support/downloadFolder.ts';
import { createTinyClip } from '../../support/downloadServers.ts';
import { createGatewayError, TestGateway } from '../../support/testGateway.ts';
import { createDraft, createTasksFolder, defaultPollOptions, gateway } from '../../support/testWindow.ts';

/** A gateway in memory that also supports cancelling, deleting and results. */
class CompleteGateway extends TestGateway {
  readonly #downloads = new ScriptedClient(createDownload(createTinyClip(20_000)));
  readonly cancelled: string[] = [];
  readonly deleted: string[] = [];
  readonly download = this.#downloads.download.bind(this.#downloads);

  async cancelTask(id: string) {
    this.cancelled.push(id);
    this.endTask(id, 'cancelled');
    return this.readTask(id);
  }

  async deleteTask(id: string): Promise<undefined> {
    this.deleted.push(id);
    this.tasks.delete(id);
  }
}

describe('the task service', () => {
  const folder = createTasksFolder();
  let server: CompleteGateway;
  let tasks: TaskService;
  let file: string;
  let notices: LedgerNotice[];
  let files = 0;

  beforeEach(() => {
    files += 1;
    file = join(folder.path, `${files}`, 'tasks.sqlite');
    server = new CompleteGateway(Date.now);
    notices = [];
    tasks = createService(file);
  });

  afterEach(() => tasks.dispose());

  after(() => folder.remove());

  function createService(path: string, change: Partial<GatewayAccess> = {}): TaskService {
    const gateways: GatewayAccess = {
      getClient: async () => server as unknown as GatewayClient,
      resolveAddress: async (_, address) => address,
      findConfigured: (_, name) => ({ name }),
      discardClients: () => {},
      ...change,
    };
    return new TaskService({
      file: path,
      resultsFolder: () => join(folder.path, 'results'),
      pollOptions: () => defaultPollOptions,
      gateways,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      onNotice: (notice) => notices.push(notice),
    });
  }

  const request: TaskRequest = (({ key: _, ...rest }) => rest)(createDraft(''));

  /** Resolves once `happened` returns true. It is called after each change. */
  function waitForChange(isReached: () => boolean): Promise<void> {
    if (isReached()) return Promise.resolve();
    return new Promise((resolve) => {
      const subscription = tasks.onDidChange(() => {
        if (!isReached()) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  async function createAcceptedTask(): Promise<Task> {
    const [task] = await tasks.create(request, `token-${files}`, 1);
    assert.ok(task);
    await waitForChange(() => getTask(task.key).taskId !== undefined);
    return getTask(task.key);
  }

  function getTask(key: string): Task {
    const task = tasks.get(key);
    assert.ok(task, `the ledger knows ${key}`);
    return task;
  }

  it('is empty and does not create a file before it is needed', async () => {
    await tasks.start();
    assert.deepEqual(
      [tasks.isOpen, tasks.all, tasks.runningCount, tasks.get('x')],
      [false, [], 0, undefined],
    );
    assert.ok(!existsSync(file));
    assert.throws(() => tasks.readSpending(), TypeError);
  });

  it('does not open the ledger after the window closed', async () => {
    const opening = tasks.open();
    const closed = tasks.dispose();
    await assert.rejects(opening, { name: 'AbortError' });
    await closed;
    assert.deepEqual([tasks.isOpen, existsSync(file)], [false, false]);
  });

  it('F70 creates the requested number of tasks, and only once for the same token', async () => {
    const created = await tasks.create(request, 'token', 3);
    assert.deepEqual(
      created.map(({ key }) => key),
      ['token-1', 'token-2', 'token-3'],
    );
    assert.deepEqual(await tasks.create(request, 'token', 3), []);
    await waitForChange(() => tasks.all.every(({ taskId }) => taskId !== undefined));
    assert.equal(server.tasks.size, 3);
    assert.equal(tasks.readSpending().inLastDay, 3);
  });

  it('P6 does not report a task as not sent if only its results cannot be downloaded', async () => {
    const tried = Promise.withResolvers<void>();
    tasks.downloadResults = async () => {
      tried.resolve();
      throw new Error('The disk cannot be read.');
    };
    await createAcceptedTask();
    await tried.promise;
    await new Promise(setImmediate);
    assert.deepEqual(notices, []);
  });

  it('marks a task as refused with the reason, without sending it, if the gateway is not available', async () => {
    await tasks.dispose();
    tasks = createService(file, {
      getClient: () => Promise.reject(createGatewayError({ kind: 'authentication' })),
    });
    const [task] = await tasks.create(request, 'token', 1);
    await waitForChange(() => getTask(task?.key ?? '').status === 'refused');
    assert.equal(getTask(task?.key ?? '').problem?.code, 'authentication');
    assert.equal(server.tasks.size, 0);
  });

  it('F71 does not send a request whose task cannot be stored first', async () => {
    await tasks.open();
    const request2 = { ...request, request: { toJSON: () => assert.fail('cannot be written') } };
    await assert.rejects(tasks.create(request2, 'token', 2));
    assert.deepEqual(tasks.all, []);
    assert.equal(server.tasks.size, 0);
  });

  it('downloads the results of a task as soon as it has ended', async () => {
    const task = await createAcceptedTask();
    server.endTask(task.taskId ?? '');
    await tasks.poll(task.key);
    await waitForChange(() => getTask(task.key).results[0]?.state === 'saved');
    assert.ok(existsSync(getTask(task.key).results[0]?.path ?? ''));
  });

  it('cancels a task at the gateway, and updates its state at once', async () => {
    const task = await createAcceptedTask();
    const reply = await tasks.cancel(task);
    assert.equal(reply?.rawStatus, 'cancelled');
    assert.deepEqual(server.cancelled, [task.taskId]);
    assert.deepEqual([getTask(task.key).status, getTask(task.key).failedAs], ['failed', 'cancelled']);
  });

  it('deletes a task at the gateway, reports the outcome, and preserves its local data', async () => {
    const task = await createAcceptedTask();
    assert.equal(await tasks.deleteAtGateway(task), 'deleted');
    assert.deepEqual(server.deleted, [task.taskId]);
    const { status, deletedAt } = getTask(task.key);
    assert.deepEqual([status, typeof deletedAt], ['missing', 'number']);
    assert.equal(findTaskGroup(getTask(task.key), false), 'cancelled');
    assert.equal(tasks.runningCount, 0, 'it is not polled any more');
    assert.deepEqual(tasks.readHistory(task.key)?.failedPolls, [], 'nothing has failed');
    await tasks.remove(task.key);
    assert.equal(tasks.get(task.key), undefined);
  });

  it('stops and resumes watching, and can poll in between', async () => {
    const { key, taskId = '' } = await createAcceptedTask();
    await tasks.stopWatching(key);
    assert.deepEqual([getTask(key).watching, tasks.runningCount], ['stopped', 0]);
    server.endTask(taskId, 'half done');
    await tasks.pollAll();
    assert.equal(getTask(key).watching, 'stopped');
    await tasks.resumeWatching(key);
    assert.deepEqual([getTask(key).watching, tasks.runningCount], ['on', 1]);
  });

  it('F69 finds the task of a request of unknown outcome, and does not send it again', async () => {
    server.outcomes.push('empty reply');
    const [task] = await tasks.create(request, 'token', 1);
    const key = task?.key ?? '';
    await waitForChange(() => getTask(key).status === 'unknown');
    const { found } = await tasks.search(getTask(key));
    assert.ok(found);
    await tasks.linkFoundTask(key, found);
    assert.deepEqual([getTask(key).status, getTask(key).taskId], ['running', found.id]);
    assert.equal(server.tasks.size, 1);
  });

  it('adopts a task that was created elsewhere only once', async () => {
    const { id } = server.createTask('somebody else', { prompt: 'a hill' });
    const adopted = await tasks.adopt({ gateway, gatewayName: 'work' }, id);
    assert.deepEqual([adopted.taskId, adopted.prompt, adopted.route], [id, 'a hill', undefined]);
    assert.equal((await tasks.adopt({ gateway, gatewayName: 'work' }, id)).key, adopted.key);
    assert.equal(tasks.find(gateway, id)?.key, adopted.key);
    assert.equal(tasks.readRepeatableRequest(adopted.key), undefined);
  });

  it('returns the request of a task, so that it can be repeated', async () => {
    const { key } = await createAcceptedTask();
    const { route, model, request: body } = request;
    assert.deepEqual(tasks.readRepeatableRequest(key), { route, model, request: body });
  });

  it('F65 allows the user to send or discard a request that a dead window left', async () => {
    await tasks.open();
    const dead = new Ledger(openDatabase({ path: file, migrations: ledgerMigrations }), { window: 'dead' });
    dead.create(createDraft('one'));
    dead.create(createDraft('two'));
    dead.close();
    await waitForChange(() => tasks.all.length === 2);
    assert.deepEqual(
      tasks.all.map((task) => [task.status, tasks.isInFlight(task)]),
      [
        ['intent', false],
        ['intent', false],
      ],
    );
    await tasks.discard('one');
    assert.equal(tasks.get('one'), undefined);
    await tasks.send('two');
    assert.equal(getTask('two').status, 'running');
    assert.equal(server.tasks.size, 1);
  });

  it('F76 reports that a gateway refuses the credential, with the name of the gateway', async () => {
    const { key, taskId = '' } = await createAcceptedTask();
    const paused = new Promise((resolve) => tasks.onDidPause(resolve));
    const refuse = (): never => {
      throw createGatewayError({ kind: 'authentication', status: 401 });
    };
    server.reply = refuse;
    server.refuseModels = refuse;
    for (let nth = 0; nth < 2; nth++) await assert.rejects(tasks.poll(key));
    assert.equal(((await paused) as Pause).gatewayName, 'work');
    server.reply = undefined;
    server.endTask(taskId);
    tasks.resumeGateways();
    await tasks.poll(key);
    assert.equal(getTask(key).status, 'completed');
  });

  it('claims each notice once', async () => {
    const { key } = await createAcceptedTask();
    assert.deepEqual(
      [await tasks.claimNotice(key, 'completed'), await tasks.claimNotice(key, 'completed')],
      [true, false],
    );
  });

  it('F95 reports that a damaged ledger was set aside, and continues with a new one', async () => {
    await createAcceptedTask();
    await tasks.dispose();
    const bytes = Buffer.alloc(8192, 7);
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    writeFileSync(file, bytes);
    tasks = createService(file);
    await tasks.open();
    assert.deepEqual(
      notices.map(({ type }) => type),
      ['set-aside'],
    );
    assert.equal(tasks.isOpen, true);
  });
});
