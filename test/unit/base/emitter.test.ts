import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/emitter.ts';
import { waitForUncaught } from '../../support/uncaughtErrors.ts';

describe('an emitter', () => {
  it('calls its listeners in order, until their subscriptions are disposed', () => {
    const emitter = new Emitter<number>();
    const received: string[] = [];
    const first = emitter.event((value) => received.push(`first ${value}`));
    emitter.event((value) => received.push(`second ${value}`));
    emitter.fire(1);
    first.dispose();
    first.dispose();
    emitter.fire(2);
    assert.deepEqual(received, ['first 1', 'second 1', 'second 2']);
  });

  it('treats two subscriptions of the same function as separate', () => {
    const emitter = new Emitter<number>();
    const received: number[] = [];
    const listener = (value: number) => received.push(value);
    const first = emitter.event(listener);
    emitter.event(listener);
    first.dispose();
    emitter.fire(1);
    assert.deepEqual(received, [1]);
  });

  it('does not call a listener whose subscription ended during the call', () => {
    const emitter = new Emitter();
    let called = 0;
    emitter.event(() => second.dispose());
    const second = emitter.event(() => called++);
    emitter.fire();
    assert.equal(called, 0);
  });

  it('does not call a listener that was added during the call', () => {
    const emitter = new Emitter();
    let called = 0;
    emitter.event(() => emitter.event(() => called++));
    emitter.fire();
    assert.equal(called, 0);
  });

  it('reports the error of a listener as uncaught, and still calls the other listeners', async () => {
    const emitter = new Emitter();
    const failure = new Error('a listener failed');
    const reported = waitForUncaught();
    let called = 0;
    emitter.event(() => {
      throw failure;
    });
    emitter.event(() => called++);
    emitter.fire();
    assert.equal(called, 1);
    assert.equal(await reported, failure);
  });
});
