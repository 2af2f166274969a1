import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { untilAborted } from '../../../src/base/untilAborted.ts';

describe('waiting until a signal is aborted', () => {
  const reason = new Error('enough');

  it('ends as the promise does, and listens no longer', async () => {
    const { signal } = new AbortController();
    assert.equal(await untilAborted(Promise.resolve('done'), signal), 'done');
    await assert.rejects(untilAborted(Promise.reject(reason), signal), reason);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    assert.equal(await untilAborted(Promise.resolve('done'), undefined), 'done');
  });

  it('ends with the reason of the signal, whether that is aborted before or meanwhile', async () => {
    const never = new Promise<void>(() => {});
    await assert.rejects(untilAborted(never, AbortSignal.abort(reason)), reason);
    const aborting = new AbortController();
    const waiting = untilAborted(never, aborting.signal);
    aborting.abort(reason);
    await assert.rejects(waiting, reason);
  });
});
