import assert from 'node:assert/strict';
import type { ExchangeRecord } from '../../../src/client/types.ts';
import { canCheck, findReachability, OutageChecks } from '../../../src/host/connection/outage.ts';
import type { GatewayErrorInit } from '../../../src/wire/failures/gatewayError.ts';
import { TestClock } from '../../support/testClock.ts';
import { createGatewayError } from '../../support/testGateway.ts';

type Facts = Partial<GatewayErrorInit> & Pick<GatewayErrorInit, 'kind'>;

function exchange(failure: Facts | undefined, facts: Partial<ExchangeRecord> = {}): ExchangeRecord {
  return {
    route: 'chatCompletions',
    method: 'POST',
    url: 'https://gateway.example',
    requestId: 'r',
    requestedAt: new Date(0),
    totalMs: 1,
    bytesReceived: 0,
    transport: 'undici',
    ...(failure && { error: createGatewayError(failure) }),
    ...facts,
  };
}

describe('the reachability of a gateway', () => {
  const get = { method: 'GET' };
  const cases: readonly (readonly [title: string, record: ExchangeRecord, finding: string])[] = [
    ['a reply', exchange(undefined, { status: 200 }), 'reached'],
    ['a refused credential', exchange({ kind: 'authentication' }, { status: 401 }), 'reached'],
    ['a gateway’s own failure', exchange({ kind: 'server' }, { status: 503 }), 'reached'],
    ['a wrong route', exchange({ kind: 'unreachable', reason: 'not-a-gateway' }, { status: 404 }), 'reached'],
    ['no connection', exchange({ kind: 'unreachable', reason: 'refused', wasSent: false }), 'unreachable'],
    ['a poll without a reply', exchange({ kind: 'unreachable', reason: 'reset' }, get), 'unreachable'],
    ['a question without a reply', exchange({ kind: 'unreachable', reason: 'reset' }), 'doubtful'],
    ['a slow model', exchange({ kind: 'unreachable', reason: 'first-byte-timeout' }), 'doubtful'],
    ['a reply cut off', exchange({ kind: 'unreachable', reason: 'reset' }, { status: 200 }), 'doubtful'],
    ['a stop by the user', exchange({ kind: 'cancelled' }), 'unknown'],
    ['a lost credential', exchange({ kind: 'authentication', wasSent: false }), 'unknown'],
  ];
  for (const [title, record, finding] of cases) {
    it(`is “${finding}” after ${title}`, () => assert.equal(findReachability(record).kind, finding));
  }

  it('is not checked through a proxy that would request a sign-in each time', () => {
    const error = createGatewayError({ kind: 'unreachable', reason: 'proxy-credentials' });
    assert.equal(canCheck({ since: 0, error }), false);
    assert.equal(
      canCheck({ since: 0, error: createGatewayError({ kind: 'unreachable', reason: 'dns' }) }),
      true,
    );
  });
});

describe('the checks of a gateway that cannot be reached', () => {
  let clock: TestClock;
  let at: number[];
  let watched: boolean;
  let network: string;
  let checks: OutageChecks;

  beforeEach(() => {
    clock = new TestClock();
    at = [];
    watched = true;
    network = 'home';
    const began = clock.monotonic();
    checks = new OutageChecks({
      clock,
      isWatched: () => watched,
      network: () => network,
      check: async () => at.push((clock.monotonic() - began) / 1000),
    });
    checks.start();
  });

  it('become less frequent, down to one every two minutes', async () => {
    await clock.advance(700_000);
    assert.deepEqual(at, [5, 10, 20, 40, 80, 160, 280, 400, 520, 640]);
  });

  it('pause while the window is not watched, and run at once when it is', async () => {
    watched = false;
    await clock.advance(60_000);
    assert.deepEqual(at, []);
    watched = true;
    checks.wake();
    assert.deepEqual(at, [60]);
    await clock.advance(1_000);
    checks.wake();
    assert.deepEqual(at, [60], 'not twice within seconds');
  });

  it('run at once when the network changes, and are frequent again', async () => {
    await clock.advance(100_000);
    at.length = 0;
    network = 'office';
    await clock.advance(15_000);
    assert.deepEqual(at, [105, 110]);
  });

  it('run at their usual intervals while many connections break', async () => {
    checks.stop();
    for (let second = 0; second < 12; second += 1) {
      for (let broken = 0; broken < 100; broken += 1) checks.checkSoon();
      await clock.advance(1_000);
    }
    assert.deepEqual(at, [5, 10]);
    checks.checkSoon();
    checks.stop();
    await clock.advance(60_000);
    assert.deepEqual([at.length, clock.timers], [2, 0]);
  });

  it('do not leave timers when they stop', async () => {
    checks.stop();
    checks.wake();
    await clock.advance(60_000);
    assert.deepEqual([at, clock.timers], [[], 0]);
  });
});
