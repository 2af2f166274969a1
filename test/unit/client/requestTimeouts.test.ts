import assert from 'node:assert/strict';
import os from 'node:os';
import { performance } from 'node:perf_hooks';
import { mock } from 'node:test';
import { createTimeoutFailure, RequestTimeouts } from '../../../src/client/requestTimeouts.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';

const timeouts = {
  connect: 10_000,
  firstByte: 60_000,
  wholeReply: 600_000,
  idle: 90_000,
  noData: 300_000,
  total: 0,
};

describe('the timeouts of a reply that is being read', () => {
  const { now } = performance;
  let wall = 0;
  let monotonic = 0;
  let uptime = 0;
  let exceeded: string[];
  let running: RequestTimeouts;

  beforeEach(() => {
    wall = 1_000_000;
    monotonic = 1_000;
    uptime = 1;
    exceeded = [];
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(Date, 'now', () => wall);
    mock.method(os, 'uptime', () => uptime);
    performance.now = () => monotonic;
    running = new RequestTimeouts({ timeouts, startedAt: monotonic }, (timeout) => exceeded.push(timeout));
    running.onSent();
    running.onHead();
    running.onBytes();
  });

  afterEach(() => {
    running.stop();
    performance.now = now;
    mock.timers.reset();
    mock.restoreAll();
  });

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      wall += 1_000;
      monotonic += 1_000;
      uptime += 1;
      mock.timers.tick(1_000);
      await new Promise(setImmediate);
    }
  }

  it('end the request after the allowed silence', async () => {
    await pass(89_000);
    assert.deepEqual(exceeded, []);
    await pass(2_000);
    assert.deepEqual(exceeded, ['idle']);
  });

  it('F81 end the request soon after the machine slept, not 90 s later', async () => {
    monotonic += 8 * 3_600_000;
    wall += 8 * 3_600_000;
    await pass(11_000);
    assert.deepEqual(exceeded, ['sleep']);
  });

  it('F81 end the request soon after a sleep in which the monotonic clock stopped', async () => {
    uptime += 8 * 3_600;
    wall += 8 * 3_600_000;
    await pass(11_000);
    assert.deepEqual(exceeded, ['sleep']);
  });

  it('F81 do not end a request whose connection survived a sleep', async () => {
    uptime += 8 * 3_600;
    await pass(6_000);
    running.onBytes();
    running.onData();
    await pass(60_000);
    assert.deepEqual(exceeded, []);
  });

  for (const [title, ms] of [
    ['forward by an hour', 3_600_000],
    ['forward by a year', 365 * 24 * 3_600_000],
    ['back by an hour', -3_600_000],
    ['back by a year', -365 * 24 * 3_600_000],
  ] as const) {
    it(`F82 end a silent reply after 90 s, not earlier, although the clock is set ${title}`, async () => {
      wall += ms;
      await pass(80_000);
      assert.deepEqual(exceeded, []);
      await pass(11_000);
      assert.deepEqual(exceeded, ['idle']);
    });
  }
});

describe('the connect timeout', () => {
  const { now } = performance;
  let monotonic = 0;
  let exceeded: string[];
  let running: RequestTimeouts;

  beforeEach(() => {
    monotonic = 1_000;
    exceeded = [];
    mock.timers.enable({ apis: ['setTimeout'] });
    performance.now = () => monotonic;
  });

  afterEach(() => {
    running.stop();
    performance.now = now;
    mock.timers.reset();
  });

  function begin(connectingSince?: number): void {
    const call = {
      timeouts,
      startedAt: monotonic,
      ...(connectingSince !== undefined && { connectingSince }),
    };
    running = new RequestTimeouts(call, (timeout) => exceeded.push(timeout));
  }

  async function pass(ms: number): Promise<void> {
    monotonic += ms;
    mock.timers.tick(ms);
    await new Promise(setImmediate);
  }

  it('F21 is paused while VS Code asks for the credentials of a proxy', async () => {
    begin();
    await pass(6_000);
    running.onProxyLogin(true);
    await pass(300_000);
    assert.deepEqual(exceeded, []);
    running.onProxyLogin(false);
    await pass(3_900);
    assert.deepEqual(exceeded, []);
    await pass(200);
    assert.deepEqual(exceeded, ['connect']);
  });

  it('F21 does not pause the other timeouts when the request gets a connection during a proxy login', async () => {
    begin();
    running.onProxyLogin(true);
    running.onSent();
    await pass(61_000);
    assert.deepEqual(exceeded, ['firstByte']);
  });

  it('F21 ends a proxy login after 10 minutes', async () => {
    begin();
    running.onProxyLogin(true);
    await pass(599_000);
    assert.deepEqual(exceeded, []);
    await pass(2_000);
    assert.deepEqual(exceeded, ['proxyLogin']);
  });

  it('counts from the start of the first of two transports', async () => {
    begin(monotonic - 6_000);
    await pass(3_900);
    assert.deepEqual(exceeded, []);
    await pass(200);
    assert.deepEqual(exceeded, ['connect']);
  });
});

it('a timeout after a sleep of the machine is explained by the sleep', () => {
  const { reason, explanation } = createTimeoutFailure('sleep', timeouts, 'gateway.example');
  assert.equal(reason, 'idle-timeout');
  assert.match(inEnglish(explanation), /sleep/);
  assert.doesNotMatch(inEnglish(explanation), /90 s/);
});
