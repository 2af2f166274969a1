import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { mock } from 'node:test';
import type { ExchangePlan } from '../../../src/client/exchange.ts';
import { sendWithRetry } from '../../../src/client/exchange.ts';
import { defaultTimeouts } from '../../../src/client/requestTimeouts.ts';
import type { Transport, TransportHandler } from '../../../src/client/transports/transport.ts';
import { TransportChoice } from '../../../src/client/transports/transportChoice.ts';

type Name = Transport['name'];

/** A request that was passed to a transport. */
interface Dispatch {
  readonly name: Name;
  readonly at: number;
  isAborted: boolean;
}

const failing = (code: string) => Object.assign(new Error(code), { code });

describe('a request that the first transport cannot connect', () => {
  const { now } = performance;
  let monotonic = 0;
  let dispatches: Dispatch[];

  beforeEach(() => {
    monotonic = 0;
    dispatches = [];
    mock.timers.enable({ apis: ['setTimeout'] });
    performance.now = () => monotonic;
  });

  afterEach(() => {
    performance.now = now;
    mock.timers.reset();
  });

  async function pass(ms: number): Promise<void> {
    monotonic += ms;
    mock.timers.tick(ms);
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  }

  /** Sends a request over transports that all behave like `play`. */
  function send(method: string, play: (handler: TransportHandler, name: Name) => void) {
    const transports = new TransportChoice({});
    const get = (name: Name): Transport => ({
      name,
      dispatch(_, handler) {
        const dispatch = { name, at: monotonic, isAborted: false };
        dispatches.push(dispatch);
        play(handler, name);
        const abort = () => {
          dispatch.isAborted = true;
        };
        return { abort, pause() {}, resume() {} };
      },
      close() {},
    });
    Object.assign(transports, { get });
    const plan: ExchangePlan = {
      request: { method, url: new URL('https://gateway.example/v1/models'), headers: {} },
      group: 'models',
      timeouts: { ...defaultTimeouts, connect: 10_000 },
      startedAt: monotonic,
      signal: undefined,
      sink: { write: () => 'data', end: (cut) => cut },
    };
    return sendWithRetry(plan, transports);
  }

  const used = () => dispatches.map(({ name, at }) => [name, at]);

  it('F4 is sent over the second transport after half of the connect timeout, and fails at the end of it', async () => {
    let isOver = false;
    const sent = send('POST', () => {}).finally(() => {
      isOver = true;
    });
    await pass(0);
    await pass(4_900);
    assert.deepEqual(used(), [['undici', 0]]);
    await pass(200);
    assert.deepEqual(used(), [
      ['undici', 0],
      ['https', 5_100],
    ]);
    assert.ok(dispatches[0]?.isAborted);
    await pass(4_800);
    assert.ok(!isOver);
    await pass(200);
    assert.ok(isOver);
    const { failure, transport } = await sent;
    assert.deepEqual([failure?.reason, transport], ['connect-timeout', 'https']);
    assert.deepEqual(
      dispatches.map(({ isAborted }) => isAborted),
      [true, true],
    );
  });

  it('is sent over the second transport once, unless a certificate was refused or a byte was sent', async () => {
    const tries: Record<string, readonly Name[]> = {};
    for (const [code, method, isSent] of [
      ['ECONNREFUSED', 'POST', false],
      ['ECONNREFUSED', 'GET', false],
      ['DEPTH_ZERO_SELF_SIGNED_CERT', 'POST', false],
      ['ECONNRESET', 'POST', true],
      ['ECONNRESET', 'GET', true],
    ] as const) {
      dispatches = [];
      await send(method, (handler) => {
        if (isSent) handler.onSent();
        handler.onError(failing(code));
      });
      tries[`${method} ${code}`] = dispatches.map(({ name }) => name);
    }
    assert.deepEqual(tries, {
      'POST ECONNREFUSED': ['undici', 'https'],
      'GET ECONNREFUSED': ['undici', 'https'],
      'POST DEPTH_ZERO_SELF_SIGNED_CERT': ['undici'],
      'POST ECONNRESET': ['undici'],
      'GET ECONNRESET': ['undici', 'undici'],
    });
  });
});
