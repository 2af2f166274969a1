import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Cancellation } from '../../../src/base/cancellation.ts';
import { Attempt } from '../../../src/localGateway/models/attempt.ts';
import type { ModelPlace } from '../../../src/localGateway/models/modelTable.ts';
import type { Queueing, UpstreamReply } from '../../../src/localGateway/upstreams/upstream.ts';

describe('one place of an alias that is asked', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('is given up after its limit of time, to which that in a queue does not count', async () => {
    let queueing: Queueing | undefined;
    let given: Cancellation | undefined;
    const ask = (_: ModelPlace, signal: Cancellation, told: Queueing) => {
      [queueing, given] = [told, signal];
      return new Promise<UpstreamReply>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const { signal } = new AbortController();
    const place = { upstream: { name: 'one' }, model: 'm' } as ModelPlace;
    const outcome = new Attempt({ ask, signal }, place, 1).run(true);
    mock.timers.tick(60_000);
    assert.equal(given?.aborted, false);
    queueing?.entered();
    mock.timers.tick(1_000);
    assert.deepEqual(await outcome, { isLate: true });
  });
});
