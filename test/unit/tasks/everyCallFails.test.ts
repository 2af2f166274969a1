import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGatewayClient, type GatewayClient } from '../../../src/client/gatewayClient.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import type { Task } from '../../../src/tasks/record/task.ts';
import type { LedgerNotice } from '../../../src/tasks/taskOptions.ts';
import { type TaskRequest, TaskService } from '../../../src/tasks/taskService.ts';
import { testEveryCall } from '../../support/everyCall.ts';
import type { FailingCalls } from '../../support/failingCalls.ts';
import { addRunningTask, openLedgerDatabase } from '../../support/ledgers.ts';
import { createLocalWorker } from '../../support/localWorker.ts';
import { VideoServer } from '../../support/videoServer.ts';

const request: TaskRequest = {
  gatewayName: 'work',
  route: 'interactions',
  model: 'video-1',
  prompt: 'a lake',
  gateway: '',
  request: { model: 'video-1', input: 'a lake', background: true },
};

/** A window that makes videos at the server. */
class VideoWindow {
  readonly notices: LedgerNotice[] = [];
  readonly tasks: TaskService;
  readonly #clients: GatewayClient[] = [];

  constructor(folder: string, { baseUrl }: VideoServer, hasWorker: boolean) {
    const credential = async () => 'test-credential';
    const file = join(folder, 'tasks.sqlite');
    this.tasks = new TaskService({
      file,
      ...(hasWorker && { worker: createLocalWorker(() => openLedgerDatabase(file)) }),
      resultsFolder: () => join(folder, 'results'),
      pollOptions: () => ({
        intervalMs: 5_000,
        maxIntervalMs: 30_000,
        timeoutMs: 3_600_000,
        pollsInFlight: 4,
      }),
      gateways: {
        getClient: async () => {
          this.#clients[0] ??= createGatewayClient({ baseUrl, credential });
          return this.#clients[0];
        },
        resolveAddress: async (_, address) => address,
        findConfigured: (_, name) => ({ name }),
        discardClients: () => undefined,
      },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      onNotice: (notice) => this.notices.push(notice),
    });
  }

  /** A task, read without a call of the flow. */
  task(key: string, calls?: FailingCalls): Task | undefined {
    return calls ? calls.runUncounted(() => this.tasks.get(key)) : this.tasks.get(key);
  }

  async close(): Promise<void> {
    await this.tasks.dispose();
    for (const client of this.#clients) void client.close();
  }
}

for (const hasWorker of [true, false]) {
  describe(`a video from the click to its file while each call fails, ${hasWorker ? 'with' : 'without'} a worker`, () => {
    const server = new VideoServer();
    before(() => server.start());
    after(() => server.stop());

    function prepare(folder: string): void {
      const database = openLedgerDatabase(join(folder, 'tasks.sqlite'));
      const ledger = new Ledger(database, { window: 'earlier' });
      addRunningTask(ledger, 'earlier', 'task-earlier');
      ledger.setWatching('earlier', 'stopped');
      ledger.close();
      server.createdIds.length = 0;
    }

    async function makeVideo(folder: string, calls: FailingCalls): Promise<void> {
      const window = new VideoWindow(folder, server, hasWorker);
      const { tasks, notices } = window;
      try {
        await tasks.start();
        const [task] = await tasks.create({ ...request, gateway: server.baseUrl }, 'click', 1);
        const now = () => window.task(task?.key ?? '', calls);
        const failed = () => notices.some(({ type }) => type === 'not-sent');
        const sent = () => now()?.taskId !== undefined || /refused|unknown/.test(now()?.status ?? '');
        await calls.waitUntil(() => failed() || sent());
        if (now()?.status === 'submitting' && !calls.hasCrashed) assertShown(notices);
        if (now()?.taskId === undefined) return;
        await tasks.poll('click-1');
        await calls.waitUntil(() => /saved|failed|link/.test(now()?.results[0]?.state ?? ''));
      } finally {
        await window.close();
      }
      if (notices.some(({ type }) => type === 'not-sent'))
        assert.deepEqual(server.createdIds, [], 'a request that was sent is reported as not sent');
    }

    /** An id that cannot be stored is shown to the user. */
    function assertShown(notices: readonly LedgerNotice[]): void {
      const shown = notices.flatMap((notice) => (notice.type === 'id-unsaved' ? [notice.taskId] : []));
      assert.deepEqual(shown, server.createdIds);
    }

    /** The next start of the program, when every call succeeds. */
    async function check(folder: string): Promise<void> {
      const database = openLedgerDatabase(join(folder, 'tasks.sqlite'));
      assert.deepEqual([database.readOnly, database.setAside], [undefined, undefined]);
      database.check();
      const ledger = new Ledger(database, { window: 'next' });
      // The window has been closed for so long that it does not count as alive.
      database.run('DELETE FROM windows');
      ledger.recover(() => false);
      const earlier = ledger.get('earlier');
      assert.deepEqual([earlier?.taskId, earlier?.status], ['task-earlier', 'running']);
      const task = ledger.get('click-1');
      ledger.close();
      assertNotLost(task);
      if (task?.taskId !== undefined) await assertSaved(folder);
    }

    function assertNotLost(task: Task | undefined): void {
      const { createdIds } = server;
      assert.ok(createdIds.length <= 1, `${createdIds.length} requests were sent`);
      const [id] = createdIds;
      if (id === undefined) assert.equal(task?.taskId, undefined);
      else if (task?.status !== 'unknown') assert.equal(task?.taskId, id, `the task is ${task?.status}`);
    }

    async function assertSaved(folder: string): Promise<void> {
      const window = new VideoWindow(folder, server, hasWorker);
      try {
        await window.tasks.open();
        await window.tasks.poll('click-1');
        await window.tasks.downloadResults('click-1');
        const result = () => window.task('click-1')?.results[0];
        while (/waiting|downloading/.test(result()?.state ?? '')) await new Promise(setImmediate);
        assert.equal(result()?.state, 'saved', result()?.problem?.message);
        assert.deepEqual(readFileSync(result()?.path ?? ''), server.clip);
        const names = readdirSync(join(folder, 'results'));
        const expected = names
          .filter((name) => name.endsWith('.mp4'))
          .flatMap((name) => [name, `${name}.json`]);
        assert.deepEqual([names.toSorted(), expected.length], [expected.toSorted(), 2]);
        assert.equal(server.createdIds.length, 1, 'the request is not sent again');
      } finally {
        await window.close();
      }
    }

    testEveryCall(
      { prepare, flow: makeVideo, check },
      { atLeast: 900, always: /^(exec COMMIT|get SELECT n FROM revision)/ },
    );
  });
}
