import assert from 'node:assert/strict';
import { join } from 'node:path';
import { findTaskIds, searchTask } from '../../../src/tasks/polling/searchTask.ts';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import type { TaskPage } from '../../../src/wire/apis/taskRecord/decodeTaskList.ts';
import { TestClock } from '../../support/testClock.ts';
import { createGatewayError, TestGateway } from '../../support/testGateway.ts';
import { createTasksFolder, gateway, TestWindow } from '../../support/testWindow.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('the search for a task of unknown outcome', () => {
  const folder = createTasksFolder();
  let clock: TestClock;
  let server: TestGateway;
  let window: TestWindow;
  let files = 0;

  beforeEach(() => {
    clock = new TestClock();
    server = new TestGateway(() => clock.now());
    files += 1;
    const file = join(folder.path, `${files}.sqlite`);
    window = new TestWindow({ file, name: 'one', clock, getClient: async () => server });
  });

  afterEach(() => window.close());

  after(() => folder.remove());

  function search(key = 'a') {
    return searchTask(window.readTask(key), { ledger: window.ledger, client: server });
  }

  async function findId(key = 'a'): Promise<string | undefined> {
    return (await search(key)).found?.id;
  }

  describe('by the id in an unclear reply', () => {
    it('F68 finds the task that the gateway has under this id', async () => {
      server.createTask('a', { id: 'task-7', createdAt: clock.now() - 48 * hour });
      window.addUnknown('a', '{"output":{"task_status":"PENDING","task_id":"task-7"},"reque');
      assert.equal(await findId(), 'task-7');
      assert.deepEqual(server.readIds, ['task-7']);
    });

    it('F75 searches the list if the gateway does not have this id', async () => {
      window.addUnknown('a', '{"id":"task-7","sta');
      server.createTask('a', { id: 'task-8' });
      assert.equal(await findId(), 'task-8');
    });

    it('ignores a record with the status UNKNOWN', async () => {
      window.addUnknown('a', '{"id":"task-7","sta');
      server.reply = () => decodeTask({ output: { task_id: 'task-7', task_status: 'UNKNOWN' } });
      assert.equal(await findId(), undefined);
    });

    it('ignores truncated ids and request ids', () => {
      assert.deepEqual(findTaskIds('{"request_id":"r","output":{"task_id":"task-'), []);
      assert.deepEqual(findTaskIds('{"id": "a b", "taskId" : "t1", "task_id":"t2","id":"t1"'), ['t1', 't2']);
    });

    it('fails if the gateway is unreachable', async () => {
      window.addUnknown('a', '{"id":"task-7"}');
      server.reply = () => {
        throw createGatewayError({ kind: 'unreachable', reason: 'dns', wasSent: false });
      };
      await assert.rejects(search(), { kind: 'unreachable' });
    });
  });

  describe('in the list of tasks', () => {
    it('F66 finds the only task of the same model and time', async () => {
      server.createTask('old', { createdAt: clock.now() - 2 * hour });
      server.createTask('else', { model: 'video-2' });
      window.addUnknown('a');
      await clock.advance(minute);
      const { id } = server.createTask('a');
      await clock.advance(hour);
      server.createTask('late');
      assert.equal(await findId(), id);
    });

    it('F82 tolerates clocks that differ by minutes', async () => {
      window.addUnknown('a');
      const { id } = server.createTask('a', { createdAt: clock.now() - 4 * minute });
      assert.equal(await findId(), id);
    });

    it('recognises a model id with a provider prefix', async () => {
      window.addUnknown('a');
      const { id } = server.createTask('a', { model: 'vendor/VIDEO-1' });
      assert.equal(await findId(), id);
    });

    it('leaves the choice between several tasks to the user, newest first', async () => {
      window.addUnknown('a');
      server.createTask('a');
      server.createTask('b');
      const { found, candidates } = await search();
      assert.equal(found, undefined);
      assert.deepEqual(
        candidates.map(({ id }) => id),
        ['task-2', 'task-1'],
      );
    });

    it('chooses the task whose record contains the request id', async () => {
      window.addUnknown('a');
      server.createTask('a');
      server.createTask('b', { prompt: 'made for request-a' });
      assert.equal(await findId(), undefined);
      server.createTask('c', { prompt: 'request-a' });
      assert.equal(await findId(), 'task-3');
    });

    it('ignores tasks that are in the ledger', async () => {
      window.addRunning('known', 'task-1');
      server.createTask('known', { id: 'task-1' });
      window.addUnknown('a');
      assert.deepEqual((await search()).candidates, []);
    });

    it('leaves the choice to the user when two requests are lost at the same time', async () => {
      window.addUnknown('a');
      window.addUnknown('b');
      server.createTask('b');
      const { found, candidates } = await search();
      assert.equal(found, undefined);
      assert.equal(candidates.length, 1);
    });

    it('leaves the choice to the user when the prompt differs', async () => {
      window.addUnknown('a');
      server.createTask('a', { prompt: 'a lake in the mountains, cinematic' });
      const { found, candidates } = await search();
      assert.equal(found, undefined);
      assert.equal(candidates.length, 1);
    });

    it('leaves the choice to the user when the time has no time zone', async () => {
      window.addUnknown('a');
      const local = new Date(clock.now() - 5 * hour).toISOString().slice(0, 19).replace('T', ' ');
      const other = new Date(clock.now() - 5 * hour - 8 * minute)
        .toISOString()
        .slice(0, 19)
        .replace('T', ' ');
      const page = [local, other].map((time, place) =>
        decodeTask({ id: `t${place}`, status: 'queued', created_at: time }),
      );
      const client = { readTask: server.readTask, listTaskPage: async () => ({ tasks: page }) };
      const { found, candidates } = await searchTask(window.readTask('a'), {
        ledger: window.ledger,
        client,
      });
      assert.equal(found, undefined);
      assert.deepEqual(
        candidates.map(({ id }) => id),
        ['t0'],
      );
    });

    it('leaves the choice to the user when the record has no time', async () => {
      window.addUnknown('a');
      const page = { tasks: [decodeTask({ id: 't', status: 'queued' })] };
      const client = { readTask: server.readTask, listTaskPage: async () => page };
      const { found, candidates } = await searchTask(window.readTask('a'), {
        ledger: window.ledger,
        client,
      });
      assert.equal(found, undefined);
      assert.equal(candidates.length, 1);
    });

    it('reads all pages of tasks since the request, up to a limit', async () => {
      window.addUnknown('a');
      const { id } = server.createTask('a');
      for (let other = 0; other < 1_020; other += 1) server.createTask(`m${other}`, { model: 'video-2' });
      assert.equal(await findId(), id);
      assert.equal(server.readIds.length, 21);
      for (let other = 0; other < 5_000; other += 1) server.createTask(`n${other}`, { model: 'video-2' });
      assert.equal(await findId(), undefined);
      assert.equal(server.readIds.length, 21 + 100);
    });

    it('reads only four pages of a list without times', async () => {
      window.addUnknown('a');
      const pages: TaskPage[] = Array.from({ length: 9 }, (_, page) => ({
        tasks: Array.from({ length: 50 }, (_, n) => decodeTask({ id: `${page}-${n}`, status: 'queued' })),
        next: { page: String(page + 1) },
      }));
      let requestCount = 0;
      const listTaskPage = async () => pages[requestCount++] ?? { tasks: [] };
      await searchTask(window.readTask('a'), {
        ledger: window.ledger,
        client: { readTask: server.readTask.bind(server), listTaskPage },
      });
      assert.equal(requestCount, 4);
    });

    it('stops at tasks that are older than the request', async () => {
      for (let other = 0; other < 120; other += 1)
        server.createTask(`m${other}`, { createdAt: clock.now() - 72 * hour });
      window.addUnknown('a');
      assert.equal(await findId(), undefined);
      assert.equal(server.readIds.length, 1);
    });
  });

  it('never creates a task, and does not change the ledger', async () => {
    window.addUnknown('a');
    await search();
    assert.equal(server.bills.size, 0);
    assert.equal(window.readTask('a').status, 'unknown');
    assert.equal(window.ledger.find(gateway, 'task-1'), undefined);
  });
});
