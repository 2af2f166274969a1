import assert from 'node:assert/strict';
import { HttpError } from '../../../src/localGateway/http/httpError.ts';
import { ModelListCache } from '../../../src/localGateway/models/modelListCache.ts';

/** An upstream that replies when a test lets it, with the test's own clock. */
function createList() {
  const requests: PromiseWithResolvers<readonly { id: string; owner: string }[]>[] = [];
  const clock = { now: 0 };
  const list = new ModelListCache(
    () => {
      const response = Promise.withResolvers<readonly { id: string; owner: string }[]>();
      requests.push(response);
      return response.promise;
    },
    () => clock.now,
  );
  const respond = (...ids: string[]) => requests.at(-1)?.resolve(ids.map((id) => ({ id, owner: '' })));
  const fail = () =>
    requests
      .at(-1)
      ?.reject(
        new HttpError({ status: 502, message: 'It is down.', type: 'upstream_error', code: 'upstream' }),
      );
  return { list, requests, clock, respond, fail, ids: () => list.models?.map(({ id }) => id) };
}

describe('the stored model list of an upstream', () => {
  it('is requested once for several callers, and stays current for 10 seconds', async () => {
    const { list, requests, clock, respond, ids } = createList();
    const waiting = [list.refresh(), list.ensureRequested(), list.search()];
    respond('a');
    await Promise.all(waiting);
    assert.deepEqual(ids(), ['a']);
    clock.now = 9_999;
    await list.refresh();
    await list.search();
    assert.equal(requests.length, 1);
    clock.now = 10_000;
    const refreshed = list.refresh();
    respond('a', 'b');
    await refreshed;
    assert.deepEqual(ids(), ['a', 'b']);
    assert.equal(requests.length, 2);
  });

  it('is kept when the upstream fails, until the upstream replies again', async () => {
    const { list, respond, fail, clock, ids } = createList();
    const first = list.ensureRequested();
    respond('a');
    await first;
    clock.now = 10_000;
    const failing = list.refresh();
    fail();
    await failing;
    assert.deepEqual(ids(), ['a']);
    assert.deepEqual(list.failure, { reason: 'It is down.', isLasting: false, code: 'upstream' });
    const better = list.refresh();
    respond('b');
    await better;
    assert.deepEqual(ids(), ['b']);
    assert.equal(list.failure, undefined);
  });

  it('is returned unchanged while the upstream does not reply', async () => {
    const { list, requests, respond, clock, ids } = createList();
    const first = list.ensureRequested();
    respond('a');
    await first;
    clock.now = 10_000;
    // The upstream does not reply to this request.
    await list.refresh();
    assert.deepEqual(ids(), ['a']);
    assert.equal(requests.length, 2);
  });

  it('is refreshed in the background when a model is used and the list is a minute old', async () => {
    const { list, requests, clock, respond, ids } = createList();
    const first = list.ensureRequested();
    respond('a');
    await first;
    clock.now = 59_999;
    list.refreshIfOld();
    assert.equal(requests.length, 1);
    clock.now = 60_000;
    list.refreshIfOld();
    list.refreshIfOld();
    assert.equal(requests.length, 2);
    assert.deepEqual(ids(), ['a']);
  });
});
