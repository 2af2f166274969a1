import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/emitter.ts';
import { nextUncaught } from '../../support/nextUncaught.ts';

describe('an emitter', () => {
  it('calls its listeners in order, until their subscriptions are disposed', () => {
    const emitter = new Emitter<number>();
    const told: string[] = [];
    const first = emitter.event((value) => told.push(`first ${value}`));
    emitter.event((value) => told.push(`second ${value}`));
    emitter.fire(1);
    first.dispose();
    first.dispose();
    emitter.fire(2);
    assert.deepEqual(told, ['first 1', 'second 1', 'second 2']);
  });

  it('keeps two subscriptions of one function apart', () => {
    const emitter = new Emitter<number>();
    const told: number[] = [];
    const listener = (value: number) => told.push(value);
    const first = emitter.event(listener);
    emitter.event(listener);
    first.dispose();
    emitter.fire(1);
    assert.deepEqual(told, [1]);
  });

  it('calls no listener whose subscription ended during the call', () => {
    const emitter = new Emitter();
    let called = 0;
    emitter.event(() => second.dispose());
    const second = emitter.event(() => called++);
    emitter.fire();
    assert.equal(called, 0);
  });

  it('calls no listener that came during the call', () => {
    const emitter = new Emitter();
    let called = 0;
    emitter.event(() => emitter.event(() => called++));
    emitter.fire();
    assert.equal(called, 0);
  });

  it('hides the error of a listener neither from the process nor behind the other listeners', async () => {
    const emitter = new Emitter();
    const failure = new Error('a listener failed');
    const reported = nextUncaught();
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
