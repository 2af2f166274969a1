import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { StorageError } from '../../../../src/storage/sqlite/storageError.ts';
import { RequestWorker, WorkerEndedError } from '../../../../src/storage/worker/requestWorker.ts';
import type { RequestsOfTest } from '../../../support/workerOfTest.ts';

describe('a worker', () => {
  const program = fileURLToPath(new URL('../../../support/workerOfTest.ts', import.meta.url));
  let worker: RequestWorker<RequestsOfTest>;

  beforeEach(() => {
    worker = new RequestWorker({ program, data: { file: 'chats' } });
  });

  afterEach(() => worker.close());

  it('answers in one thread of its own, with what it was started with', async () => {
    const [one, other] = await Promise.all([worker.ask('echo', 'one'), worker.ask('echo', 'other')]);
    assert.deepEqual([one.text, other.text], ['one', 'other']);
    assert.notEqual(one.thread, threadId);
    assert.equal(other.thread, one.thread);
    assert.deepEqual(one.data, { file: 'chats' });
  });

  it('tells how far it is, in order', async () => {
    const told: number[] = [];
    assert.equal(await worker.ask('count', 5, { onProgress: (n) => told.push(n) }), 5);
    assert.deepEqual(told, [1, 2, 3, 4, 5]);
  });

  it('answers others while a request takes its time', async () => {
    const cancelling = new AbortController();
    const begun = Promise.withResolvers<string>();
    const { signal } = cancelling;
    const forever = worker.ask('forever', undefined, { signal, onProgress: begun.resolve });
    assert.equal(await begun.promise, 'begun');
    assert.equal((await worker.ask('echo', 'meanwhile')).text, 'meanwhile');
    cancelling.abort();
    await assert.rejects(forever, { name: 'AbortError' });
  });

  it('stops what is cancelled, and only that', async () => {
    const cancelling = new AbortController();
    const { signal } = cancelling;
    const forever = worker.ask('forever', undefined, { signal, onProgress: () => cancelling.abort() });
    const count = worker.ask('count', 50);
    await assert.rejects(forever, { name: 'AbortError' });
    assert.equal(await worker.ask('cancelled', undefined), 1);
    assert.equal(await count, 50);
  });

  it('is not asked what is cancelled already', async () => {
    await assert.rejects(worker.ask('echo', 'late', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  });

  it('fails with the kind of what failed', async () => {
    await assert.rejects(worker.ask('full', undefined), (error) => {
      assert.ok(error instanceof StorageError);
      assert.deepEqual([error.kind, error.message], ['full', 'The disk is full.']);
      return true;
    });
  });

  it('fails what is open when it crashes, and starts anew', async () => {
    const before = await worker.ask('echo', 'before');
    await assert.rejects(worker.ask('crash', undefined), WorkerEndedError);
    const after = await worker.ask('echo', 'after');
    assert.notEqual(after.thread, before.thread);
  });

  it('fails when its program is not there, each time', async () => {
    const missing = new RequestWorker<RequestsOfTest>({ program: `${program}.missing` });
    await assert.rejects(missing.ask('echo', 'one'), WorkerEndedError);
    await assert.rejects(missing.ask('echo', 'other'), WorkerEndedError);
  });

  it('fails what is open when its window closes, and what is asked then', async () => {
    const begun = Promise.withResolvers<string>();
    const forever = worker.ask('forever', undefined, { onProgress: begun.resolve });
    await begun.promise;
    await Promise.all([assert.rejects(forever, WorkerEndedError), worker.close()]);
    await assert.rejects(worker.ask('echo', 'late'), WorkerEndedError);
  });
});
