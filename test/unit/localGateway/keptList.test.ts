import assert from 'node:assert/strict';
import { HttpError } from '../../../src/localGateway/http/httpError.ts';
import { KeptList } from '../../../src/localGateway/models/keptList.ts';

/** An upstream whose answers come when a test lets them, with a clock of the test's own. */
function listed() {
  const asked: PromiseWithResolvers<readonly { id: string; owner: string }[]>[] = [];
  const clock = { now: 0 };
  const list = new KeptList(
    () => {
      const answer = Promise.withResolvers<readonly { id: string; owner: string }[]>();
      asked.push(answer);
      return answer.promise;
    },
    () => clock.now,
  );
  const answer = (...ids: string[]) => asked.at(-1)?.resolve(ids.map((id) => ({ id, owner: '' })));
  const fail = () =>
    asked
      .at(-1)
      ?.reject(
        new HttpError({ status: 502, message: 'It is down.', type: 'upstream_error', code: 'upstream' }),
      );
  return { list, asked, clock, answer, fail, ids: () => list.models?.map(({ id }) => id) };
}

describe('the kept list of an upstream', () => {
  it('is asked for once by all who want it, and taken for current for a while', async () => {
    const { list, asked, clock, answer, ids } = listed();
    const waiting = [list.refresh(), list.known(), list.search()];
    answer('a');
    await Promise.all(waiting);
    assert.deepEqual(ids(), ['a']);
    clock.now = 9_999;
    await list.refresh();
    await list.search();
    assert.equal(asked.length, 1);
    clock.now = 10_000;
    const refreshed = list.refresh();
    answer('a', 'b');
    await refreshed;
    assert.deepEqual(ids(), ['a', 'b']);
    assert.equal(asked.length, 2);
  });

  it('stays when the upstream fails, until it answers again', async () => {
    const { list, answer, fail, clock, ids } = listed();
    const first = list.known();
    answer('a');
    await first;
    clock.now = 10_000;
    const failing = list.refresh();
    fail();
    await failing;
    assert.deepEqual(ids(), ['a']);
    assert.deepEqual(list.failure, { reason: 'It is down.', isLasting: false, code: 'upstream' });
    const better = list.refresh();
    answer('b');
    await better;
    assert.deepEqual(ids(), ['b']);
    assert.equal(list.failure, undefined);
  });

  it('is given as it is where the upstream stays silent', async () => {
    const { list, asked, answer, clock, ids } = listed();
    const first = list.known();
    answer('a');
    await first;
    clock.now = 10_000;
    // Nobody answers this one.
    await list.refresh();
    assert.deepEqual(ids(), ['a']);
    assert.equal(asked.length, 2);
  });

  it('is read again in the background while its models are asked, once it is old', async () => {
    const { list, asked, clock, answer, ids } = listed();
    const first = list.known();
    answer('a');
    await first;
    clock.now = 59_999;
    list.use();
    assert.equal(asked.length, 1);
    clock.now = 60_000;
    list.use();
    list.use();
    assert.equal(asked.length, 2);
    assert.deepEqual(ids(), ['a']);
  });
});
