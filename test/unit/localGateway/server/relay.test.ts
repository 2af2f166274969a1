import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { relay } from '../../../../src/localGateway/server/relay.ts';
import type { UpstreamReply } from '../../../../src/localGateway/upstreams/upstream.ts';

describe('the relay of replies', () => {
  /** A caller that takes one piece at a time, when the test lets it. */
  class Caller extends Writable {
    readonly received: string[] = [];
    #next: (() => void) | undefined;

    constructor() {
      super({ highWaterMark: 1, decodeStrings: false });
    }

    writeHead(): void {}
    flushHeaders(): void {}

    override _write(bytes: string | Buffer, _encoding: string, done: () => void): void {
      this.received.push(String(bytes));
      this.#next = done;
    }

    take(): void {
      this.#next?.();
    }
  }

  function start(pieces: readonly string[], endless = false) {
    const caller = new Caller();
    const closing = new AbortController();
    const requests: string[] = [];
    async function* body() {
      for (const piece of pieces) {
        requests.push(piece);
        yield piece;
      }
      if (endless) await new Promise((_, reject) => closing.signal.addEventListener('abort', reject));
    }
    const reply = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: body() };
    const done = relay(reply, caller as unknown as ServerResponse, {
      signal: closing.signal,
      closing: closing.signal,
      finalEvent: () => 'data: farewell\n\n',
      notes: { addBytes() {} },
    });
    return { caller, closing, requests, done };
  }
  const turn = () => new Promise(setImmediate);

  it('does not read more than the caller accepts', async () => {
    const { caller, requests, done } = start(['a', 'b', 'c']);
    await turn();
    assert.deepEqual(requests, ['a']);
    caller.take();
    await turn();
    assert.deepEqual(requests, ['a', 'b']);
    caller.take();
    await turn();
    caller.take();
    await done;
    assert.deepEqual(caller.received, ['a', 'b', 'c']);
    assert.equal(caller.writableEnded, true);
  });

  it('ends an event stream between two events with an error event when the gateway stops', async () => {
    for (const end of ['\n\n', '\r\n\r\n', '\r\r']) {
      const { caller, closing, done } = start([`data: 1${end}`], true);
      await turn();
      caller.take();
      await turn();
      closing.abort();
      await done;
      assert.equal(caller.received[1], 'data: farewell\n\n');
      assert.equal(caller.writableEnded, true);
    }
  });

  it('aborts an event stream in the middle of an event when the gateway stops', async () => {
    const { caller, closing, done } = start(['data: 1\n\n', 'data: 2\n'], true);
    await turn();
    caller.take();
    await turn();
    caller.take();
    await turn();
    closing.abort();
    await done;
    // The written data is sent first.
    await turn();
    assert.equal(caller.destroyed, true);
    assert.equal(caller.writableEnded, false);
  });

  /** A server whose replies have these bodies, each for one request. */
  async function serve(bodies: readonly AsyncIterable<string>[]): Promise<number> {
    const remaining = [...bodies];
    const server = createServer((_, res) => {
      const body = remaining.shift() ?? [];
      const { signal: closing } = new AbortController();
      const reply = { status: 200, headers: { 'content-type': 'text/event-stream' }, body } as UpstreamReply;
      void relay(reply, res, { signal: closing, closing, finalEvent: () => '', notes: { addBytes() {} } });
      if (remaining.length === 0) server.close();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  it('passes on all bytes to a caller that is slower than the upstream, despite empty pieces', async () => {
    const pieces = Array.from({ length: 3_000 }, (_, i) => (i % 3 === 1 ? '' : `data: ${'x'.repeat(i)}\n\n`));
    async function* body() {
      yield* pieces;
    }
    const [response] = await once(get({ port: await serve([body()]), host: '127.0.0.1' }), 'response');
    assert.equal(await text(response), pieces.join(''));
  });

  it('passes on replies in the order of the requests that arrived together on one connection', async () => {
    const second = Promise.withResolvers<void>();
    const bodies = [
      async function* () {
        yield 'first 1 ';
        await second.promise;
        yield 'first 2 ';
      },
      async function* () {
        yield 'second 1 ';
        yield 'second 2 ';
        second.resolve();
      },
    ];
    const caller = connect(await serve(bodies.map((body) => body())), '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nhost: x\r\n';
    caller.write(`${request}\r\n${request}connection: close\r\n\r\n`);
    const received = await text(caller);
    const chunk = (piece: string) => `${piece.length.toString(16)}\r\n${piece}\r\n`;
    assert.deepEqual(received.split(/HTTP\/1\.1 200.*?\r\n\r\n/s), [
      '',
      `${chunk('first 1 ')}${chunk('first 2 ')}0\r\n\r\n`,
      `${chunk('second 1 ')}${chunk('second 2 ')}0\r\n\r\n`,
    ]);
  });
});
