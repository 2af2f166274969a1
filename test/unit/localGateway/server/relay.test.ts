import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { relay } from '../../../../src/localGateway/server/relay.ts';

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
});
