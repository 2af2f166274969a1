import assert from 'node:assert/strict';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamRequest } from '../support/scriptedUpstream.ts';

describe('upstreams of several kinds behind the local gateway', function () {
  this.timeout(20_000);
  let server: ScriptedUpstream;
  let gateway: RunningGateway;

  before(async () => {
    server = await startUpstream(({ path }, res) => res.end(JSON.stringify(replies[path] ?? { path })));
    const { origin } = new URL(server.baseUrl);
    const kinds = { gen: 'content-generation', direct: 'messages', stored: 'responses' };
    gateway = await startGateway({
      demo: false,
      config: {
        upstreams: Object.entries(kinds).map(([name, kind]) => ({ name, kind, baseUrl: origin })),
      },
    });
  });
  after(async () => {
    await gateway.stop();
    await server.close();
  });

  const replies: Readonly<Record<string, object>> = {
    '/v1beta/models?pageSize=1000': {
      models: [{ name: 'models/g', inputTokenLimit: 7, supportedGenerationMethods: ['countTokens'], x: 1 }],
    },
    '/v1/models?limit=1000': { data: [{ type: 'model', id: 'c', display_name: 'C', y: 2 }], has_more: false },
    '/v1/models': { object: 'list', data: [{ id: 'r', object: 'model', created: 1, owned_by: 'o', z: 3 }] },
  };

  function send(path: string, body?: object, headers: object = {}): Promise<Response> {
    return fetch(`${gateway.baseUrl}${path}`, {
      headers: { 'x-api-key': gateway.credential, 'content-type': 'application/json', ...headers },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  }

  /** The last request to the upstream, without the caller's credential. */
  function readLastRequest(): UpstreamRequest {
    const request = server.requests.at(-1);
    assert.ok(request);
    assert.ok(!request.rawHeaders.join().includes(gateway.credential));
    return request;
  }

  it('get the caller’s query without credentials and without values that are in the path', async () => {
    const body = { model: 'direct/c', max_tokens: 1, messages: [] };
    await send('/v1/messages?beta=true&alt=sse', body);
    assert.equal(readLastRequest().path, '/v1/messages?beta=true');
    await send('/v1beta/models/gen/g:streamGenerateContent?alt=sse&fields=a%2Cb', {});
    assert.equal(readLastRequest().path, '/v1beta/models/g:streamGenerateContent?alt=sse&fields=a%2Cb');
    await send('/v1beta/models/gen/g:streamGenerateContent?$alt=json;enum', {});
    assert.equal(readLastRequest().path, '/v1beta/models/g:streamGenerateContent');
    await send('/v1/messages?%6bey=a&acc%65ss_token=b&%61lt=sse&a%3Db=c', body);
    assert.equal(readLastRequest().path, '/v1/messages?a%3Db=c');
    const { credential } = gateway;
    const hidden = `%${credential.charCodeAt(0).toString(16)}${credential.slice(1)}`;
    await send(`/v1/messages?x=${credential}&beta=true&${hidden}&y=-${hidden}-`, body);
    assert.equal(readLastRequest().path, '/v1/messages?beta=true');
  });

  it('get requests for token counts with only the model id changed', async () => {
    for (const [path, body, expectedPath, expected] of [
      [
        '/v1/messages/count_tokens',
        { model: 'direct/c', messages: [], unknown: 1 },
        '/v1/messages/count_tokens',
        { model: 'c', messages: [], unknown: 1 },
      ],
      ['/v1beta/models/gen/g:countTokens', { odd: 1 }, '/v1beta/models/g:countTokens', { odd: 1 }],
      [
        '/v1/responses/input_tokens',
        { model: 'stored/r', input: [5] },
        '/v1/responses/input_tokens',
        { model: 'r', input: [5] },
      ],
    ] as const) {
      const reply = await send(path, body);
      assert.deepEqual(await reply.json(), { path: expectedPath });
      assert.deepEqual(JSON.parse(readLastRequest().body.toString()), expected);
    }
  });

  it('are listed together in each format, with all fields if the format is the same', async () => {
    const { data } = (await (await send('/v1/models')).json()) as { data: Record<string, unknown>[] };
    assert.deepEqual(
      data.map(({ id, inputTokenLimit, x, y, z }) => [id, inputTokenLimit, x, y, z]),
      [
        ['g', 7, 1, undefined, undefined],
        ['c', undefined, undefined, 2, undefined],
        ['r', undefined, undefined, undefined, 3],
      ],
    );
    const generation = (await (await send('/v1beta/models')).json()) as { models: Record<string, unknown>[] };
    assert.deepEqual(
      generation.models.map(({ name, x }) => [name, x]),
      [
        ['models/g', 1],
        ['models/c', undefined],
        ['models/r', undefined],
      ],
    );
    assert.deepEqual(generation.models[0]?.supportedGenerationMethods, ['countTokens']);
    const version = { 'anthropic-version': '2023-06-01' };
    const messages = (await (await send('/v1/models', undefined, version)).json()) as {
      data: Record<string, unknown>[];
    };
    assert.deepEqual(
      messages.data.map(({ id, display_name, y }) => [id, display_name, y]),
      [
        ['g', 'g', undefined],
        ['c', 'C', 2],
        ['r', 'r', undefined],
      ],
    );
  });
});
