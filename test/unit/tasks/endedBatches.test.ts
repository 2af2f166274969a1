import assert from 'node:assert/strict';
import { EndedBatches } from '../../../src/tasks/endedBatches.ts';

describe('tasks that ended', () => {
  let ended: EndedBatches;

  beforeEach(() => {
    ended = new EndedBatches();
  });

  function take(now: number, ...open: readonly string[]): readonly string[] {
    return ended.takeDue(now, 1000, new Set(open));
  }

  it('are reported once, a moment after the last of them ended', () => {
    ended.add('a-1', 0);
    ended.add('a-2', 600);
    assert.deepEqual(take(1200), []);
    assert.deepEqual(take(1600), ['a-1', 'a-2']);
    assert.deepEqual(take(9000), []);
    assert.equal(ended.isEmpty, true);
  });

  it('wait for other tasks of the same click, but not of another click', () => {
    ended.add('a-1', 0);
    ended.add('b-1', 0);
    assert.deepEqual(take(1000, 'a-2', 'c-1'), ['b-1']);
    assert.deepEqual(take(30_000, 'a-2'), []);
    ended.add('a-2', 30_000);
    assert.deepEqual(take(31_000), ['a-1', 'a-2']);
  });

  it('wait at most a minute for the last task of their click', () => {
    ended.add('a-1', 0);
    assert.deepEqual(take(60_000, 'a-2'), ['a-1']);
    ended.add('a-2', 90_000);
    assert.deepEqual(take(91_000), ['a-2']);
  });
});
