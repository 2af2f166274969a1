import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';

interface Family {
  readonly name: string;
  /** Also the kind of the upstream that serves it, and of the upstream that is down. */
  readonly kind: string;
  readonly path: (upstream: string) => string;
  readonly body: (upstream: string) => object;
  /** Returns the error message in the family's form; fails for another form. */
  readonly readMessage: (json: Json, status: number) => string;
  /** The status for a failure to connect: 424 where SDKs would repeat a paid request. */
  readonly unreachable: 424 | 502;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read replies of any shape
type Json = any;

const readPlainMessage = ({ error }: Json) => {
  assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code']);
  return error.message;
};
const readGenerationMessage = ({ error }: Json, status: number) => {
  assert.equal(error.code, status);
  assert.match(error.status, /^[A-Z_]+$/);
  return error.message;
};
const readInteractionMessage = ({ error }: Json) => {
  assert.match(error.code, /^[a-z_]+$/);
  return error.message;
};
const readMessagesMessage = ({ type, error, request_id }: Json) => {
  assert.deepEqual([type, typeof error.type, typeof request_id], ['error', 'string', 'string']);
  return error.message;
};
const readSynthesisMessage = ({ code, message, request_id }: Json) => {
  assert.match(code, /^[A-Z]\w+$/);
  assert.equal(typeof request_id, 'string');
  return message;
};

const families: readonly Family[] = [
  {
    name: 'chat completions',
    kind: 'openai-compatible',
    path: () => '/v1/chat/completions',
    body: (upstream) => ({ model: `${upstream}/m`, messages: [{ role: 'user', content: 'hi' }] }),
    readMessage: readPlainMessage,
    unreachable: 502,
  },
  ...(['generateContent', 'streamGenerateContent'] as const).map(
    (method): Family => ({
      name: `content generation (${method})`,
      kind: 'content-generation',
      path: (upstream) => `/v1beta/models/${upstream}/m:${method}`,
      body: () => ({ contents: [{ parts: [{ text: 'hi' }] }] }),
      readMessage: readGenerationMessage,
      unreachable: 502,
    }),
  ),
  {
    name: 'messages',
    kind: 'messages',
    path: () => '/v1/messages',
    body: (upstream) => ({
      model: `${upstream}/m`,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
    }),
    readMessage: readMessagesMessage,
    unreachable: 502,
  },
  ...[false, true].map(
    (background): Family => ({
      name: background ? 'responses in the background' : 'responses',
      kind: 'responses',
      path: () => '/v1/responses',
      body: (upstream) => ({ model: `${upstream}/m`, input: 'hi', background }),
      readMessage: readPlainMessage,
      unreachable: 502,
    }),
  ),
  ...[false, true].map(
    (background): Family => ({
      name: background ? 'interactions in the background' : 'interactions',
      kind: 'interactions',
      path: () => '/v1beta/interactions',
      body: (upstream) => ({ model: `${upstream}/m`, input: 'hi', background }),
      readMessage: readInteractionMessage,
      unreachable: 424,
    }),
  ),
  {
    name: 'native video synthesis',
    kind: 'dashscope',
    path: () => '/api/v1/services/aigc/video-generation/video-synthesis',
    body: (upstream) => ({ model: `${upstream}/m`, input: { prompt: 'hi' } }),
    readMessage: readSynthesisMessage,
    unreachable: 424,
  },
  {
    name: 'video jobs',
    kind: 'videos',
    path: () => '/v1/videos',
    body: (upstream) => ({ model: `${upstream}/m`, prompt: 'hi' }),
    readMessage: readPlainMessage,
    unreachable: 424,
  },
];

/** A path without a route that still belongs to the family. */
const findUnknownPath = (path: string) =>
  path.includes(':') ? path.replace(/:\w+$/, ':embedContent') : `${path}/x/y`;

/** Upstream statuses that are passed on unchanged. */
const passedOn = [400, 404, 409, 413, 415, 421, 422, 429, 451, 500, 502, 503, 504, 529];
/** Upstream statuses that reject the gateway's key. */
const refusingKey = [401, 403];

/** A failing upstream is paused for a while, so each family has a separate one for each failure. */
const createFailingName = (status: number, family: number) => `s${status}-${family}`;
const createFailingUpstreams = (address: string) =>
  families.flatMap(({ kind }, place) =>
    [...passedOn, ...refusingKey].map((status) => ({
      name: createFailingName(status, place),
      kind,
      models: ['m'],
      baseUrl: new URL(address).origin,
    })),
  );

const kinds = [...new Set(families.map(({ kind }) => kind))];
const credentialConfig = (name: string, more: object = {}) => ({
  name,
  sha256: createHash('sha256').update(`canary-credential-${name}`).digest('hex'),
  ...more,
});

describe('an error of the local gateway', function () {
  this.timeout(60_000);
  let folder: string;
  let log: string;
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  /** The status of the upstream's replies. */
  let status = 200;
  const ids: string[] = [];
  const refusal = '{"error" : {"message":"The words of the upstream."}, "n":12345678901234567890}';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-errors-'));
    log = join(folder, 'access.log');
    upstream = await startUpstream((_request, res) =>
      res.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' }).end(refusal),
    );
    const stoppedUpstream = await startUpstream(() => {});
    await stoppedUpstream.close();
    const createUpstreams = (prefix: string, address: string) =>
      kinds.map((kind) => ({
        name: `${prefix}${kind}`,
        kind,
        models: ['m'],
        baseUrl: new URL(address).origin,
      }));
    const credentials = [
      credentialConfig('little', { models: ['none'] }),
      credentialConfig('once', { requestsPerMinute: 1 }),
    ];
    gateway = await startGateway({
      config: {
        upstreams: [
          ...createUpstreams('', upstream.baseUrl),
          ...createUpstreams('gone-', stoppedUpstream.baseUrl),
          ...createFailingUpstreams(upstream.baseUrl),
        ],
        credentials,
      },
      args: ['--access-log', log],
    });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
    const logged = readFileSync(log, 'utf8');
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(
      ids.filter((id) => !logged.includes(id)),
      [],
      'each request id is in the log',
    );
  });

