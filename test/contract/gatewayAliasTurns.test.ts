import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getModels } from '../support/chatCompletionsCalls.ts';
import { waitForLog } from '../support/gatewayControl.ts';
import { runGateway, startGateway, writeConfig } from '../support/gatewayProcess.ts';
import type { ScriptedUpstream } from '../support/scriptedUpstream.ts';
import {
  listRequestedModels,
  models,
  postJson,
  sendChat,
  setUpAliases,
  unreachableUrl,
} from '../support/testAliases.ts';
import { createUpstreamConfig } from '../support/testUpstreams.ts';

describe('an alias for several models of the local gateway', function () {
  this.timeout(30_000);
  const { startWorkingUpstream, startFailingUpstream, startGatewayWith, stopAfterTest } = setUpAliases();

  it('continues with its turn when the configuration changes', async () => {
    const [one, two] = [await startWorkingUpstream(), await startWorkingUpstream()];
    const turns = { name: 'fast', models, strategy: 'round-robin' };
    const config = (more: readonly object[]) => ({
      upstreams: [createUpstreamConfig('one', one.baseUrl), createUpstreamConfig('two', two.baseUrl)],
      aliases: [...more, turns],
    });
    const file = writeConfig(config([]));
    stopAfterTest({ stop: () => file.remove() });
    const gateway = await startGateway({ demo: false, args: ['--config', file.path] });
    stopAfterTest(gateway);
    assert.equal((await sendChat(gateway)).headers.get('x-upstream'), 'one');
    file.write(config([{ name: 'new', models: ['one/m'] }]));
    await waitForLog(gateway, /was read again/);
    assert.equal((await sendChat(gateway)).headers.get('x-upstream'), 'two');
    assert.equal((await sendChat(gateway, { model: 'new' })).headers.get('x-upstream'), 'one');
  });

  it('can be allowed to a credential that may not use its models', async () => {
    const one = await startWorkingUpstream();
    const credential = 'a-credential-of-another-program';
    const sha256 = createHash('sha256').update(credential).digest('hex');
    const gateway = await startGateway({
      demo: false,
      config: {
        upstreams: [createUpstreamConfig('one', one.baseUrl)],
        aliases: [
          { name: 'fast', models: ['one/m'] },
          { name: 'secret', models: ['one/m'] },
        ],
        credentials: [{ name: 'aliased', sha256, models: ['fast'] }],
      },
    });
    stopAfterTest(gateway);
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
      assert.equal((await sendChat(other, { model })).status, expected, model);
  });

  it('is checked by --check, which reports models that no upstream lists', async () => {
    const one = await startWorkingUpstream();
    const file = writeConfig({
      upstreams: [createUpstreamConfig('one', one.baseUrl, { hide: ['m'] })],
      aliases: [{ name: 'fast', models: ['one/m', 'one/other'], strategy: 'round-robin' }],
    });
    stopAfterTest({ stop: () => file.remove() });
    const check = runGateway(['--check', '--config', file.path]);
    const output: Buffer[] = [];
    check.stdout?.on('data', (bytes) => output.push(bytes));
    const [code] = await once(check, 'close');
    assert.equal(code, 0);
    const text = Buffer.concat(output).toString();
    assert.match(text, /upstream one \(.*\): 0 models, 1 not shown\n/);
    assert.match(text, /alias fast \(round-robin\): one\/m, one\/other\n/);
    assert.match(text, /alias fast: no upstream lists one\/other\. Requests for it are sent anyway/);
  });

  it('requests each model in turn or by weight, and token counts do not affect the order', async () => {
    const [one, two] = [await startWorkingUpstream(), await startWorkingUpstream()];
    const gateway = await startGatewayWith(
      [
        createUpstreamConfig('one', one.baseUrl, { formats: ['messages'] }),
        createUpstreamConfig('two', two.baseUrl, { formats: ['messages'] }),
      ],
      [
        { name: 'turns', models, strategy: 'round-robin' },
        { name: 'weights', models, strategy: 'weighted', weights: { 'one/m': 2 } },
      ],
    );
    const order = async (alias: string, count: number) => {
      const names: unknown[] = [];
      for (let i = 0; i < count; i++) {
        await postJson(gateway, '/v1/messages/count_tokens', { model: alias, messages: [] });
        const reply = await postJson(gateway, '/v1/messages', { model: alias, max_tokens: 1, messages: [] });
        names.push(reply.headers.get('x-upstream'));
      }
      return names;
    };
    assert.deepEqual(await order('turns', 4), ['one', 'two', 'one', 'two']);
    assert.deepEqual(await order('weights', 6), ['one', 'two', 'one', 'one', 'two', 'one']);
  });

  it('F69 creates a task at one model only, and moves to the next turn once per task', async () => {
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
    const pairs = await Promise.all(
      kinds.map(() =>
        Promise.all([startFailingUpstream(429, { 'retry-after': '0' }), startFailingUpstream(503)]),
      ),
    );
    const rules = { strategy: 'round-robin', nextOnServerError: true, nextAfterSeconds: 5 };
    const gateway = await startGatewayWith(
      pairs.flatMap((pair, i) => createPair(pair, i, kinds[i]?.[0])),
      pairs.map((_, i) => ({ ...createAlias(i), ...rules })),
    );
    for (const [i, [kind, path, body, headers]] of kinds.entries()) {
      for (const expected of [
        [1, 0],
        [1, 1],
        [2, 1],
      ]) {
        const reply = await postJson(gateway, path, { model: `fast-${i}`, ...body }, headers);
        assert.ok(reply.status >= 424, `${kind} ${reply.status}`);
        await reply.text();
        assert.deepEqual(
          pairs[i]?.map((upstream) => listRequestedModels(upstream).length),
          expected,
          kind,
        );
      }
    }
  });

  it('requests one model only for a video and for the continuation of an earlier reply', async () => {
    const bodies: readonly (readonly [kind: string, path: string, body: object, bound: boolean])[] = [
      ['responses', '/v1/responses', { input: 'x', previous_response_id: 'resp_1' }, true],
      ['responses', '/v1/responses', { input: 'x', previous_response_id: null }, false],
      ['interactions', '/v1beta/interactions', { input: 'x', previous_interaction_id: 'i_1' }, true],
      ['interactions', '/v1beta/interactions', { input: 'x', response_format: { type: 'video' } }, true],
      ['interactions', '/v1beta/interactions', { input: 'x' }, false],
    ];
    const pairs = await Promise.all(
      bodies.map(() => Promise.all([startFailingUpstream(429), startWorkingUpstream()])),
    );
    const gateway = await startGatewayWith(
      pairs.flatMap((pair, i) => createPair(pair, i, bodies[i]?.[0])),
      pairs.map((_, i) => createAlias(i)),
    );
    for (const [i, [, path, body, bound]] of bodies.entries()) {
      const reply = await postJson(gateway, path, { model: `fast-${i}`, ...body });
      assert.equal(reply.status, bound ? 429 : 200, JSON.stringify(body));
      const [, two] = pairs[i] ?? [];
      assert.equal(two && listRequestedModels(two).length, bound ? 0 : 1);
    }
  });

  it('is listed with the common fields of its models, has priority over model ids, and may use hidden models', async () => {
    const [one, two] = [await startWorkingUpstream(), await startWorkingUpstream()];
    const gateway = await startGatewayWith(
      [createUpstreamConfig('one', one.baseUrl, { hide: ['m'] }), createUpstreamConfig('two', two.baseUrl)],
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
    assert.equal((await sendChat(gateway, { model: 'm' })).headers.get('x-upstream'), 'one');
    assert.equal((await sendChat(gateway, { model: 'one/m' })).status, 404);
  });

  it('is reported in metrics and the access log together with the model that replied', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aliases-'));
    stopAfterTest({ stop: () => rmSync(folder, { recursive: true }) });
    const file = join(folder, 'access.log');
    const two = await startWorkingUpstream();
    const gateway = await startGatewayWith(
      [
        createUpstreamConfig('one', unreachableUrl, { models: ['m'] }),
        createUpstreamConfig('two', two.baseUrl),
      ],
      [{ name: 'fast', models }],
      ['--access-log', file],
    );
    await (await sendChat(gateway)).text();
    const headers = { authorization: `Bearer ${gateway.credential}` };
    const metrics = await (await fetch(`${gateway.baseUrl}/metrics`, { headers })).text();
    assert.match(metrics, /requests_total\{model="two\/m",upstream="two",.*status="200"\} 1/);
    await gateway.stop();
    const [line = ''] = readFileSync(file, 'utf8').split('\n');
    const { model, upstream, alias, skipped_models } = JSON.parse(line);
    assert.deepEqual(
      [model, upstream, alias, skipped_models],
      ['two/m', 'two', 'fast', ['one/m (not sent)']],
    );
  });
});

/** Upstreams of one kind, for a separate alias. */
function createPair(pair: readonly ScriptedUpstream[], nth: number, kind = ''): readonly object[] {
  return pair.map(({ baseUrl }, i) => ({
    name: `${i === 0 ? 'one' : 'two'}-${nth}`,
    kind,
    baseUrl: new URL(baseUrl).origin,
    models: ['m'],
  }));
}

function createAlias(nth: number): { readonly name: string; readonly models: readonly string[] } {
  return { name: `fast-${nth}`, models: [`one-${nth}/m`, `two-${nth}/m`] };
}
