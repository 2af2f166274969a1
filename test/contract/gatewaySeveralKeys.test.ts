import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChatBody, postChat } from '../support/chatCompletionsCalls.ts';
import { connectControl } from '../support/gatewayControl.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { sendCall } from '../support/gatewayTaskCalls.ts';
import type { ScriptedUpstream } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig, setUpUpstreams } from '../support/testUpstreams.ts';
import { createVideo, taskKinds } from '../support/upstreamTaskKinds.ts';

const values = {
  FIRST_KEY: 'canary-key-first-1',
  SPARE_KEY: 'canary-key-spare-2',
  LAST_KEY: 'canary-key-last-3',
};
const keys = [{ keyEnv: 'FIRST_KEY' }, { name: 'spare', keyEnv: 'SPARE_KEY' }, { keyEnv: 'LAST_KEY' }];
const json = { 'content-type': 'application/json' };
const good = '{"choices":[]}';

function createRefusal(status: number, code: string, headers: object = {}) {
  const body = JSON.stringify({ error: { message: 'Words', code } });
  return (res: ServerResponse) => void res.writeHead(status, { ...json, ...headers }).end(body);
}

describe('several keys of an upstream', function () {
  this.timeout(30_000);
  const { startScriptedUpstream, startGatewayFor, stopAfterTest } = setUpUpstreams();
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  /** How the upstream replies to each key. */
  let replies: Map<string, (res: ServerResponse) => void>;

  beforeEach(() => {
    replies = new Map();
  });

  async function start(fields: object = { keys }): Promise<void> {
    upstream = await startScriptedUpstream(({ headers }, res) => {
      const reply =
        replies.get(readKeyName(headers)) ??
        ((each: ServerResponse) => void each.writeHead(200, json).end(good));
      reply(res);
    });
    gateway = await startGatewayFor(
      [createUpstreamConfig('one', upstream.baseUrl, { models: ['m', 'other'], ...fields })],
      {
        env: values,
      },
    );
  }

  const chat = (model = 'one/m') => postChat(gateway, { body: createChatBody('hi', { model }) });
  const listSentKeys = () => upstream.requests.map(({ headers }) => readKeyName(headers));

  for (const [name, refuse] of [
    ['401', createRefusal(401, 'invalid_api_key')],
    ['402', createRefusal(402, 'payment_required')],
    ['429', createRefusal(429, 'rate_limit_exceeded')],
    ['the quota words of a 403', createRefusal(403, 'insufficient_user_quota')],
    ['a 400 that refuses the key', createRefusal(400, 'invalid_api_key')],
  ] as const) {
    it(`are used one after the other after ${name}, and a refused key rests`, async () => {
      await start();
      replies.set('first', refuse);
      replies.set('spare', refuse);
      assert.equal((await chat()).status, 200);
      assert.deepEqual(listSentKeys(), ['first', 'spare', 'last']);
      const [sent, again] = upstream.requests;
      assert.deepEqual(again?.body, sent?.body);
      await (await chat()).text();
      assert.deepEqual(listSentKeys().slice(3), ['last']);
    });
  }

  it('P5 are not tried in turn after a reply that may be billed', async () => {
    await start();
    for (const reply of [
      createRefusal(500, 'insufficient_quota'),
      createRefusal(503, 'rate_limit_exceeded'),
      createRefusal(408, 'insufficient_quota'),
      createRefusal(403, 'content_policy_violation'),
      createRefusal(400, 'invalid_value'),
      (res: ServerResponse) => void res.destroy(),
      (res: ServerResponse) => {
        res.writeHead(200, { ...json, 'content-length': '1000' }).write('{"choices"');
        setTimeout(() => res.destroy(), 20);
      },
    ]) {
      replies.set('first', reply);
      const before = upstream.requests.length;
      await chat('one/other').then(
        (each) => each.text(),
        () => '',
      );
      assert.equal(upstream.requests.length, before + 1);
    }
    assert.deepEqual(new Set(listSentKeys()), new Set(['first']));
  });

  it('do not rest after a 400 that repeats words of the caller', async () => {
    await start();
    for (const message of [
      `Invalid JSON payload received. Unknown name "API key not valid" at 'generation_config': Cannot find field.`,
      'credit balance is too low: Extra inputs are not permitted',
    ]) {
      const body = JSON.stringify({ error: { message, type: 'invalid_request_error' } });
      replies.set('first', (res) => void res.writeHead(400, json).end(body));
      const reply = await chat();
      assert.deepEqual([reply.status, await reply.text()], [400, body]);
      replies.clear();
      assert.equal((await chat()).status, 200);
    }
    assert.deepEqual(new Set(listSentKeys()), new Set(['first']));
  });

  it('P10 rest as long as the upstream requests, and only for the model of a rate limit', async () => {
    await start();
    for (const key of ['first', 'spare', 'last'])
      replies.set(
        key,
        createRefusal(429, 'rate_limit_exceeded', { 'retry-after': key === 'spare' ? '30' : '90' }),
      );
    const refused = await chat();
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30']);
    const unsent = await chat();
    assert.equal(unsent.status, 503);
    assert.equal(upstream.requests.length, 3);
    replies.clear();
    assert.equal((await chat('one/other')).status, 200);
    assert.deepEqual(listSentKeys().slice(3), ['first']);
  });

  it('P3 are shown by name in the log and in VS Code, and hidden in every echo', async () => {
    await start();
    const echo = JSON.stringify({ error: { message: `not ${values.FIRST_KEY}`, code: 'invalid_api_key' } });
    replies.set('first', (res) => void res.writeHead(401, json).end(echo));
    replies.set('spare', (res) => {
      const all = JSON.stringify({ choices: [], echo: Object.values(values).slice(0, 2) });
      res.writeHead(200, { ...json, 'x-echo': values.FIRST_KEY }).end(all);
    });
    const reply = await chat();
    const text = (await reply.text()) + JSON.stringify([...reply.headers]);
    assert.doesNotMatch(text, /canary-key/);
    const control = await connectControl(gateway);
    const { upstreams } = await control.readStatus();
    control.dispose();
    const [shown] = upstreams;
    assert.deepEqual(
      shown?.keys?.map(({ name, source, refused }) => [name, source, refused]),
      [
        ['$FIRST_KEY', 'environment', 401],
        ['spare', 'environment', undefined],
        ['$LAST_KEY', 'environment', undefined],
      ],
    );
    assert.match(
      gateway.stderr(),
      /upstream 'one' refused '\$FIRST_KEY' with 401, so this key is not used for 30 min/,
    );
    const logged = /200, .* by one with spare after \$FIRST_KEY \(401\)/;
    while (!logged.test(gateway.stderr())) await once(gateway.process.stderr ?? process.stderr, 'data');
    assert.doesNotMatch(gateway.stderr() + JSON.stringify(upstreams), /canary-key/);
  });

  it('are skipped if they cannot be read, and the last refusal is reported if all are refused', async () => {
    await start({ keys: [{ keyEnv: 'NOT_SET' }, { keyCommand: 'exit 3' }, { keyEnv: 'LAST_KEY' }] });
    assert.match(
      gateway.stderr(),
      /'\$NOT_SET' of upstream 'one' cannot be used: the environment variable NOT_SET/,
    );
    replies.set('last', createRefusal(401, 'invalid_api_key'));
    const { error } = (await (await chat()).json()) as { error: { message: string; code: string } };
    assert.equal(error.code, 'upstream_credential');
    assert.match(error.message, /in the environment variable LAST_KEY, is wrong/);
    assert.deepEqual(listSentKeys(), ['last']);
  });

  const [kind] = taskKinds.filter(({ name }) => /responses/.test(name));
  for (const isRestarted of [false, true])
    it(`read a task with the key that created it${isRestarted ? ', also after a restart' : ''}`, async () => {
      const requests: string[] = [];
      let refuseFirst = true;
      const tasks = await startScriptedUpstream(({ method, path, headers }, res) => {
        const key = readKeyName(headers);
        requests.push(`${method} ${path} ${key}`);
        if (refuseFirst && key === 'first') return createRefusal(429, 'rate_limit_exceeded')(res);
        if (key !== 'spare') return createRefusal(404, 'not_found')(res);
        const record = path.endsWith('/cancel') ? kind?.cancelled : kind?.running;
        res.writeHead(200, json).end(JSON.stringify(record));
      });
      const state = mkdtempSync(join(tmpdir(), 'gateway-keys-'));
      const baseUrl = tasks.baseUrl.replace(/\/v1$/, '');
      const config = { upstreams: [{ name: 'one', kind: 'responses', baseUrl, models: ['m'], keys }] };
      const start = async () => {
        gateway = await startGateway({ demo: false, config, state, env: values });
        stopAfterTest(gateway);
      };
      await start();
      const creation = await sendCall(gateway, { path: '/v1/responses', body: kind?.body ?? {} });
      const { id } = creation.json;
      refuseFirst = false;
      if (isRestarted) {
        await gateway.stop();
        await start();
      }
      await sendCall(gateway, { path: `/v1/tasks/${id}` });
      await sendCall(gateway, { path: `/v1/responses/${id}/input_items` });
      const next = { model: 'm', input: 'And?', previous_response_id: id };
      await sendCall(gateway, { path: '/v1/responses', body: next });
      await sendCall(gateway, { path: `/v1/responses/${id}/cancel`, method: 'POST' });
      await sendCall(gateway, { path: `/v1/responses/${id}`, method: 'DELETE' });
      const [, created, ...later] = requests;
      assert.match(created ?? '', / spare$/);
      assert.ok(later.length >= 5);
      assert.deepEqual(
        later.filter((each) => !each.endsWith(' spare')),
        [],
      );
      await gateway.stop();
      rmSync(state, { recursive: true, force: true });
    });

  it('read a task with an unnamed key that created it, also after another key was inserted before it', async () => {
    const requests: string[] = [];
    const tasks = await startScriptedUpstream(({ headers }, res) => {
      requests.push(readKeyName(headers));
      res.writeHead(200, json).end(JSON.stringify(kind?.running));
    });
    const state = mkdtempSync(join(tmpdir(), 'gateway-keys-'));
    const createConfig = (listed: readonly object[]) => ({
      name: 'one',
      kind: 'responses',
      baseUrl: tasks.baseUrl.replace(/\/v1$/, ''),
      models: ['m'],
      keys: listed,
    });
    const start = async (listed: readonly object[]) => {
      const config = { upstreams: [createConfig(listed)] };
      gateway = await startGateway({ demo: false, config, state, env: values });
      stopAfterTest(gateway);
    };
    const [own, other] = [{ keyEnv: 'FIRST_KEY' }, { keyEnv: 'SPARE_KEY' }];
    await start([own, other]);
    const { id } = (await sendCall(gateway, { path: '/v1/responses', body: kind?.body ?? {} })).json;
    await gateway.stop();
    await start([other, own]);
    await sendCall(gateway, { path: `/v1/responses/${id}/input_items` });
    assert.deepEqual([...new Set(requests)], ['first']);
    await gateway.stop();
    rmSync(state, { recursive: true, force: true });
  });

  it('remix and download a video with the key that created it', async () => {
    const requests: string[] = [];
    const videos = await startScriptedUpstream(({ method, path, headers }, res) => {
      const key = readKeyName(headers);
      requests.push(`${method} ${path} ${key}`);
      if (key === 'first') return createRefusal(402, 'payment_required')(res);
      if (path.endsWith('/content'))
        return void res.writeHead(200, { 'content-type': 'video/mp4' }).end('clip');
      res.writeHead(200, json).end(JSON.stringify(createVideo(method === 'POST' ? 'queued' : 'completed')));
    });
    gateway = await startGatewayFor(
      [{ name: 'one', kind: 'videos', baseUrl: videos.baseUrl.replace(/\/v1$/, ''), models: ['m'], keys }],
      {
        env: values,
      },
    );
    const { id } = (await sendCall(gateway, { path: '/v1/videos', body: { model: 'm', prompt: 'A cat' } }))
      .json;
    assert.equal((await sendCall(gateway, { path: `/v1/videos/${id}` })).json.status, 'completed');
    assert.equal((await sendCall(gateway, { path: `/v1/videos/${id}/content` })).bytes.toString(), 'clip');
    await sendCall(gateway, { path: `/v1/videos/${id}/remix`, body: { prompt: 'A dog' } });
    assert.deepEqual(
      requests.filter((each) => !each.endsWith(' spare')),
      ['POST /v1/videos first'],
    );
    assert.ok(requests.some((each) => each.includes('/remix')));
  });
});

/** The short name of the key in a request. */
function readKeyName({ authorization = '' }: IncomingMessage['headers']): string {
  return /canary-key-(\w+)-\d/.exec(authorization)?.[1] ?? authorization;
}
