import assert from 'node:assert/strict';
import { createResultPath } from '../../../../src/localGateway/tasks/servedTask.ts';
import { createTaskRecord } from '../../../../src/localGateway/tasks/taskRecord.ts';
import { createPlannedTask } from '../../../../src/localGateway/tasks/taskState.ts';
import { TaskStore } from '../../../../src/localGateway/tasks/taskStore.ts';
import { openTaskDatabase } from '../../../../src/localGateway/tasks/taskTable.ts';
import { readReportedState } from '../../../../src/localGateway/tasks/upstreamTask.ts';
import type { VideoPlan } from '../../../../src/localGateway/upstreams/upstream.ts';
import { decodeTask } from '../../../../src/wire/apis/taskRecord/decodeTask.ts';
import { decodeTaskList } from '../../../../src/wire/apis/taskRecord/decodeTaskList.ts';
import { createPlan } from '../plans.ts';

describe('the record of a task', () => {
  const start = 1_767_225_600_000;
  const address = 'http://localhost:1234';
  const context = { httpStatus: 200, baseUrl: 'http://127.0.0.1:8080' };
  const taskWith = (plan: Partial<VideoPlan>) =>
    createPlannedTask(
      { upstream: 'demo', model: 'demo/video', requestId: 'the-request', plan: createPlan(plan) },
      start,
    );
  /** The task as our own client reads it, `ms` after it was made. */
  function read(plan: Partial<VideoPlan>, ms: number, cancelledAt: number | null = null) {
    const { raw, ...snapshot } = decodeTask(
      createTaskRecord({ ...taskWith(plan), cancelledAt }, start + ms, address),
      context,
    );
    return { ...snapshot, id: typeof snapshot.id };
  }
  const base = { id: 'string', createdAt: new Date(start) };
  const slow = { queueMs: 2_000, runMs: 8_000 };

  it('is read as running while the task is queued or running', () => {
    const running = { ...base, status: 'running', results: [] };
    assert.deepEqual(read(slow, 0), { ...running, rawStatus: 'queued', progress: 0 });
    assert.deepEqual(read(slow, 4_000), { ...running, rawStatus: 'running', progress: 25 });
    assert.deepEqual(read(slow, 2_080), { ...running, rawStatus: 'running', progress: 1 });
  });

  it('F79 is read as completed, with result addresses on the host that the caller used', () => {
    const task = taskWith({ ...slow, results: [...createPlan().results, ...createPlan().results] });
    const snapshot = decodeTask(createTaskRecord(task, start + 10_000, address), context);
    const expiresAt = new Date(start + 11_000);
    assert.equal(snapshot.status, 'completed');
    assert.equal(snapshot.progress, 100);
    assert.deepEqual(snapshot.finishedAt, new Date(start + 10_000));
    assert.deepEqual(snapshot.expiresAt, expiresAt);
    const url = `${address}/v1/tasks/${task.id}/content`;
    assert.deepEqual(snapshot.results, [
      { url, mimeType: 'video/mp4', expiresAt },
      { url: `${url}?index=1`, mimeType: 'video/mp4', expiresAt },
    ]);
    assert.equal(createResultPath('x', 0), '/v1/tasks/x/content');
  });

  it('is read as completed without results if nothing was created', () => {
    const finishedAt = new Date(start);
    const nothing = {
      ...base,
      status: 'completed',
      rawStatus: 'completed',
      progress: 100,
      results: [],
      finishedAt,
    };
    assert.deepEqual(read({ results: [] }, 0), nothing);
  });

  it('is read as failed, with the reason', () => {
    const failure = { code: 'content_filter', message: 'A filter stopped it.', progress: 50 };
    assert.deepEqual(read({ ...slow, failure }, 10_000), {
      ...base,
      status: 'failed',
      rawStatus: 'failed',
      progress: 50,
      results: [],
      error: { code: 'content_filter', message: 'A filter stopped it.' },
      finishedAt: new Date(start + 6_000),
    });
  });

  it('is read as cancelled', () => {
    assert.deepEqual(read(slow, 10_000, start + 6_000), {
      ...base,
      status: 'failed',
      failedAs: 'cancelled',
      rawStatus: 'cancelled',
      progress: 50,
      results: [],
      finishedAt: new Date(start + 6_000),
    });
  });

  it('contains the id of the request that created the task', () => {
    assert.equal(createTaskRecord(taskWith({}), start, address).request_id, 'the-request');
  });

  it('contains a result’s own address only if the gateway cannot fetch it and it needs no key', () => {
    const origin = 'https://upstream.example';
    const urls = [`${origin}/v1beta/files/a`, 'https://cdn.example/b.mp4', 'http://cdn.example/c.mp4'];
    const content = urls.map((uri) => ({ type: 'video', uri }));
    const record = { id: 'v1_a', status: 'completed', steps: [{ type: 'model_output', content }] };
    const database = openTaskDatabase(':memory:');
    const store = new TaskStore(database, { now: () => start, monotonic: () => 0 });
    const { id } = store.createUpstreamTask({
      upstream: 'one',
      model: 'm',
      requestId: 'r',
      fingerprint: 'f',
      prompt: 'A cat',
      format: 'interactions',
    }).task;
    const before = {
      format: 'interactions',
      createdAt: start,
      report: { progress: 0, results: [] },
    } as const;
    const state = readReportedState(record, before, start, [origin]);
    assert.ok(state);
    store.changeState(id, { ...state, upstreamId: 'v1_a' });
    const shown = () => {
      const task = store.get(id);
      assert.ok(task);
      const { results, record: own = {} } = createTaskRecord(task, start, address);
      const [step] = (own as { steps?: readonly (typeof record.steps)[number][] }).steps ?? [];
      assert.deepEqual(
        step?.content.map(({ uri }) => uri),
        results.map(({ url }) => url),
      );
      return results.map(({ url }) => url);
    };
    const own = `${address}/v1/tasks/${id}/content`;
    assert.deepEqual(shown(), [own, `${own}?index=1`, 'http://cdn.example/c.mp4']);
    // The gateway could not fetch the result, for example because it is too large.
    store.markDirect(id, 1);
    assert.deepEqual(shown(), [own, 'https://cdn.example/b.mp4', 'http://cdn.example/c.mp4']);
    store.storeResults(id, { 1: { file: 'f', bytes: 1, mimeType: 'video/mp4', digest: 'd' } });
    assert.deepEqual(shown()[1], `${own}?index=1`);
    store.close();
  });

  it('is read page by page in lists', () => {
    const data = [
      createTaskRecord(taskWith({}), start, address),
      createTaskRecord(taskWith({}), start, address),
    ];
    const page = decodeTaskList({ object: 'list', data, has_more: true, next_cursor: '7' }, context);
    assert.deepEqual(
      page?.tasks.map(({ id }) => id),
      data.map(({ id }) => id),
    );
    assert.deepEqual(page?.next, { cursor: '7' });
    const last = decodeTaskList({ object: 'list', data, has_more: false, next_cursor: null }, context);
    assert.equal(last?.next, undefined);
  });
});
