import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import fc from 'fast-check';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { countRepetitions, longRuns } from '../support/longRuns.ts';
import { generationArray, providerReplies } from '../support/providerReplies.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';

/** A reply that an upstream sends in pieces. */
interface SentReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Uint8Array[];
}

interface Request {
  readonly path: string;
  readonly body: object;
}

interface Caller {
  readonly format: string;
  /** The request for the nth model. */
  readonly createRequest: (nth: number) => Request;
}

const chat = { messages: [], stream: true };
/** A model that fails repeatedly is paused, so each reply is from another one. */
const callers: readonly Caller[] = [
  {
    format: 'chatCompletions',
    createRequest: (nth) => ({ path: '/v1/chat/completions', body: { ...chat, model: `plain/m${nth}` } }),
  },
  {
    format: 'contentGeneration',
    createRequest: (nth) => ({ path: `/v1beta/models/key/m${nth}:generateContent`, body: { contents: [] } }),
  },
  {
    format: 'contentGeneration',
    createRequest: (nth) => ({ path: `/v1beta/models/key/m${nth}:streamGenerateContent`, body: {} }),
  },
  {
    format: 'contentGeneration',
    createRequest: (nth) => ({
      path: `/v1beta/models/cloud/m${nth}:streamGenerateContent?alt=sse`,
      body: {},
    }),
  },
  {
    format: 'messages',
    createRequest: (nth) => ({ path: '/v1/messages', body: { ...chat, model: `direct/m${nth}` } }),
  },
  {
    format: 'messages',
    createRequest: (nth) => ({ path: '/v1/messages', body: { ...chat, model: `cloud/claude-${nth}` } }),
  },
  {
    format: 'responses',
    createRequest: (nth) => ({ path: '/v1/responses', body: { model: `stored/m${nth}`, input: 'hi' } }),
  },
  {
    format: 'interactions',
    createRequest: (nth) => ({ path: '/v1beta/interactions', body: { model: `video/m${nth}`, input: 'hi' } }),
  },
];

/**
 * Recorded streams of providers and gateways, and documents. Empty replies are left out: the gateway reports them
 * in text.
 */
const recorded: readonly Buffer[] = [
  ...globSync('test/fixtures/streams/**/*.txt').map((file) => readFileSync(file)),
  ...[...Object.values(providerReplies).flatMap(Object.values), generationArray].map(({ bytes }) =>
    Buffer.from(bytes),
  ),
].filter(({ length }) => length > 0);

/** The bytes split at some places. */
const splitBytes = (bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return ends
    .map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
    .filter((piece, i) => piece.length > 0 || i === 0);
};

const reply: fc.Arbitrary<SentReply> = fc
  .record({
    bytes: fc.oneof(
      fc.constantFrom(...recorded),
      fc.uint8Array({ minLength: 1, maxLength: 5_000 }),
      fc.nat(300_000).map((size) => Buffer.alloc(size + 1, 'abc\n')),
    ),
    places: fc.array(fc.nat(), { maxLength: 20 }),
    type: fc.constantFrom('text/event-stream', 'application/json', 'text/plain', undefined),
    // The gateway does not decode the body, so the bytes need not match their encoding.
    encoding: fc.constantFrom('gzip', 'br', undefined),
    hasLength: fc.boolean(),
    status: fc.constantFrom(200, 200, 201, 400, 404, 429, 500, 529),
  })
  .map(({ bytes, places, type, encoding, hasLength, status }) => ({
    status,
    headers: {
      ...(type !== undefined && { 'content-type': type }),
      ...(encoding !== undefined && { 'content-encoding': encoding }),
      ...(hasLength && { 'content-length': String(bytes.length) }),
      'retry-after': '7',
      'x-unknown': 'kept',
    },
    pieces: splitBytes(bytes, places),
  }));

describe('a reply of an upstream', function () {
  // Two thousand requests take minutes on a busy machine.
  this.timeout(longRuns ? 600_000 : 60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  let next: SentReply;
  let requestCount = 0;

  before(async () => {
    assert.ok(recorded.length > 50, 'the recorded streams are found');
    upstream = await startUpstream(async (_request, res) => {
      res.writeHead(next.status, next.headers);
      for (const piece of next.pieces) {
        await new Promise((resolve) => res.write(piece, resolve));
        await new Promise(setImmediate);
      }
      res.end();
    });
    const baseUrl = new URL(upstream.baseUrl).origin;
    const cloud = { kind: 'cloud-platform', project: 'p', location: 'global' };
    const kinds = { plain: 'openai-compatible', key: 'content-generation', direct: 'messages' };
    const upstreams = Object.entries({ ...kinds, stored: 'responses', video: 'interactions' });
    gateway = await startGateway({
      demo: false,
      config: {
        upstreams: [
          ...upstreams.map(([name, kind]) => ({ name, kind, baseUrl })),
          { name: 'cloud', ...cloud, baseUrl },
        ],
      },
    });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  it('reaches the caller byte for byte in every format, for any split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...callers), reply, async (caller, sent) => {
        next = sent;
        requestCount += 1;
        const got = await send(caller.createRequest(requestCount));
        assert.equal(got.statusCode, sent.status);
        const bytes: Buffer[] = await got.toArray();
        assert.equal(hashPieces(bytes), hashPieces(sent.pieces));
        for (const [name, value] of Object.entries(sent.headers))
          assert.equal(got.headers[name], value, name);
      }),
      { numRuns: countRepetitions(2_000) },
    );
  });

  async function send({ path, body }: Request): Promise<IncomingMessage> {
    const sending = request(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.credential}`, 'content-type': 'application/json' },
    });
    sending.end(JSON.stringify(body));
    const [got] = (await once(sending, 'response')) as [IncomingMessage];
    return got;
  }
});

function hashPieces(pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
