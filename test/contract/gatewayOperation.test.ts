import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChatBody, getModels, postChat } from '../support/chatCompletionsCalls.ts';
import { connectControl, waitForLog } from '../support/gatewayControl.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { exchangeRaw } from '../support/rawExchange.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';

const canary = 'canary-upstream-key';
/** A credential of the configuration, whose value the gateway does not store. */
const configuredCredential = 'canary-named-credential';

interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

describe('the local gateway in operation', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'access-log-'));
  const accessLog = join(folder, 'access.jsonl');
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;

  before(async () => {
    upstream = await startUpstream(({ path, body }, res) => {
      if (path === '/v1/models') return res.end('{"data":[{"id":"m"}]}');
      if (body.toString().includes('fail')) return res.writeHead(500).end('{"error":{"message":"broken"}}');
      return res
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"id":"1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}');
    });
    gateway = await startGateway({
      config: {
        upstreams: [
          { name: 'one', kind: 'openai-compatible', baseUrl: upstream.baseUrl, keyEnv: 'CANARY_KEY' },
        ],
        credentials: [
          { name: 'ci', sha256: createHash('sha256').update(configuredCredential).digest('hex') },
        ],
      },
      env: { CANARY_KEY: canary },
      args: ['--access-log', accessLog],
    });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
    rmSync(folder, { recursive: true });
  });

  /** The lines of the access log, once there is one for each of these requests. */
  async function waitForLines(...ids: readonly string[]): Promise<readonly Record<string, unknown>[]> {
    const control = await connectControl(gateway);
    for (;;) {
      // A moved file is created again a moment later.
      const text = existsSync(accessLog) ? readFileSync(accessLog, 'utf8') : '';
      const lines = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
      const found = ids.map((id) => lines.find(({ request_id }) => request_id === id));
      if (found.every((line) => line !== undefined)) {
        control.dispose();
        return found;
      }
      // A round trip, during which the gateway writes its pending data.
      await control.readStatus();
    }
  }

  it('T26 replies to /healthz without a credential, with its name and state only', async () => {
    const reply = await fetch(`${gateway.baseUrl}/healthz`);
    assert.equal(reply.status, 200);
    assert.deepEqual(await reply.json(), { status: 'ok', service: 'model-gateway' });
    assert.equal(reply.headers.get('access-control-allow-origin'), null);
    const port = Number(new URL(gateway.baseUrl).port);
    const other = await exchangeRaw(port, `GET /healthz HTTP/1.1\r\nHost: page.example:${port}\r\n\r\n`);
    assert.equal(other.status, 421);
  });

  it('reports counts of requests, errors, times and tokens by model and upstream', async () => {
    for (const prompt of ['hi', 'hi', 'fail']) {
      await (await postChat(gateway, { body: createChatBody(prompt, { model: 'm' }) })).text();
    }
    const metrics = (headers = {}) => fetch(`${gateway.baseUrl}/metrics`, { headers });
    assert.equal((await metrics()).status, 401);
    const reply = await metrics({ authorization: `Bearer ${gateway.credential}` });
    assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    const text = await reply.text();
    const about = 'model="m",upstream="one"';
    for (const line of [
      `model_gateway_requests_total{${about},route="/v1/chat/completions",status="200"} 2`,
      `model_gateway_requests_total{${about},route="/v1/chat/completions",status="500"} 1`,
      `model_gateway_request_errors_total{${about},reason="500"} 1`,
      `model_gateway_request_duration_seconds_count{${about}} 3`,
      `model_gateway_tokens_total{${about},direction="input"} 10`,
      `model_gateway_tokens_total{${about},direction="output"} 14`,
      'model_gateway_open_requests 1',
    ]) {
      assert.ok(text.includes(`${line}\n`), `${line}\n\n${text}`);
    }
  });

  it('appends a JSON line for each request to an access log that only the user can read', async () => {
    const headers = { 'x-request-id': 'trace-1' };
    await (await postChat(gateway, { body: createChatBody('hi', { model: 'm' }), headers })).text();
    const [line] = await waitForLines('trace-1');
    const { time, ms, first_byte_ms, bytes, ...facts } = line ?? {};
    assert.deepEqual(facts, {
      method: 'POST',
      route: '/v1/chat/completions',
      status: 200,
      model: 'm',
      upstream: 'one',
      request_id: 'trace-1',
      input_tokens: 5,
      output_tokens: 7,
    });
    assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 60_000);
    assert.ok(Number(ms) >= Number(first_byte_ms) && Number(bytes) > 0);
    assert.equal(statSync(accessLog).mode & 0o777, 0o600);
  });

  it('reopens the access log on SIGHUP, after it was moved', async () => {
    if (process.platform === 'win32') return;
    renameSync(accessLog, `${accessLog}.1`);
    gateway.process.kill('SIGHUP');
    await waitForLog(gateway, /was read again/);
    await (await getModels(gateway, { 'x-request-id': 'trace-2' })).text();
    assert.equal((await waitForLines('trace-2')).length, 1);
  });

  it('T21 T25 does not write secrets of any part of a request to its log, output or metrics', async () => {
    const { credential, baseUrl } = gateway;
    const secrets = [credential, canary];
    const everywhere: readonly Sent[] = secrets.flatMap((secret, i): readonly Sent[] => [
      { path: `/v1/models?key=${secret}`, headers: { authorization: `Bearer ${credential}` } },
      { path: `/v1/models/${secret}`, headers: { authorization: `Bearer ${credential}` } },
      { path: `/${secret}`, headers: { authorization: `Bearer ${credential}`, 'x-request-id': `a-${i}` } },
      { path: '/v1/models', headers: { authorization: `Bearer ${secret}x` } },
      { path: '/v1/models', headers: { authorization: 'Bearer wrong', 'x-request-id': secret } },
      {
        path: '/v1/models',
        headers: { authorization: `Bearer ${credential}`, 'x-request-id': `id:${secret}` },
      },
      { path: '/v1/models', headers: { authorization: `Bearer ${credential}`, 'user-agent': secret } },
    ]);
    for (const { path, headers } of everywhere) await (await fetch(baseUrl + path, { headers })).text();
    for (const secret of secrets) {
      for (const body of [
        createChatBody(secret, { model: 'm' }),
        createChatBody('hi', { model: secret }),
        `{"model":"${secret}`,
      ])
        await (await postChat(gateway, { body })).text();
    }
    await (await getModels(gateway, { 'x-request-id': 'trace-3' })).text();
    await waitForLines('trace-3');
    const metrics = await fetch(`${baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${credential}` },
    });
    const places = {
      'the access log': readFileSync(accessLog, 'utf8'),
      'standard error': gateway.stderr(),
      'standard output': gateway.stdout(),
    };
    for (const [place, text] of Object.entries(places)) {
      for (const secret of secrets) assert.ok(!text.includes(secret), `${place} holds a secret`);
    }
    assert.ok(!(await metrics.text()).includes(credential));
  });

  it('T21 T25 does not write a credential that it knows only by hash, even if a caller puts it into a request', async () => {
    const ci = { ...gateway, credential: configuredCredential };
    const headers = { 'x-request-id': `id:${configuredCredential}` };
    const reply = await postChat(ci, {
      body: createChatBody('hi', { model: `one/${configuredCredential}` }),
      headers,
    });
    assert.equal(reply.status, 200);
    await reply.text();
    await (await getModels(gateway, { 'x-request-id': 'trace-4' })).text();
    await waitForLines('trace-4');
    const metrics = await fetch(`${gateway.baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${gateway.credential}` },
    });
    const log = readFileSync(accessLog, 'utf8');
    assert.match(log, /"credential":"ci"/);
    for (const text of [log, gateway.stderr(), gateway.stdout(), await metrics.text()])
      assert.doesNotMatch(text, /canary-named/);
  });
});
