import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { StorageError } from '../../../../src/storage/sqlite/storageError.ts';
import { RequestWorker, WorkerEndedError } from '../../../../src/storage/worker/requestWorker.ts';
import type { TestRequests } from '../../../support/testWorker.ts';

describe('a request worker', () => {
  const program = fileURLToPath(new URL('../../../support/testWorker.ts', import.meta.url));
  let worker: RequestWorker<TestRequests>;

  beforeEach(() => {
    worker = new RequestWorker({ program, data: { file: 'chats' } });
  });

  afterEach(() => worker.close());

  it('handles requests in one thread of its own, with the data it was started with', async () => {
    const [one, other] = await Promise.all([worker.request('echo', 'one'), worker.request('echo', 'other')]);
    assert.deepEqual([one.text, other.text], ['one', 'other']);
    assert.notEqual(one.thread, threadId);
    assert.equal(other.thread, one.thread);
    assert.deepEqual(one.data, { file: 'chats' });
  });

  it('reports progress in order', async () => {
    const received: number[] = [];
    assert.equal(await worker.request('count', 5, { onProgress: (n) => received.push(n) }), 5);
    assert.deepEqual(received, [1, 2, 3, 4, 5]);
  });

  it('handles other requests while one is still running', async () => {
    const cancelling = new AbortController();
    const begun = Promise.withResolvers<string>();
    const { signal } = cancelling;
    const forever = worker.request('forever', undefined, { signal, onProgress: begun.resolve });
    assert.equal(await begun.promise, 'begun');
    assert.equal((await worker.request('echo', 'meanwhile')).text, 'meanwhile');
    cancelling.abort();
    await assert.rejects(forever, { name: 'AbortError' });
  });

  it('stops a cancelled request, and no other', async () => {
    const cancelling = new AbortController();
    const { signal } = cancelling;
    const forever = worker.request('forever', undefined, { signal, onProgress: () => cancelling.abort() });
    const count = worker.request('count', 50);
    await assert.rejects(forever, { name: 'AbortError' });
    assert.equal(await worker.request('cancelled', undefined), 1);
    assert.equal(await count, 50);
  });

  it('rejects a request that is already cancelled', async () => {
    await assert.rejects(worker.request('echo', 'late', { signal: AbortSignal.abort() }), {
      name: 'AbortError',
    });
  });

  it('rejects with the kind and message of a storage error', async () => {
    await assert.rejects(worker.request('full', undefined), (error) => {
      assert.ok(error instanceof StorageError);
      assert.deepEqual([error.kind, error.message], ['full', 'The disk is full.']);
      return true;
    });
  });

  it('rejects open requests when it crashes, and starts again for the next one', async () => {
    const before = await worker.request('echo', 'before');
    await assert.rejects(worker.request('crash', undefined), WorkerEndedError);
    const after = await worker.request('echo', 'after');
    assert.notEqual(after.thread, before.thread);
  });

  it('rejects every request when its program is missing', async () => {
    const missing = new RequestWorker<TestRequests>({ program: `${program}.missing` });
    await assert.rejects(missing.request('echo', 'one'), WorkerEndedError);
    await assert.rejects(missing.request('echo', 'other'), WorkerEndedError);
  });

  it('rejects open and later requests when it is closed', async () => {
    const begun = Promise.withResolvers<string>();
    const forever = worker.request('forever', undefined, { onProgress: begun.resolve });
    await begun.promise;
    await Promise.all([assert.rejects(forever, WorkerEndedError), worker.close()]);
    await assert.rejects(worker.request('echo', 'late'), WorkerEndedError);
  });
});