  const countPosts = () => upstream.requests.filter(({ method }) => method === 'POST').length;

  interface Sent {
    readonly method?: string;
    readonly path: string;
    readonly credential?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: object;
  }

  /** Sends a request unchanged and checks that its id comes back. */
  async function send({ method = 'POST', path, credential = gateway.credential, headers, body }: Sent) {
    const id = `trace-${ids.length}-of-test`;
    ids.push(id);
    const { hostname, port } = new URL(gateway.baseUrl);
    const req = httpRequest({ method, hostname, port, path, agent: false });
    const all = {
      'content-type': 'application/json',
      'x-request-id': id,
      'x-vendor-async': 'enable',
      ...(credential !== '' && { authorization: `Bearer ${credential}` }),
      ...headers,
    };
    for (const [name, value] of Object.entries(all)) req.setHeader(name, value);
    req.on('error', () => {});
    const announced = headers?.['content-length'] !== undefined;
    if (announced) req.flushHeaders();
    else req.end(body && JSON.stringify(body));
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    const received = await text(res);
    req.destroy();
    assert.equal(res.headers['x-request-id'], id, path);
    return { status: res.statusCode ?? 0, headers: res.headers, text: received };
  }

  families.forEach(({ name, kind, path, body, readMessage, unreachable }, place) => {
    describe(`in the format of ${name}`, () => {
      const createValidRequest = (): Sent => ({ path: path(kind), body: body(kind) });
      const stopped = `gone-${kind}`;
      const own: readonly (readonly [status: number, why: string, sent: () => Sent, pattern: RegExp])[] = [
        [
          401,
          'no credential',
          () => ({ ...createValidRequest(), credential: '' }),
          /credential .* missing or wrong/,
        ],
        [
          401,
          'a wrong credential',
          () => ({ ...createValidRequest(), credential: 'other' }),
          /credential .* missing or wrong/,
        ],
        [
          403,
          'a model that is not allowed',
          () => ({ ...createValidRequest(), credential: 'canary-credential-little' }),
          /may not use the model/,
        ],
        [
          403,
          'a request of a web page',
          () => ({ ...createValidRequest(), headers: { origin: 'https://page.example' } }),
          /Origin/,
        ],
        [404, 'an unknown model', () => ({ path: path('none'), body: body('none') }), /model "none\/m"/],
        [
          404,
          'an unknown route',
          () => ({ ...createValidRequest(), path: findUnknownPath(path(kind)) }),
          /no such route/,
        ],
        [
          405,
          'a wrong method',
          () => ({ ...createValidRequest(), method: 'PUT' }),
          /This path accepts .*, not PUT/,
        ],
        [
          413,
          'a body that is too large',
          () => ({ path: path(kind), headers: { 'content-length': String(26 * 1024 * 1024) } }),
          /larger than 25 MiB/,
        ],
        [
          415,
          'a body of a wrong type',
          () => ({ ...createValidRequest(), headers: { 'content-type': 'text/plain' } }),
          /Content-Type must be application\/json/,
        ],
        [
          421,
          'a wrong host',
          () => ({ ...createValidRequest(), headers: { host: 'rebound.example' } }),
          /Host/,
        ],
        [
          unreachable,
          'an upstream that is down',
          () => ({ path: path(stopped), body: body(stopped) }),
          /did not reply/,
        ],
      ];
      for (const [expected, why, sent, pattern] of own) {
        it(`is ${expected} for ${why}`, async () => {
          const before = countPosts();
          const reply = await send(sent());
          assert.equal(reply.status, expected, reply.text);
          assert.equal(reply.headers['content-type']?.split(';')[0], 'application/json');
          assert.match(readMessage(JSON.parse(reply.text), expected), pattern);
          assert.equal(countPosts(), before, 'nothing was sent');
        });
      }

      it('is 429 beyond the limit of a credential, with Retry-After', async () => {
        const credential = 'canary-credential-once';
        status = 400;
        let reply = await send({ ...createValidRequest(), credential });
        for (let i = 0; i < 2 && reply.status !== 429; i++)
          reply = await send({ ...createValidRequest(), credential });
        assert.equal(reply.status, 429);
        assert.ok(Number(reply.headers['retry-after']) > 0);
        assert.match(readMessage(JSON.parse(reply.text), 429), /1 requests a minute/);
      });

      it('is passed on unchanged for every other failure of an upstream', async () => {
        for (status of passedOn) {
          const failing = createFailingName(status, place);
          const reply = await send({ path: path(failing), body: body(failing) });
          assert.equal(reply.status, status);
          assert.equal(reply.text, refusal);
          assert.equal(reply.headers['retry-after'], '7');
          assert.equal(reply.headers['x-upstream'], failing);
        }
      });

      it('is 424 with the upstream’s message if the upstream refuses the key of the gateway', async () => {
        for (status of refusingKey) {
          const failing = createFailingName(status, place);
          const reply = await send({ path: path(failing), body: body(failing) });
          assert.equal(reply.status, 424);
          const words = readMessage(JSON.parse(reply.text), 424);
          assert.match(words, new RegExp(`returned ${status}: The words of the upstream\\.`));
          assert.equal(reply.headers['www-authenticate'], undefined);
        }
      });
    });
  });
});
