import assert from 'node:assert/strict';
import { type Cancellation, CancellationSource, toAbortSignal } from '../../../src/base/cancellation.ts';

describe('a cancellation', () => {
  const reason = new Error('enough');

  it('calls each listener once, and does not call removed listeners', () => {
    const received: string[] = [];
    const listen = (name: string) => () => void received.push(name);
    const removed = listen('gone');
    const source = new CancellationSource();
    source.addEventListener('abort', listen('first'));
    source.addEventListener('abort', removed);
    source.addEventListener('abort', listen('last'));
    source.removeEventListener('abort', removed);
    assert.equal(source.aborted, false);
    source.abort(reason);
    source.abort(new Error('later'));
    assert.deepEqual(received, ['first', 'last']);
    assert.equal(source.reason, reason);
  });

  it('converts to an AbortSignal, both before and after it is aborted', () => {
    const source = new CancellationSource();
    const earlier = toAbortSignal(source);
    assert.equal(earlier.aborted, false);
    source.abort(reason);
    for (const signal of [earlier, toAbortSignal(source)]) assert.equal(signal.reason, reason);
    const own: Cancellation = AbortSignal.abort(reason);
    assert.equal(toAbortSignal(own), own);
  });
});
