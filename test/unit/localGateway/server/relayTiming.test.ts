import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type GatewayInProcess, startGatewayInProcess } from '../../../support/gatewayInProcess.ts';
import { longRuns } from '../../../support/longRuns.ts';
import { generationArray, providerReplies } from '../../../support/providerReplies.ts';
import { seed } from '../../../support/seed.ts';
import {
  connectInPieces,
  encodeChunks,
  type PieceOptions,
  Pieces,
  RawMessage,
  type RawUpstream,
  startRawUpstream,
  writePieces,
} from '../../../support/socketPieces.ts';

const runs = longRuns ? 2_000 : 60;
const cutRuns = longRuns ? 500 : 25;

interface Format {
  readonly upstream: string;
  readonly ask: (model: string, text: string) => { readonly path: string; readonly body: object };
}

const messages = (text: string) => [{ role: 'user', content: text }];

/** A model that fails repeatedly is paused, so each run uses another model. */
const formats: readonly Format[] = [
  {
    upstream: 'plain',
    ask: (model, text) => ({
      path: '/v1/chat/completions',
      body: { messages: messages(text), model, stream: true },
    }),
  },
  {
    upstream: 'direct',
    ask: (model, text) => ({
      path: '/v1/messages',
      body: { model, max_tokens: 9, messages: messages(text), stream: true },
    }),
  },
  { upstream: 'stored', ask: (model, text) => ({ path: '/v1/responses', body: { model, input: text } }) },
  {
    upstream: 'key',
    ask: (model, text) => ({
      path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      body: { contents: [{ role: 'user', parts: [{ text }] }] },
    }),
  },
];
const kinds = {
  plain: 'openai-compatible',
  direct: 'messages',
  stored: 'responses',
  key: 'content-generation',
};

const recorded: readonly Buffer[] = [
  ...globSync('test/fixtures/streams/**/*.txt').map((file) => readFileSync(file)),
  ...[...Object.values(providerReplies).flatMap(Object.values), generationArray].map(({ bytes }) =>
    Buffer.from(bytes),
  ),
].filter(({ length }) => length > 0);

/** Some of the recorded bodies refuse the credential, and then the gateway replies itself. */
const refusal = Buffer.from(
  '{"error":{"type":"invalid_request_error","message":"The picture is too large."}}',
);

/** More bytes than the buffers of the connections hold, so that a slow caller stops the upstream. */
const longBody = Buffer.from(Array.from({ length: 220_000 }, (_, n) => `data: {"n":${n}}\n\n`).join(''));

interface Reply {
  readonly body: Buffer;
  readonly framing: 'length' | 'chunks' | 'trailers' | 'close';
  readonly type: string;
  readonly isPacked: boolean;
  readonly status: number;
}

const reply: fc.Arbitrary<Reply> = fc
  .record({
    body: fc.oneof(
      { weight: 14, arbitrary: fc.constantFrom(...recorded) },
      { weight: 4, arbitrary: fc.nat(200_000).map((size) => longBody.subarray(0, size + 1)) },
      { weight: 1, arbitrary: fc.constant(longBody) },
    ),
    framing: fc.constantFrom<Reply['framing']>('length', 'chunks', 'chunks', 'trailers', 'close'),
    type: fc.constantFrom('text/event-stream', 'text/event-stream', 'application/json'),
    isPacked: fc.constantFrom(true, false, false, false),
    status: fc.constantFrom(200, 200, 200, 400),
  })
  .map((each) => (each.status === 400 && recorded.includes(each.body) ? { ...each, body: refusal } : each))
  .map((each) => ({ ...each, body: each.isPacked ? gzipSync(each.body) : each.body }));

const pieceOptions: fc.Arbitrary<PieceOptions> = fc.record({
  seed: fc.nat(),
  longest: fc.constantFrom(1, 1, 3, 17, 200, 5_000, undefined),
});
const anyTiming = fc.record({
  callerWrites: pieceOptions,
  callerReads: pieceOptions,
  upstreamReads: pieceOptions,
  upstreamWrites: pieceOptions,
  chunks: pieceOptions,
});
type Timing = typeof anyTiming extends fc.Arbitrary<infer Value> ? Value : never;

const question = fc.record({
  format: fc.constantFrom(...formats),
  text: fc.oneof(
    fc.string(),
    fc.nat(150_000).map((length) => 'ä🙂'.repeat(length / 6)),
  ),
  isChunked: fc.boolean(),
});
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

