import assert from 'node:assert/strict';
import { HttpError } from '../../../../src/localGateway/http/httpError.ts';
import { CreatedTaskWriter } from '../../../../src/localGateway/tasks/taskCreator.ts';
import { taskHeader } from '../../../../src/localGateway/tasks/taskFailures.ts';
import type { TaskReadings } from '../../../../src/localGateway/tasks/taskReadings.ts';
import { isUpstreamTask } from '../../../../src/localGateway/tasks/taskState.ts';
import { TaskStore } from '../../../../src/localGateway/tasks/taskStore.ts';
import { openTaskDatabase } from '../../../../src/localGateway/tasks/taskTable.ts';
import type { Upstream } from '../../../../src/localGateway/upstreams/upstream.ts';
import { StorageError } from '../../../../src/storage/database.ts';

const record = { id: 'video_1', object: 'video', status: 'queued' };
const target = { upstream: { name: 'one' } as Upstream, format: 'videos' } as const;

describe('a task that an upstream has created', () => {
  let store: TaskStore;
  let id: string;
  let life: AbortController;
  /** The test's version of `TaskReadings.storeRecord`, which stores the state from a record. */
  let storeRecord: TaskReadings['storeRecord'];
  let writer: CreatedTaskWriter;

  beforeEach(() => {
    store = new TaskStore(openTaskDatabase(':memory:'), { now: Date.now, monotonic: () => 0 });
    const draft = { upstream: 'one', model: 'm', requestId: 'r', fingerprint: 'f', prompt: 'A cat' };
    id = store.createUpstreamTask({ ...draft, format: 'videos' }).task.id;
    life = new AbortController();
    const file = { open: () => store };
    writer = new CreatedTaskWriter(
      file,
      { storeRecord: (...parameters) => storeRecord(...parameters) },
      life.signal,
    );
  });
  afterEach(() => store.close());

  const stored = () => {
    const task = store.get(id);
    assert.ok(task && isUpstreamTask(task));
    return [task.upstreamId, task.status];
  };

  it('P6 keeps its id and is read again if the rest of its record cannot be stored', async () => {
    const failing: readonly TaskReadings['storeRecord'][] = [
      async () => {
        throw new Error('ENOSPC');
      },
      async () => undefined,
    ];
    for (storeRecord of failing) {
      const task = await writer.storeTask(id, target, record);
      assert.deepEqual([task.id, task.upstreamId], [id, 'video_1']);
      assert.deepEqual(stored(), ['video_1', 'running']);
    }
  });

  it('F92 is reported with its id while the disk is full, and stored at the latest when the gateway stops', async () => {
    let isFull = true;
    storeRecord = async (task) => {
      if (isFull) throw new StorageError('full', 'database or disk is full');
      store.changeState(id, { ...task, status: 'queued' });
      return task;
    };
    await assert.rejects(writer.storeTask(id, target, record), (error) => {
      assert.ok(error instanceof HttpError);
      assert.match(
        error.message,
        /'one' created the task video_1, but .* cannot store its ID now: the disk is full\./,
      );
      assert.equal(error.headers['x-should-retry'], 'false');
      assert.deepEqual([error.status, error.headers[taskHeader], error.neverSent], [500, id, false]);
      return true;
    });
    assert.deepEqual(stored(), [undefined, 'unknown']);
    isFull = false;
    life.abort();
    await writer.waitUntilSettled();
    assert.deepEqual(stored(), ['video_1', 'queued']);
  });
});
