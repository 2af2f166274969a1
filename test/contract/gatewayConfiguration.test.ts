import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChatBody, getModels, postChat } from '../support/chatCompletionsCalls.ts';
import { connectControl, waitForLog } from '../support/gatewayControl.ts';
import { type RunningGateway, runGateway, startGateway, writeConfig } from '../support/gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';

describe('the configuration of the local gateway', function () {
  this.timeout(60_000);
  const open: { stop(): unknown }[] = [];
  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await opened.stop();
  });

  async function startUpstreamWith(
    models: readonly string[],
    chat: (res: ServerResponse) => void = (res) => res.end('{}'),
  ): Promise<ScriptedUpstream> {
    const upstream = await startUpstream(({ path }, res) => {
      if (path === '/v1/models') res.end(JSON.stringify({ data: models.map((id) => ({ id })) }));
      else chat(res);
    });
    open.push({ stop: () => upstream.close() });
    return upstream;
  }

  const createConfig = (name: string, { baseUrl }: ScriptedUpstream, more: object = {}) => ({
    name,
    kind: 'openai-compatible',
    baseUrl,
    ...more,
  });

  function writeConfigFile(content: object) {
    const config = writeConfig(content);
    open.push({ stop: () => config.remove() });
    return config.path;
  }

  async function startWith(config: string): Promise<RunningGateway> {
    const gateway = await startGateway({ demo: false, args: ['--config', config] });
    open.push(gateway);
    return gateway;
  }

  async function listIds(gateway: RunningGateway): Promise<readonly string[]> {
    const { data } = (await (await getModels(gateway)).json()) as { data: readonly { id: string }[] };
    return data.map(({ id }) => id);
  }

  /** Atomic, as editors save. */
  function save(path: string, content: object | string): void {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }

  it('is read again when the file changes, without ending open streams', async () => {
    const waiting = Promise.withResolvers<ServerResponse>();
    const first = await startUpstreamWith(['one'], (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"n":1}\n\n');
      waiting.resolve(res);
    });
    const second = await startUpstreamWith(['two']);
    const path = writeConfigFile({ upstreams: [createConfig('first', first)] });
    const gateway = await startWith(path);
    assert.deepEqual(await listIds(gateway), ['one']);
    const streaming = await postChat(gateway, { body: createChatBody('hi', { model: 'one', stream: true }) });
    const upstreamReply = await waiting.promise;

    save(path, { upstreams: [createConfig('second', second)] });
    await waitForLog(gateway, /was read again/);
    assert.deepEqual(await listIds(gateway), ['two']);
    upstreamReply.end('data: [DONE]\n\n');
    assert.equal(await streaming.text(), 'data: {"n":1}\n\ndata: [DONE]\n\n');
  });

  it('stays in effect while the file is broken, and the error is logged with line and column', async () => {
    const upstream = await startUpstreamWith(['one']);
    const path = writeConfigFile({ upstreams: [createConfig('first', upstream)] });
    const gateway = await startWith(path);
    save(path, '{\n  "upstreams": [],\n  "prot": 1\n}');
    await waitForLog(gateway, /The previous configuration stays in use/);
    assert.match(gateway.stderr(), /gateway\.json:3:3 prot: there is no such field; did you mean "port"\?/);
    assert.deepEqual(await listIds(gateway), ['one']);
    save(path, { upstreams: [createConfig('first', upstream, { models: ['other'] })] });
    await waitForLog(gateway, /was read again/);
    assert.deepEqual(await listIds(gateway), ['other']);
  });

  it('is read again on SIGHUP', async () => {
    if (process.platform === 'win32') return;
    const upstream = await startUpstreamWith(['one']);
    const gateway = await startWith(writeConfigFile({ upstreams: [createConfig('first', upstream)] }));
    gateway.process.kill('SIGHUP');
    await waitForLog(gateway, /was read again/);
  });

  it('can limit a credential to some models and a number of requests per minute', async () => {
    const upstream = await startUpstreamWith(['small', 'large']);
    const hash = (credential: string) => createHash('sha256').update(credential).digest('hex');
    const credentials = [
      { name: 'ci', sha256: hash('canary-credential-ci'), models: ['sm*'], requestsPerMinute: 5 },
    ];
    const gateway = await startWith(
      writeConfigFile({ upstreams: [createConfig('first', upstream)], credentials }),
    );
    const ci = { ...gateway, credential: 'canary-credential-ci' };
    assert.deepEqual(await listIds(ci), ['small']);
    assert.deepEqual(await listIds(gateway), ['small', 'large']);
    const read = (id: string) => {
      const headers = { authorization: `Bearer ${ci.credential}` };
      return fetch(`${gateway.baseUrl}/v1/models/${id}`, { headers });
    };
    assert.deepEqual([(await read('small')).status, (await read('large')).status], [200, 404]);
    const refused = await postChat(ci, { body: createChatBody('hi', { model: 'large' }) });
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /"code":"model_not_allowed"/);
    // Some providers use these models in place of the first one.
    for (const further of [{ models: ['small', 'large'] }, { fallbacks: [{ model: 'large' }] }]) {
      const reply = await postChat(ci, { body: { ...createChatBody('hi', { model: 'small' }), ...further } });
      assert.equal(reply.status, 403);
      assert.match(await reply.text(), /the model \\"large\\"/);
    }
    const many = { model: 'small,large' };
    assert.equal((await postChat(ci, { body: createChatBody('hi', many) })).status, 403);
    const repeated = '{"Model":null,"model":"large","messages":[],"model":"small"}';
    assert.equal((await postChat(ci, { body: repeated, headers: { 'x-model': 'large' } })).status, 200);
    const last = upstream.requests.at(-1);
    assert.equal(last?.body.toString(), '{"model":"small","messages":[]}');
    assert.equal(last?.headers['x-model'], undefined);
    const limited = await postChat(ci, { body: createChatBody('hi', { model: 'small' }) });
    assert.equal(limited.status, 429);
    assert.ok(Number(limited.headers.get('retry-after')) > 30);
    assert.match(await limited.text(), /5 requests a minute/);
    assert.equal((await postChat(gateway, { body: createChatBody('hi', { model: 'large' }) })).status, 200);
    const metrics = await fetch(`${gateway.baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${ci.credential}` },
    });
    assert.equal(metrics.status, 403);
    assert.doesNotMatch(gateway.stderr(), /canary/);
  });

  it('P13 lets a credential expire: its requests get 401 with the reason in the format of their route', async () => {
    const upstream = await startUpstreamWith(['small']);
    const hash = (name: string) => createHash('sha256').update(`canary-credential-${name}`).digest('hex');
    const file = writeConfigFile({
      upstreams: [createConfig('first', upstream)],
      credentials: [
        { name: 'past', sha256: hash('past'), expires: '2020-01-31' },
        { name: 'valid', sha256: hash('valid'), expires: '2999-12-31' },
      ],
    });
    const gateway = await startWith(file);
    const as = (name: string) => ({ ...gateway, credential: `canary-credential-${name}` });
    const chat = (name: string) => postChat(as(name), { body: createChatBody('hi', { model: 'small' }) });
    assert.equal((await chat('valid')).status, 200);
    const past = await chat('past');
    assert.equal(past.status, 401);
    const { error } = (await past.json()) as { error: { code: string; message: string } };
    assert.equal(error.code, 'credential_expired');
    assert.match(error.message, /^This credential .* expired on 2020-02-01T00:00:00\.000Z\. Ask the user/);
    const messages = await fetch(`${gateway.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'canary-credential-past', 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(messages.status, 401);
    assert.match(
      await messages.text(),
      /"type":"authentication_error","message":"This credential .* expired/,
    );
    // A guess does not learn which credentials exist.
    assert.doesNotMatch(await (await chat('unknown')).text(), /expired/);
    const { text } = await runCheck(['--check', '--trust', '--config', file]);
    assert.match(
      text,
      /gateway\.json:1:\d+ credentials\[0\]\.expires: credential past expired \(2020-01-31\)/,
    );
    assert.doesNotMatch(text, /credential valid expired/);
  });

  it('T3 does not let a credential for an alias name the model that has the same id', async () => {
    const upstream = await startUpstreamWith(['cheap', 'dear']);
    const sha256 = createHash('sha256').update('canary-credential-ci').digest('hex');
    const config = writeConfigFile({
      upstreams: [createConfig('up', upstream, { formats: ['chatCompletions', 'messages'] })],
      aliases: [{ name: 'dear', models: ['up/cheap'] }],
      credentials: [{ name: 'ci', sha256, models: ['dear', 'cheap'] }],
    });
    const ci = { ...(await startWith(config)), credential: 'canary-credential-ci' };
    const tool = (model: string) => ({ tools: [{ type: 'image_generation', model }] });
    const body = (more: object) => ({ ...createChatBody('hi', { model: 'dear' }), ...more });
    for (const more of [tool('dear'), { models: ['dear'] }, { metadata: { model_group: 'dear' } }])
      assert.equal((await postChat(ci, { body: body(more) })).status, 403, JSON.stringify(more));
    const counted = await fetch(`${ci.baseUrl}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ci.credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(body({ fallbacks: [{ model: 'dear' }] })),
    });
    assert.equal(counted.status, 403);
    assert.ok(upstream.requests.every(({ method }) => method === 'GET'));
    assert.equal((await postChat(ci, { body: body(tool('cheap')) })).status, 200);
    assert.deepEqual(JSON.parse(String(upstream.requests.at(-1)?.body)), {
      ...body(tool('cheap')),
      model: 'cheap',
    });
  });

  async function runCheck(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = runGateway(args, { env });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        text += chunk;
      });
    const [code] = await once(child, 'close');
    return { code, text };
  }

  it('is checked by --check, which lists each upstream with its models or the reason for its failure', async () => {
    const check = (content: object) => runCheck(['--check', '--trust', '--config', writeConfigFile(content)]);
    const upstream = await startUpstreamWith(['one', 'two']);
    const fine = await check({ upstreams: [createConfig('first', upstream)] });
    assert.equal(fine.code, 0, fine.text);
    assert.match(fine.text, /upstream first \(openai-compatible, http:.*\): 2 models: one, two/);

    const refused = await startUpstream((_request, res) => res.writeHead(401).end('{}'));
    open.push({ stop: () => refused.close() });
    const failing = await check({
      upstreams: [
        createConfig('first', upstream),
        createConfig('second', refused),
        createConfig('third', upstream, { keyEnv: 'NOT_SET_ANYWHERE' }),
      ],
    });
    assert.equal(failing.code, 1);
    assert.match(failing.text, /upstream first .*2 models/);
    assert.match(failing.text, /gateway\.json:1:\d+ upstreams\[1\]: upstream second .* failed/);
    assert.match(failing.text, /upstream third .*NOT_SET_ANYWHERE is not set/);

    const broken = await check({ upstreams: [{ name: 'first' }] });
    assert.equal(broken.code, 2);
    assert.match(
      broken.text,
      /gateway\.json:1:\d+ upstreams\[0\]\.baseUrl: expected a string; it is missing/,
    );
  });

  it('T3 P1 does not send a key to a changed address or run a changed command before the user consents', async () => {
    const [first, second] = [await startUpstreamWith(['one']), await startUpstreamWith(['two'])];
    const path = writeConfigFile({ upstreams: [createConfig('up', first, { keyEnv: 'TEST_KEY' })] });
    const args = ['--config', path];
    const state = mkdtempSync(join(tmpdir(), 'gateway-state-'));
    open.push({ stop: () => rmSync(state, { recursive: true }) });
    const env = { TEST_KEY: 'canary-key-1', OTHER_SECRET: 'canary-key-2' };
    // A file that is named for the first time may have come in an archive.
    const untrusted = await startGateway({ demo: false, args, state, env });
    assert.equal((await getModels(untrusted)).status, 424);
    assert.equal(first.requests.length, 0);
    await untrusted.stop();
    const gateway = await startGateway({ demo: false, args: [...args, '--trust'], state, env });
    open.push(gateway);
    assert.deepEqual(await listIds(gateway), ['one']);
    assert.equal(first.requests.at(-1)?.headers.authorization, 'Bearer canary-key-1');
    const control = await connectControl(gateway);
    open.push({ stop: () => control.dispose() });
    const requestCount = first.requests.length;
    for (const [upstream, change, words] of [
      [second, { keyEnv: 'TEST_KEY' }, /the key in the environment variable TEST_KEY is sent to http/],
      [first, { keyEnv: 'OTHER_SECRET' }, /the key in the environment variable OTHER_SECRET is sent/],
      [
        first,
        { keyCommand: `touch '${join(state, 'ran')}'; echo canary-key-3` },
        /the key that its keyCommand prints/,
      ],
      [first, { keyFile: path }, /the key in the file ".*gateway\.json" is sent to/],
      [
        first,
        { headers: { 'x-target-url': 'https://other.example' }, keyEnv: 'TEST_KEY' },
        /is sent to http.* with the headers \["x-target-url"\]/,
      ],
      [
        { ...first, baseUrl: `${first.baseUrl}/tenant-of-others` },
        { keyEnv: 'TEST_KEY' },
        /is sent to http.*\/v1\/tenant-of-others/,
      ],
    ] as const) {
      save(path, { upstreams: [createConfig('up', upstream, change)] });
      await control.reload();
      const refused = await postChat(gateway, { body: createChatBody('hi', { model: 'up/one' }) });
      assert.equal(refused.status, 424);
      const text = JSON.parse(await refused.text()).error.message;
      assert.match(text, /it waits for the consent of the user who runs this gateway/);
      await waitForLog(gateway, words);
      const [shown] = (await control.readStatus()).upstreams;
      assert.deepEqual(shown?.waitsFor, { addresses: [upstream.baseUrl], ...change });
    }
    assert.deepEqual([first.requests.length, second.requests.length], [requestCount, 0]);
    assert.equal(existsSync(join(state, 'ran')), false);
    assert.match(gateway.stderr(), /upstream 'up' is not used: it waits for your consent/);
    // A window allows exactly the configuration that it showed.
    const change = { keyEnv: 'TEST_KEY' };
    save(path, { upstreams: [createConfig('up', second, change)] });
    await control.reload();
    await control.reportConsent({ addresses: [second.baseUrl], ...change });
    assert.deepEqual(await listIds(gateway), ['two']);
    assert.equal(second.requests.at(-1)?.headers.authorization, 'Bearer canary-key-1');
    assert.equal((await control.readStatus()).upstreams[0]?.waitsFor, undefined);
    // The consent is permanent, and a restart does not allow later changes.
    await gateway.stop();
    save(path, {
      upstreams: [createConfig('up', second, change), createConfig('new', first, { keyEnv: 'OTHER_SECRET' })],
    });
    const again = await startGateway({ demo: false, args, state, env });
    assert.deepEqual(await listIds(again), ['two']);
    const waiting = await runCheck(['--check', '--config', path, '--state', state], env);
    assert.equal(waiting.code, 1);
    assert.match(
      waiting.text,
      /upstreams\[1\]: upstream new .* waits for your consent .* Allow it with --trust/,
    );
    assert.equal(first.requests.length, requestCount);
    const trusted = await runCheck(['--check', '--trust', '--config', path, '--state', state], env);
    assert.equal(trusted.code, 0, trusted.text);
    assert.deepEqual(await listIds(again), ['two', 'one']);
    await again.stop();
    assert.doesNotMatch(gateway.stderr() + again.stderr(), /canary/);
  });

  it('reports to windows a changed port that takes effect at the next start', async () => {
    const upstreams = [createConfig('first', await startUpstreamWith(['one']))];
    const path = writeConfigFile({ upstreams });
    const gateway = await startWith(path);
    const control = await connectControl(gateway);
    const waiting = async () => {
      await control.reload();
      return (await control.readStatus()).waitingPort;
    };
    assert.equal(await waiting(), undefined);
    save(path, { upstreams, port: 21_000 });
    assert.equal(await waiting(), 21_000);
    save(path, { upstreams });
    assert.equal(await waiting(), undefined);
    control.dispose();
  });

  it('reports the position of a setting whose key is missing', async () => {
    const upstream = await startUpstreamWith(['one']);
    const path = writeConfigFile({
      upstreams: [createConfig('first', upstream, { keyEnv: 'NOT_SET_ANYWHERE' })],
    });
    const gateway = await startWith(path);
    assert.match(
      gateway.stderr(),
      /gateway\.json:1:\d+ upstreams\[0\]\.keyEnv: upstream 'first' cannot be used: the environment variable NOT_SET_ANYWHERE is not set/,
    );
  });
});
