import assert from 'node:assert/strict';
import { TaskReadings } from '../../../../src/localGateway/tasks/taskReadings.ts';
import { isUpstreamTask } from '../../../../src/localGateway/tasks/taskState.ts';
import { TaskStore } from '../../../../src/localGateway/tasks/taskStore.ts';
import { openTaskDatabase } from '../../../../src/localGateway/tasks/taskTable.ts';
import type { UpstreamTask } from '../../../../src/localGateway/tasks/upstreamTask.ts';
import type { Upstream, UpstreamReply } from '../../../../src/localGateway/upstreams/upstream.ts';
import type { EndedTask } from '../../../../src/storage/spending/spendingStore.ts';

const missing = { error: { message: 'No such video.' } };
const running = { id: 'video_1', object: 'video', status: 'in_progress', progress: 40 };

describe('polling of a task', () => {
  let now: number;
  let readCount: number;
  /** The reply of the upstream from now on. */
  let reply: readonly [status: number, body: object];
  let wallClock: number;
  let store: TaskStore;
  let readings: TaskReadings;
  let task: UpstreamTask;
  let ends: EndedTask[];
  let cancelsQueuedOnly: boolean;

  beforeEach(() => {
    now = 0;
    wallClock = Date.now();
    readCount = 0;
    ends = [];
    cancelsQueuedOnly = false;
    store = new TaskStore(openTaskDatabase(':memory:'), { now: () => wallClock, monotonic: () => now });
    const created = store.createUpstreamTask({
      upstream: 'one',
      model: 'one/video',
      requestId: 'r',
      fingerprint: 'f',
      format: 'videos',
      prompt: 'A cat',
    });
    assert.ok(isUpstreamTask(created.task));
    task = { ...created.task, upstreamId: 'video_1', status: 'queued' };
    store.changeState(task.id, task);
    const read = async (): Promise<UpstreamReply> => {
      readCount += 1;
      const [status, body] = reply;
      const headers = { 'content-type': 'application/json' };
      return { status, headers, body: streamText(JSON.stringify(body)) };
    };
    const findUpstream = () =>
      ({ name: 'one', tasks: { videos: { read, cancelsQueuedOnly } } }) as unknown as Upstream;
    readings = new TaskReadings({
      catalogue: { findUpstream },
      file: { open: () => store },
      results: { fetchMissing: async () => {}, storeBytes: async () => undefined },
      shutdown: new AbortController().signal,
      onEnd: (_, ended) => ends.push(ended),
      now: () => now,
    });
  });
  afterEach(() => store.close());

  /** The state after a wait, in milliseconds. */
  async function after(ms: number): Promise<string> {
    now += ms;
    const stored = store.get(task.id);
    assert.ok(stored);
    const { task: fresh } = await readings.refresh(stored);
    assert.ok(isUpstreamTask(fresh));
    return fresh.status;
  }

  it('F75 reports the task as missing only after three missing replies over more than a minute', async () => {
    reply = [404, missing];
    assert.equal(await after(3_600_000), 'queued');
    for (let i = 0; i < 50; i++) assert.equal(await after(1_000), 'queued');
    assert.equal(await after(10_000), 'failed');
    wallClock += 300_000;
    assert.equal(store.takeDue().length, 1, 'the task is still polled');
  });

  it('F75 ignores a long silence, and missing replies before a good reply', async () => {
    reply = [410, missing];
    assert.equal(await after(1_000), 'queued');
    assert.equal(await after(600_000), 'queued', 'two replies are not enough');
    reply = [200, running];
    assert.equal(await after(1_000), 'running');
    reply = [404, missing];
    for (let i = 0; i < 3; i++) assert.equal(await after(20_000), 'running');
  });

  it('continues once a minute for a missing task, and a good reply restores the task', async () => {
    reply = [404, missing];
    for (let i = 0; i < 3; i++) await after(30_000);
    assert.equal(await after(1_000), 'failed');
    const before = readCount;
    assert.equal(await after(58_000), 'failed');
    assert.equal(readCount, before);
    assert.equal(await after(2_000), 'failed');
    assert.equal(readCount, before + 1);
    reply = [200, running];
    assert.equal(await after(60_000), 'running');
    const back = store.get(task.id);
    assert.ok(back && isUpstreamTask(back));
    assert.equal(back.report.failure, undefined);
    assert.equal(back.finishedAt, undefined);
  });

  const cancelled = { id: 'video_1', object: 'video', status: 'cancelled' };
  for (const [name, queuedOnly, earlier, last, costUsd] of [
    ['settles a cancelled task as free if only queued ones can be cancelled', true, undefined, cancelled, 0],
    ['keeps the price of a cancelled task that had begun', true, running, cancelled, undefined],
    ['keeps the price of a cancelled task that may have begun', false, undefined, cancelled, undefined],
    ['keeps the price of a failed task', true, undefined, { ...cancelled, status: 'failed' }, undefined],
    [
      ...(['settles a cancelled task with its reported cost', true, undefined] as const),
      ...([{ ...cancelled, usage: { cost: 2 } }, 2] as const),
    ],
  ] as const) {
    it(name, async () => {
      cancelsQueuedOnly = queuedOnly;
      if (earlier) {
        reply = [200, earlier];
        await after(1_000);
      }
      reply = [200, last];
      await after(2_000);
      assert.deepEqual(ends, [{ isFailed: true, ...(costUsd !== undefined && { costUsd }) }]);
    });
  }
});

async function* streamText(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
