import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { untilAborted } from '../../../src/base/cancellation.ts';

describe('waiting until a signal is aborted', () => {
  const reason = new Error('enough');

  it('settles like the promise, and removes its listener', async () => {
    const { signal } = new AbortController();
    assert.equal(await untilAborted(Promise.resolve('done'), signal), 'done');
    await assert.rejects(untilAborted(Promise.reject(reason), signal), reason);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    assert.equal(await untilAborted(Promise.resolve('done'), undefined), 'done');
  });

  it('rejects with the reason of the signal, whether it is aborted before or during the wait', async () => {
    const never = new Promise<void>(() => {});
    await assert.rejects(untilAborted(never, AbortSignal.abort(reason)), reason);
    const aborting = new AbortController();
    const waiting = untilAborted(never, aborting.signal);
    aborting.abort(reason);
    await assert.rejects(waiting, reason);
  });
});
