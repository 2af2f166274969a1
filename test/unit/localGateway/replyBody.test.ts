import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { type UpstreamBodySink, UpstreamReplyBody } from '../../../src/localGateway/upstreams/replyBody.ts';

describe('the body of an upstream’s reply', () => {
  /** A connection that delivers pieces while it is not paused. */
  class Connection {
    readonly rawHeaders = null;
    readonly rawTrailers = null;
    readonly aborted = false;
    readonly reason = null;
    paused = false;
    abortedWith: unknown;
    readonly body = new UpstreamReplyBody(this);
    readonly #pieces: Uint8Array[];
    readonly #cut: Error | undefined;
    #isOver = false;

    constructor(pieces: readonly Uint8Array[], cut?: Error) {
      this.#pieces = [...pieces];
      this.#cut = cut;
    }

    /** Delivers pieces until it is paused, as a parser does with the bytes that it has. */
    deliver(): void {
      while (!this.paused && !this.#isOver) {
        const next = this.#pieces.shift();
        if (next) {
          this.body.receive(next);
        } else {
          this.#isOver = true;
          if (this.#cut) this.body.cut(this.#cut);
          else this.body.finish();
        }
      }
    }

    get remaining(): number {
      return this.#pieces.length;
    }

    pause(): void {
      this.paused = true;
    }

    resume(): void {
      if (!this.paused) return;
      this.paused = false;
      this.deliver();
    }

    abort(reason: unknown): void {
      this.abortedWith = reason;
    }
  }

  /** A reader that takes up to `atOnce` pieces at a time. */
  class Reader implements UpstreamBodySink {
    readonly received: Uint8Array[] = [];
    ends: unknown[] = [];
    readonly #atOnce: number;

    constructor(atOnce: number) {
      this.#atOnce = atOnce;
    }

    write(bytes: Uint8Array): boolean {
      this.received.push(bytes);
      return this.received.length % this.#atOnce !== 0;
    }

    end(): void {
      this.ends.push('end');
    }

    fail(error: unknown): void {
      this.ends.push(error);
    }
  }

  const sum = (pieces: readonly Uint8Array[]) =>
    createHash('sha256').update(Buffer.concat(pieces)).digest('hex');
  const some = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40_000 }), { maxLength: 12 });
  const cut = new Error('cut');

  it('arrives complete and in order for any reader and timing', () => {
    fc.assert(
      fc.property(
        some,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        fc.boolean(),
        (pieces, atOnce, early, isCut) => {
          const connection = new Connection(pieces, isCut ? cut : undefined);
          const reader = new Reader(atOnce);
          if (!early) connection.deliver();
          connection.body.deliverTo(reader);
          connection.deliver();
          for (let turn = 0; turn <= pieces.length; turn++) connection.body.resume();
          assert.equal(sum(reader.received), sum(pieces));
          assert.deepEqual(reader.ends, [isCut ? cut : 'end']);
        },
      ),
    );
  });

  it('arrives complete and in order as an iterable', async () => {
    await fc.assert(
      fc.asyncProperty(some, fc.boolean(), async (pieces, isCut) => {
        const connection = new Connection(pieces, isCut ? cut : undefined);
        setImmediate(() => connection.deliver());
        const received: Uint8Array[] = [];
        const read = async () => {
          for await (const piece of connection.body) received.push(piece);
        };
        if (isCut) await assert.rejects(read, cut);
        else await read();
        assert.equal(sum(received), sum(pieces));
      }),
      { numRuns: 30 },
    );
  });

  it('pauses the connection while its reader has enough or is missing', () => {
    const pieces = Array.from({ length: 20 }, () => Buffer.alloc(16 * 1024));
    const unread = new Connection(pieces);
    unread.deliver();
    assert.equal(unread.remaining, 16);
    const reader = new Reader(1);
    const slow = new Connection(pieces);
    slow.body.deliverTo(reader);
    slow.deliver();
    assert.equal(reader.received.length, 1);
    slow.body.resume();
    assert.equal(reader.received.length, 2);
    assert.equal(slow.remaining, 18);
  });

  it('holds pieces that still arrive after its reader has enough', () => {
    const reader = new Reader(1);
    const connection = new Connection([]);
    connection.body.deliverTo(reader);
    for (const piece of ['a', 'b', 'c']) connection.body.receive(Buffer.from(piece));
    assert.equal(String(Buffer.concat(reader.received)), 'a');
    connection.body.resume();
    assert.equal(String(Buffer.concat(reader.received)), 'ab');
    connection.body.finish();
    assert.deepEqual(reader.ends, []);
    connection.body.resume();
    assert.equal(String(Buffer.concat(reader.received)), 'abc');
    assert.deepEqual(reader.ends, ['end']);
  });

  it('closes its connection when the rest is not read, but not after its end', async () => {
    const remaining = new Connection([Buffer.from('a'), Buffer.from('b')]);
    setImmediate(() => remaining.body.receive(Buffer.from('a')));
    for await (const _ of remaining.body) break;
    assert.ok(remaining.abortedWith instanceof Error);
    const read = new Connection([Buffer.from('a')]);
    read.deliver();
    for await (const _ of read.body);
    assert.equal(read.abortedWith, undefined);
  });

  it('is returned at once if it arrived complete in one piece', () => {
    const complete = new Connection([Buffer.from('all')]);
    complete.deliver();
    assert.equal(String(complete.body.takeIfComplete()), 'all');
    const begun = new Connection([]);
    begun.body.receive(Buffer.from('a'));
    assert.equal(begun.body.takeIfComplete(), undefined);
    const split = new Connection([Buffer.from('a'), Buffer.from('b')]);
    split.deliver();
    assert.equal(split.body.takeIfComplete(), undefined);
  });
});