const atOnce: PieceOptions = { seed: 0 };
const noFaults: Timing = {
  callerWrites: atOnce,
  callerReads: atOnce,
  upstreamReads: atOnce,
  upstreamWrites: atOnce,
  chunks: atOnce,
};

function writeReply({ body, framing, type, isPacked, status }: Reply, chunks: Pieces): Buffer {
  const lines = [
    `HTTP/1.1 ${status} Any`,
    `Content-Type: ${type}`,
    'X-Unknown: kept',
    ...(isPacked ? ['Content-Encoding: gzip'] : []),
    ...(framing === 'length' ? [`Content-Length: ${body.length}`] : []),
    ...(framing === 'close' ? ['Connection: close'] : []),
    ...(framing === 'trailers' ? ['Trailer: X-Sum'] : []),
    ...(framing === 'chunks' || framing === 'trailers' ? ['Transfer-Encoding: chunked'] : []),
  ];
  const isPlain = framing === 'length' || framing === 'close';
  const trailers = framing === 'trailers' ? 'X-Sum: 7\r\nX-More: 8\r\n' : '';
  return Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\n\r\n`),
    isPlain ? body : encodeChunks(body, chunks, trailers),
  ]);
}

const completeReply: Reply = {
  body: Buffer.from('{}'),
  framing: 'length',
  type: 'application/json',
  isPacked: false,
  status: 200,
};
const endless = Buffer.alloc(1_000, 'data: {"n":1}\n\n');

describe('a relayed exchange over sockets with random pieces and delays', function () {
  this.timeout(longRuns ? 600_000 : 60_000);
  let upstream: RawUpstream;
  let gateway: GatewayInProcess;
  let currentTiming: Timing = noFaults;
  let serve: (request: RawMessage, socket: Socket) => Promise<void>;
  let requestCount = 0;

  beforeEach(async () => {
    upstream = await startRawUpstream(
      () => new Pieces(currentTiming.upstreamReads),
      (request, socket) => serve(request, socket),
    );
    const baseUrl = `http://127.0.0.1:${upstream.port}`;
    const configured = Object.entries(kinds).map(([name, kind]) => ({ name, kind, baseUrl }));
    gateway = await startGatewayInProcess(configured);
  });

  afterEach(async () => {
    await gateway.stop();
    await upstream.stop();
  });

  function createRequest({ format, text, isChunked }: Question, chunks: Pieces): Buffer {
    requestCount += 1;
    const { path, body } = format.ask(`${format.upstream}/m${requestCount}`, text);
    const bytes = Buffer.from(JSON.stringify(body));
    const lines = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${gateway.port}`,
      'Connection: close',
      `Authorization: Bearer ${gateway.credential}`,
      'Content-Type: application/json',
      isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes.length}`,
    ];
    const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
    return Buffer.concat([head, isChunked ? encodeChunks(bytes, chunks) : bytes]);
  }

  /** Sends a request and reads the reply; returns what the upstream and the caller received. */
  async function exchange(sent: Question, sentReply: Reply, timing: Timing) {
    currentTiming = timing;
    let received: Buffer | undefined;
    serve = async (request, socket) => {
      received = request.body.bytes;
      await writePieces(
        socket,
        writeReply(sentReply, new Pieces(timing.chunks)),
        new Pieces(timing.upstreamWrites),
      );
      if (sentReply.framing === 'close') socket.end();
    };
    const got = new RawMessage();
    const socket = connectInPieces(gateway.port, new Pieces(timing.callerReads), (bytes) => got.add(bytes));
    const closed = once(socket, 'close');
    await writePieces(
      socket,
      createRequest(sent, new Pieces(timing.chunks)),
      new Pieces(timing.callerWrites),
    );
    await closed;
    const body = received?.toString().replace(/"m\d+"/, '"m"');
    return {
      sent: body,
      status: got.status,
      ...got.body,
      type: /content-type: .*/.exec(got.head ?? '')?.[0],
    };
  }

  it(`carries the same bytes in both directions (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(question, reply, anyTiming, async (sent, sentReply, timing) => {
        const expected = await exchange(sent, sentReply, noFaults);
        assert.ok(expected.isComplete && expected.bytes.equals(sentReply.body));
        assert.equal(expected.status, sentReply.status);
        const actual = await exchange(sent, sentReply, timing);
        assert.deepEqual(
          { ...actual, bytes: actual.bytes.toString('latin1') },
          { ...expected, bytes: expected.bytes.toString('latin1') },
        );
        assert.ok(actual.sent?.includes(JSON.stringify(sent.text)));
      }),
      { numRuns: runs },
    );
    assert.deepEqual(gateway.log, []);
  });

  it(`is cut for the caller when the upstream closes its connection (seed ${seed})`, async () => {
    const property = fc.asyncProperty(
      question,
      reply.filter(({ framing }) => framing !== 'close'),
      anyTiming,
      fc.nat(),
      fc.boolean(),
      async (sent, sentReply, timing, cutAt, isReset) => {
        // Without a complete reply in between, the gateway would pause the failing upstream.
        await exchange(sent, completeReply, noFaults);
        currentTiming = timing;
        let isRequested = false;
        const all = writeReply(sentReply, new Pieces(timing.chunks));
        serve = async (_request, socket) => {
          isRequested = true;
          await writePieces(socket, all.subarray(0, cutAt % all.length), new Pieces(timing.upstreamWrites));
          if (isReset) socket.resetAndDestroy();
          else socket.end();
        };
        const got = new RawMessage();
        const socket = connectInPieces(gateway.port, new Pieces(timing.callerReads), (bytes) =>
          got.add(bytes),
        );
        const closed = once(socket, 'close');
        await writePieces(
          socket,
          createRequest(sent, new Pieces(timing.chunks)),
          new Pieces(timing.callerWrites),
        );
        await closed;
        assert.ok(isRequested);
        checkCut(got, sentReply);
        await allEnded();
      },
    );
    await fc.assert(property, { numRuns: cutRuns });
  });

  it(`closes the connection of its upstream when the caller leaves (seed ${seed})`, async () => {
    const property = fc.asyncProperty(
      question,
      anyTiming,
      fc.nat(20_000),
      async (sent, timing, leaveAfter) => {
        currentTiming = timing;
        const upstreamClosed = Promise.withResolvers<void>();
        serve = async (_request, socket) => {
          socket.once('close', () => upstreamClosed.resolve());
          socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n');
          const pieces = new Pieces(timing.upstreamWrites);
          while (!socket.destroyed) await writePieces(socket, endless, pieces);
        };
        let remaining = leaveAfter;
        const socket = connectInPieces(gateway.port, new Pieces(timing.callerReads), ({ length }) => {
          remaining -= length;
          if (remaining < 0) socket.destroy();
        });
        await writePieces(
          socket,
          createRequest(sent, new Pieces(timing.chunks)),
          new Pieces(timing.callerWrites),
        );
        await upstreamClosed.promise;
        await allEnded();
      },
    );
    await fc.assert(property, { numRuns: cutRuns });
  });

  it(`does not send a request to its upstream if the caller disconnects before the end of its request (seed ${seed})`, async () => {
    const property = fc.asyncProperty(question, anyTiming, fc.nat(), async (sent, timing, leaveAfter) => {
      currentTiming = timing;
      serve = async () => assert.fail('the upstream received an incomplete request');
      const socket = connectInPieces(gateway.port, new Pieces(timing.callerReads), () => {});
      const request = createRequest(sent, new Pieces(timing.chunks));
      const part = request.subarray(0, leaveAfter % request.length);
      await writePieces(socket, part, new Pieces(timing.callerWrites));
      socket.resetAndDestroy();
      await allEnded();
    });
    await fc.assert(property, { numRuns: cutRuns });
    assert.deepEqual(gateway.log, []);
  });

  /** The caller must not take a cut reply for a complete one: it is cut, too, or it is an error. */
  function checkCut(got: RawMessage, { body, status }: Reply): void {
    const { bytes, isComplete } = got.body;
    const isPart = bytes.equals(body.subarray(0, bytes.length));
    if (isComplete) assert.ok(got.status >= 400 || bytes.includes('error'), `${got.status}: ${bytes}`);
    else assert.ok(isPart && (got.status === status || got.status === 0), `${got.status}: ${bytes}`);
  }

  async function allEnded(): Promise<void> {
    while (gateway.openRequests > 0) await new Promise(setImmediate);
  }
});
