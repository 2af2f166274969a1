import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, getModels, postChat } from '../support/chatCompletionsCalls.ts';
import { told } from '../support/gatewayControl.ts';
import { type RunningGateway, runGateway, startGateway, writeConfig } from '../support/gatewayProcess.ts';
import type { ScriptedUpstream } from '../support/scriptedUpstream.ts';
import { named, upstreamsOfTest } from '../support/upstreamsOfTest.ts';

/** Nobody listens there. */
const nobody = 'http://127.0.0.1:9/v1';

describe('an alias of the local gateway', function () {
  this.timeout(30_000);
  const { upstreamThat, keepOpen } = upstreamsOfTest();

  /** An upstream that lists the model m, and answers everything else as a test says. */
  function that(answer: (res: ServerResponse) => void): Promise<ScriptedUpstream> {
    return upstreamThat(({ method }, res) => {
      if (method === 'GET') res.end('{"data":[{"id":"m","context_length":8}]}');
      else answer(res);
    });
  }

  const fine = () => that((res) => res.end('{"fine":true}'));
  const status = (code: number, headers: Record<string, string> = {}) =>
    that((res) => res.writeHead(code, headers).end(`{"error":{"message":"says ${code}"}}`));

  async function gatewayWith(
    upstreams: readonly object[],
    aliases: readonly object[],
    args: readonly string[] = [],
  ): Promise<RunningGateway> {
    const gateway = await startGateway({ demo: false, config: { upstreams, aliases }, args });
    keepOpen(gateway);
    return gateway;
  }

  function call(
    gateway: RunningGateway,
    path: string,
    body: object,
    headers: object = {},
  ): Promise<Response> {
    return fetch(gateway.baseUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.credential}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  }

  const chat = (gateway: RunningGateway, fields: object = {}) =>
    postChat(gateway, { body: ask('hi', { model: 'fast', ...fields }) });

  /** The models that requests asked, in their order. */
  function asked({ requests }: ScriptedUpstream): readonly unknown[] {
    return requests
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(body.toString()).model);
  }

  const models = ['one/m', 'two/m'];

  it('asks the next model when nobody was reached, and says who answered', async () => {
    const two = await fine();
    const gateway = await gatewayWith(
      [named('one', nobody, { models: ['m'] }), named('two', two.baseUrl)],
      [{ name: 'fast', models }],
    );
    const reply = await chat(gateway);
    assert.equal(await reply.text(), '{"fine":true}');
    assert.equal(reply.headers.get('x-gateway-model'), 'two/m');
    assert.equal(reply.headers.get('x-upstream'), 'two');
    assert.equal(reply.headers.get('x-gateway-passed-over'), 'one/m (not sent)');
    assert.deepEqual(asked(two), ['m']);
    const direct = await postChat(gateway, { body: ask('hi', { model: 'two/m' }) });
    assert.equal(direct.headers.get('x-gateway-model'), null);
  });

  it('asks the next model after 429, and leaves the other alone as long as it says', async () => {
    const [one, two] = [await status(429, { 'retry-after': '60' }), await fine()];
    const gateway = await gatewayWith(
      [named('one', one.baseUrl), named('two', two.baseUrl)],
      [{ name: 'fast', models }],
    );
    const reply = await chat(gateway);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-gateway-passed-over'), 'one/m (429)');
    assert.equal((await chat(gateway)).headers.get('x-gateway-passed-over'), 'one/m (not sent)');
    assert.deepEqual([asked(one).length, asked(two).length], [1, 2]);
  });

  it('asks nobody else after 5xx or a connection that broke off, unless it says so', async () => {
    for (const first of [await status(503), await that((res) => res.destroy())]) {
      const two = await fine();
      const gateway = await gatewayWith(
        [named('one', first.baseUrl), named('two', two.baseUrl)],
        [
          { name: 'fast', models },
          { name: 'sure', models, nextOnServerError: true },
        ],
      );
      const reply = await chat(gateway);
      assert.ok(reply.status >= 502);
      assert.equal(reply.headers.get('x-gateway-model'), 'one/m');
      assert.equal(asked(two).length, 0);
      const sure = await chat(gateway, { model: 'sure' });
      assert.equal(await sure.text(), '{"fine":true}');
      assert.match(sure.headers.get('x-gateway-passed-over') ?? '', /^one\/m \(50[23], may be billed\)$/);
      await gateway.stop();
      assert.match(gateway.stderr(), /two\/m by two for sure, after one\/m \(50\d, may be billed\)/);
      assert.deepEqual([asked(first).length, asked(two).length], [2, 1]);
    }
  });

  it('asks nobody else after a refusal', async () => {
    for (const code of [400, 401, 404, 422]) {
      const [one, two] = [await status(code), await fine()];
      const gateway = await gatewayWith(
        [named('one', one.baseUrl), named('two', two.baseUrl)],
        [{ name: 'fast', models, nextOnServerError: true }],
      );
      assert.equal((await chat(gateway)).status, code === 401 ? 424 : code);
      assert.equal(asked(two).length, 0);
    }
  });

  it('asks nobody else once a part of a reply was passed on', async () => {
    const one = await that((res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {"n":1}\n\n', () => setTimeout(() => res.destroy(), 50));
    });
    const two = await fine();
    const gateway = await gatewayWith(
      [named('one', one.baseUrl), named('two', two.baseUrl)],
      [{ name: 'fast', models, nextOnServerError: true, nextAfterSeconds: 10 }],
    );
    const reply = await chat(gateway, { stream: true });
    assert.equal(reply.status, 200);
    await assert.rejects(reply.text());
    assert.equal(asked(two).length, 0);
  });

  it('gives up a reply that does not begin in time, where it says so', async () => {
    const closed = Promise.withResolvers<void>();
    const silent = await that((res) => void once(res, 'close').then(() => closed.resolve()));
    const headOnly = await that((res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const last = await fine();
    const gateway = await gatewayWith(
      [named('one', silent.baseUrl), named('two', headOnly.baseUrl), named('three', last.baseUrl)],
      [{ name: 'fast', models: [...models, 'three/m'], nextAfterSeconds: 0.3 }],
    );
    const reply = await chat(gateway, { stream: true });
    assert.equal(await reply.text(), '{"fine":true}');
    assert.equal(
      reply.headers.get('x-gateway-passed-over'),
      'one/m (no reply, may be billed); two/m (no reply, may be billed)',
    );
    await closed.promise;
  });

  it('passes on the refusal that was told where the others cannot be asked', async () => {
    const one = await status(429, { 'x-told': 'yes' });
    const gateway = await gatewayWith(
      [named('one', one.baseUrl), named('two', nobody, { models: ['m'] })],
      [{ name: 'fast', models }],
    );
    const reply = await chat(gateway);
    assert.equal(reply.status, 429);
    assert.match(await reply.text(), /says 429/);
    assert.equal(reply.headers.get('x-told'), 'yes');
    assert.equal(reply.headers.get('x-gateway-model'), 'one/m');
  });

  it('tells when the first of its models may be asked again, where all are left alone', async () => {
    const upstreams = [
      await status(429, { 'retry-after': '40' }),
      await status(429, { 'retry-after': '7' }),
      await status(429, { 'retry-after': '90' }),
    ];
    const gateway = await gatewayWith(
      upstreams.map(({ baseUrl }, i) => named(`u${i}`, baseUrl)),
      [{ name: 'fast', models: ['u0/m', 'u1/m', 'u2/m'] }],
    );
    assert.equal((await chat(gateway)).status, 429);
    const alone = await chat(gateway);
    assert.equal(alone.status, 503);
    assert.ok(Number(alone.headers.get('retry-after')) <= 7);
    assert.deepEqual(
      upstreams.map((upstream) => asked(upstream).length),
      [1, 1, 1],
    );
  });

  it('goes on with its turn when the configuration changes', async () => {
    const [one, two] = [await fine(), await fine()];
    const turns = { name: 'fast', models, strategy: 'round-robin' };
    const config = (more: readonly object[]) => ({
      upstreams: [named('one', one.baseUrl), named('two', two.baseUrl)],
      aliases: [...more, turns],
    });
    const file = writeConfig(config([]));
    keepOpen({ stop: () => file.remove() });
    const gateway = await startGateway({ demo: false, args: ['--config', file.path] });
    keepOpen(gateway);
    assert.equal((await chat(gateway)).headers.get('x-upstream'), 'one');
    file.write(config([{ name: 'new', models: ['one/m'] }]));
    await told(gateway, /was read again/);
    assert.equal((await chat(gateway)).headers.get('x-upstream'), 'two');
    assert.equal((await chat(gateway, { model: 'new' })).headers.get('x-upstream'), 'one');
  });

  it('may be allowed to a credential that may not use its models', async () => {
    const one = await fine();
    const credential = 'a-credential-of-another-program';
    const sha256 = createHash('sha256').update(credential).digest('hex');
    const gateway = await startGateway({
      demo: false,
      config: {
        upstreams: [named('one', one.baseUrl)],
        aliases: [
          { name: 'fast', models: ['one/m'] },
          { name: 'secret', models: ['one/m'] },
        ],
        credentials: [{ name: 'aliased', sha256, models: ['fast'] }],
      },
    });
    keepOpen(gateway);
    const other = { ...gateway, credential };
    const { data } = (await (await getModels(other)).json()) as { data: { id: string }[] };
    assert.deepEqual(
      data.map(({ id }) => id),
      ['fast'],
    );
    for (const [model, expected] of [
      ['fast', 200],
      ['secret', 403],
      ['m', 403],
      ['one/m', 403],
    ] as const)
      assert.equal((await chat(other, { model })).status, expected, model);
  });

  it('is tried by --check, which tells what no list has', async () => {
    const one = await fine();
    const file = writeConfig({
      upstreams: [named('one', one.baseUrl, { hide: ['m'] })],
      aliases: [{ name: 'fast', models: ['one/m', 'one/other'], strategy: 'round-robin' }],
    });
    keepOpen({ stop: () => file.remove() });
    const check = runGateway(['--check', '--config', file.path]);
    const said: Buffer[] = [];
    check.stdout?.on('data', (bytes) => said.push(bytes));
    const [code] = await once(check, 'close');
    assert.equal(code, 0);
    const text = Buffer.concat(said).toString();
    assert.match(text, /upstream one \(.*\): 0 models, 1 not shown\n/);
    assert.match(text, /alias fast \(round-robin\): one\/m, one\/other\n/);
    assert.match(text, /alias fast: no list has one\/other, which is asked for all the same/);
  });

  it('asks each model in its turn or by its weight, which counts of tokens do not move', async () => {
    const [one, two] = [await fine(), await fine()];
    const gateway = await gatewayWith(
      [
        named('one', one.baseUrl, { formats: ['messages'] }),
        named('two', two.baseUrl, { formats: ['messages'] }),
      ],
      [
        { name: 'turns', models, strategy: 'round-robin' },
        { name: 'weights', models, strategy: 'weighted', weights: { 'one/m': 2 } },
      ],
    );
    const order = async (alias: string, count: number) => {
      const names: unknown[] = [];
      for (let i = 0; i < count; i++) {
        await call(gateway, '/v1/messages/count_tokens', { model: alias, messages: [] });
        const reply = await call(gateway, '/v1/messages', { model: alias, max_tokens: 1, messages: [] });
        names.push(reply.headers.get('x-upstream'));
      }
      return names;
    };
    assert.deepEqual(await order('turns', 4), ['one', 'two', 'one', 'two']);
    assert.deepEqual(await order('weights', 6), ['one', 'two', 'one', 'one', 'two', 'one']);
  });

  it('F69 makes a task in one place only, and moves its turn once for each', async () => {
    const kinds: readonly (readonly [kind: string, path: string, body: object, headers?: object])[] = [
      ['responses', '/v1/responses', { background: true, input: 'x' }],
      ['interactions', '/v1beta/interactions', { background: true, input: 'x' }],
      ['videos', '/v1/videos', { prompt: 'x' }],
      [
        'dashscope',
        '/api/v1/services/aigc/video-generation/video-synthesis',
        { input: { prompt: 'x' } },
        { 'x-dashscope-async': 'enable' },
      ],
    ];
    for (const [kind, path, body, headers] of kinds) {
      const upstreams = [await status(429, { 'retry-after': '0' }), await status(503)];
      const gateway = await gatewayWith(
        upstreams.map(({ baseUrl }, i) => ({
          name: models[i]?.slice(0, -2),
          kind,
          baseUrl: new URL(baseUrl).origin,
          models: ['m'],
        })),
        [{ name: 'fast', models, strategy: 'round-robin', nextOnServerError: true, nextAfterSeconds: 5 }],
      );
      for (const expected of [
        [1, 0],
        [1, 1],
        [2, 1],
      ]) {
        const reply = await call(gateway, path, { model: 'fast', ...body }, headers);
        assert.ok(reply.status >= 424, `${kind} ${reply.status}`);
        await reply.text();
        assert.deepEqual(
          upstreams.map((upstream) => asked(upstream).length),
          expected,
          kind,
        );
      }
      await gateway.stop();
    }
  });

  it('asks in one place only for a video, and for what goes on from an earlier reply', async () => {
    const bodies: readonly (readonly [kind: string, path: string, body: object, bound: boolean])[] = [
      ['responses', '/v1/responses', { input: 'x', previous_response_id: 'resp_1' }, true],
      ['responses', '/v1/responses', { input: 'x', previous_response_id: null }, false],
      ['interactions', '/v1beta/interactions', { input: 'x', previous_interaction_id: 'i_1' }, true],
      ['interactions', '/v1beta/interactions', { input: 'x', response_format: { type: 'video' } }, true],
      ['interactions', '/v1beta/interactions', { input: 'x' }, false],
    ];
    for (const [kind, path, body, bound] of bodies) {
      const [one, two] = [await status(429), await fine()];
      const gateway = await gatewayWith(
        [one, two].map(({ baseUrl }, i) => ({
          ...{ name: models[i]?.slice(0, -2), kind, models: ['m'] },
          baseUrl: new URL(baseUrl).origin,
        })),
        [{ name: 'fast', models }],
      );
      const reply = await call(gateway, path, { model: 'fast', ...body });
      assert.equal(reply.status, bound ? 429 : 200, JSON.stringify(body));
      assert.equal(asked(two).length, bound ? 0 : 1);
      await gateway.stop();
    }
  });

  it('asks the next model where a request cannot be converted for the first', async () => {
    const [one, two] = [await fine(), await fine()];
    const gateway = await gatewayWith(
      [named('one', one.baseUrl, { formats: ['messages'] }), named('two', two.baseUrl)],
      [{ name: 'fast', models }],
    );
    const reply = await chat(gateway, { seed: 5 });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-gateway-model'), 'two/m');
    assert.equal(asked(one).length, 0);
  });

  it('is listed with what its models have in common, goes before their ids, and may name hidden ones', async () => {
    const [one, two] = [await fine(), await fine()];
    const gateway = await gatewayWith(
      [named('one', one.baseUrl, { hide: ['m'] }), named('two', two.baseUrl)],
      [
        { name: 'm', models: ['one/m'] },
        { name: 'fast', models },
      ],
    );
    const { data } = (await (await getModels(gateway)).json()) as { data: object[] };
    const about = { object: 'model', created: 0, owned_by: '', context_length: 8 };
    assert.deepEqual(data, [
      { ...about, id: 'm', alias_of: ['one/m'] },
      { ...about, id: 'fast', alias_of: ['one/m', 'two/m'] },
      { ...about, id: 'two/m', upstream: 'two' },
    ]);
    assert.equal((await chat(gateway, { model: 'm' })).headers.get('x-upstream'), 'one');
    assert.equal((await chat(gateway, { model: 'one/m' })).status, 404);
  });

  it('is told in metrics and the access log with the model that answered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aliases-'));
    keepOpen({ stop: () => rmSync(folder, { recursive: true }) });
    const file = join(folder, 'access.log');
    const two = await fine();
    const gateway = await gatewayWith(
      [named('one', nobody, { models: ['m'] }), named('two', two.baseUrl)],
      [{ name: 'fast', models }],
      ['--access-log', file],
    );
    await (await chat(gateway)).text();
    const headers = { authorization: `Bearer ${gateway.credential}` };
    const metrics = await (await fetch(`${gateway.baseUrl}/metrics`, { headers })).text();
    assert.match(metrics, /requests_total\{model="two\/m",upstream="two",.*status="200"\} 1/);
    await gateway.stop();
    const [line = ''] = readFileSync(file, 'utf8').split('\n');
    const { model, upstream, alias, passed_over } = JSON.parse(line);
    assert.deepEqual([model, upstream, alias, passed_over], ['two/m', 'two', 'fast', ['one/m (not sent)']]);
  });
});
