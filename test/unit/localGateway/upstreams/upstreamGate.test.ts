import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { HttpError } from '../../../../src/localGateway/http/httpError.ts';
import { FailurePauses } from '../../../../src/localGateway/upstreams/capacity/failurePauses.ts';
import { UpstreamGate } from '../../../../src/localGateway/upstreams/capacity/upstreamGate.ts';

const { signal } = new AbortController();

function gateWith(limits: Parameters<UpstreamGate['setLimits']>[0]) {
  const clock = { now: 0 };
  const changes: boolean[] = [];
  const gate: UpstreamGate = new UpstreamGate(
    'one',
    limits,
    () => changes.push(gate.pauseMs > 0 || gate.pausedModels.length > 0),
    () => clock.now,
  );
  return { gate, clock, changes };
}

function isRefused(code: string, status: number, retryAfter?: string) {
  return (error: unknown) =>
    error instanceof HttpError &&
    error.neverSent &&
    error.code === code &&
    error.status === status &&
    error.headers['retry-after'] === retryAfter;
}

describe('the gate of an upstream', () => {
  afterEach(() => mock.timers.reset());

  it('admits as many requests at once as its limit, and the others in order', async () => {
    const { gate } = gateWith({ concurrentRequests: 2 });
    const places = [await gate.enter('m', signal), await gate.enter('m', signal)];
    const entered: number[] = [];
    const waiting = [0, 1, 2].map((n) =>
      gate.enter('m', signal).then((place) => {
        entered.push(n);
        return place;
      }),
    );
    places[0]?.leave();
    places[0]?.leave();
    (await waiting[0])?.leave();
    await waiting[1];
    assert.deepEqual(entered, [0, 1]);
    places[1]?.leave();
    await waiting[2];
    assert.deepEqual(entered, [0, 1, 2]);
  });

  it('limits the number of waiting requests, and drops aborted ones', async () => {
    const { gate } = gateWith({ concurrentRequests: 1, waitingRequests: 1 });
    const first = await gate.enter('m', signal);
    const caller = new AbortController();
    const aborted = gate.enter('m', caller.signal);
    await assert.rejects(gate.enter('m', signal), isRefused('upstream_queue_full', 429, '1'));
    caller.abort();
    await assert.rejects(aborted, isRefused('caller_left', 503));
    const next = gate.enter('m', signal);
    first.leave();
    (await next).leave();
  });

  it('limits requests per minute, and admits waiting requests when the limit is raised', async () => {
    const { gate, clock } = gateWith({ requestsPerMinute: 2, waitingRequests: 1 });
    (await gate.enter('m', signal)).leave();
    clock.now = 20_000;
    (await gate.enter('m', signal)).leave();
    const waiting = gate.enter('m', signal);
    await assert.rejects(gate.enter('m', signal), isRefused('upstream_queue_full', 429, '40'));
    gate.setLimits({ requestsPerMinute: 3 });
    (await waiting).leave();
    clock.now = 60_000;
    (await gate.enter('m', signal)).leave();
  });

  it('pauses one model for as long as the upstream requests', async () => {
    const { gate, clock, changes } = gateWith({});
    const place = await gate.enter('m', signal);
    place.reportRefusal(30_000);
    clock.now = 29_001;
    await assert.rejects(gate.enter('m', signal), isRefused('upstream_paused', 503, '1'));
    await gate.enter('other', signal);
    assert.deepEqual(gate.pausedModels, [['m', 999]]);
    clock.now = 30_000;
    await gate.enter('m', signal);
    assert.deepEqual(changes, [true]);
  });

  it('pauses an upstream after three consecutive failures, longer each time, until it replies', async () => {
    const { gate, clock, changes } = gateWith({});
    const fail = async () => (await gate.enter('m', signal)).reportFailure();
    await fail();
    clock.now += 1;
    await fail();
    clock.now += 1;
    await fail();
    assert.equal(gate.pauseMs, 1_000);
    await assert.rejects(gate.enter('other', signal), isRefused('upstream_paused', 503, '1'));
    clock.now += 1_000;
    await fail();
    assert.equal(gate.pauseMs, 2_000);
    clock.now += 2_000;
    (await gate.enter('m', signal)).reportReply();
    await fail();
    assert.equal(gate.pauseMs, 0);
    assert.deepEqual(changes, [true, true]);
    gate.reportContact();
  });

  it('reports each paused model once', async () => {
    const { gate, changes } = gateWith({});
    for (const model of ['m', 'n', 'm'])
      (await gate.enter(model, signal).catch(() => undefined))?.reportRefusal(9_000);
    assert.deepEqual(changes, [true, true]);
  });

  it('reports the end of the first and of the last pause', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { gate, clock, changes } = gateWith({});
    const [m, n] = [await gate.enter('m', signal), await gate.enter('n', signal)];
    m.reportRefusal(1_000);
    n.reportRefusal(5_000);
    const reports: boolean[][] = [];
    for (const now of [0, 999, 1_000, 4_999, 5_000]) {
      const passed = now - clock.now;
      clock.now = now;
      mock.timers.tick(passed);
      reports.push(changes.splice(0));
    }
    assert.deepEqual(reports, [[true, true], [], [true], [], [false]]);
  });

  it('counts simultaneous failures once', async () => {
    const { gate, clock } = gateWith({});
    const together = await Promise.all([1, 2, 3, 4].map(() => gate.enter('m', signal)));
    clock.now = 10;
    for (const place of together) place.reportFailure();
    assert.equal(gate.pauseMs, 0);
  });

  it('rejects requests that were waiting when a model was paused', async () => {
    const { gate } = gateWith({ concurrentRequests: 1 });
    const place = await gate.enter('m', signal);
    const waiting = gate.enter('m', signal);
    place.reportRefusal(5_000);
    place.leave();
    await assert.rejects(waiting, isRefused('upstream_paused', 503, '5'));
    (await gate.enter('other', signal)).leave();
  });
});

describe('the pauses of an upstream', () => {
  it('last at most a minute, or ten if the upstream requests more, and end with a reply', () => {
    const event = fc.record({
      hint: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: undefined }),
      whole: fc.boolean(),
      after: fc.integer({ min: 0, max: 100_000 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let now = 0;
        const pauses = new FailurePauses(() => now);
        let hadHint = false;
        for (const { hint, whole, after } of events) {
          now += after;
          if (whole) pauses.recordFailure(now);
          else pauses.recordRefusal('m', now, hint);
          hadHint ||= !whole && hint !== undefined;
          assert.ok(pauses.remainingMs('m') <= (hadHint ? 600_000 : 60_000));
          assert.ok(pauses.remainingMs('other') <= 60_000);
        }
        pauses.recordReply('m');
        assert.equal(pauses.remainingMs('m'), 0);
      }),
    );
  });
});
