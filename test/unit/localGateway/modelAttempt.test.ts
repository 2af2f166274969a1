import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Cancellation } from '../../../src/base/cancellation.ts';
import { ModelAttempt } from '../../../src/localGateway/models/modelAttempt.ts';
import type { ModelTarget } from '../../../src/localGateway/models/modelTable.ts';
import type { Queueing, UpstreamReply } from '../../../src/localGateway/upstreams/upstream.ts';

describe('an attempt at one model of an alias', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('times out after its limit, not counting the time in a queue', async () => {
    let queueing: Queueing | undefined;
    let cancellation: Cancellation | undefined;
    const send = (_: ModelTarget, signal: Cancellation, queue: Queueing) => {
      [queueing, cancellation] = [queue, signal];
      return new Promise<UpstreamReply>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const { signal } = new AbortController();
    const place = { upstream: { name: 'one' }, model: 'm' } as ModelTarget;
    const outcome = new ModelAttempt({ send: send, signal }, place, 1).run(true);
    mock.timers.tick(60_000);
    assert.equal(cancellation?.aborted, false);
    queueing?.onDequeue();
    mock.timers.tick(1_000);
    assert.deepEqual(await outcome, { isLate: true });
  });
});
