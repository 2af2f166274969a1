import assert from 'node:assert/strict';
import type { GatewayControl } from '../../src/host/connection/gatewayControl.ts';
import { getModels } from '../support/chatCompletionsCalls.ts';
import { connectControl } from '../support/gatewayControl.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';

const key = 'canary-upstream-key';

describe('the control connection of a window', function () {
  this.timeout(30_000);
  const open: { stop(): unknown }[] = [];
  let gateway: RunningGateway;
  let control: GatewayControl;
  let entry: { readonly name: string; readonly kind: string; readonly baseUrl: string };
  let requests = 0;

  beforeEach(async () => {
    requests = 0;
    const upstream = await startUpstream((request, response) => {
      requests += 1;
      const isKnown = request.headers.authorization === `Bearer ${key}`;
      const refusal = `{"error":{"message":"no: ${request.headers.authorization}"}}`;
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
      response.end(isKnown ? '{"data":[{"id":"one"},{"id":"two"}]}' : refusal);
    });
    open.push({ stop: () => upstream.close() });
    gateway = await startGateway({});
    open.push(gateway);
    control = await connectControl(gateway);
    open.push({ stop: () => control.dispose() });
    entry = { name: 'acme', kind: 'openai-compatible', baseUrl: upstream.baseUrl };
  });

  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await opened.stop();
  });

  it('lists the models of a tried upstream with one request, and does not store them', async () => {
    const { models } = await control.tryUpstream(entry, key);
    assert.deepEqual(models, ['one', 'two']);
    assert.equal(requests, 1);
    const { upstreams, kinds } = await control.readStatus();
    assert.deepEqual(
      upstreams.map(({ name }) => name),
      ['demo'],
    );
    assert.ok(kinds.includes('openai-compatible'));
  });

  it('T5 tries an upstream at other likely addresses, at the same origin only', async () => {
    const paths: string[] = [];
    const versioned = await startUpstream(({ path, headers }, response) => {
      paths.push(path);
      const isThere = path === '/v1/models' && headers.authorization === `Bearer ${key}`;
      response.writeHead(isThere ? 200 : 404).end(isThere ? '{"data":[{"id":"one"}]}' : '{}');
    });
    open.push({ stop: () => versioned.close() });
    const baseUrl = versioned.baseUrl.replace('/v1', '');
    const elsewhere = baseUrl.replace('127.0.0.1', 'localhost');
    const tried = await control.tryUpstream({ ...entry, baseUrl }, key, [elsewhere, `${baseUrl}/v1`]);
    assert.deepEqual([tried.baseUrl, tried.models], [`${baseUrl}/v1`, ['one']]);
    assert.deepEqual(paths, ['/models', '/v1/models']);
    await assert.rejects(control.tryUpstream({ ...entry, baseUrl }, key, [elsewhere]), /404/);
  });

  it('prefers another address that lists models if the first lists none', async () => {
    const versioned = await startUpstream(({ path }, response) => {
      response.writeHead(200).end(path === '/api/v1/models' ? '{"data":[{"id":"one"}]}' : '{"data":[]}');
    });
    open.push({ stop: () => versioned.close() });
    const { origin } = new URL(versioned.baseUrl);
    const tried = await control.tryUpstream({ ...entry, baseUrl: `${origin}/v1` }, key, [`${origin}/api/v1`]);
    assert.deepEqual([tried.baseUrl, tried.models], [`${origin}/api/v1`, ['one']]);
    const empty = await control.tryUpstream({ ...entry, baseUrl: `${origin}/v1` }, key, [origin]);
    assert.deepEqual([empty.baseUrl, empty.models], [`${origin}/v1`, []]);
  });

  it('reports why a tried upstream lists no models, with its message or a hint about its address', async () => {
    let reply = { status: 503, body: `{"error":{"message":"overloaded, ${key}"}}` };
    const busy = await startUpstream((_, response) => response.writeHead(reply.status).end(reply.body));
    open.push({ stop: () => busy.close() });
    const tried = () => control.tryUpstream({ ...entry, baseUrl: busy.baseUrl }, key).catch(String);
    assert.match(
      String(await tried()),
      /returned 503 to the request for its models: overloaded, (?!.*canary)/,
    );
    reply = { status: 404, body: '<html>nothing here</html>' };
    const missing = String(await tried());
    assert.match(missing, /returned 404 to the request for its models\. Check that its address .*\/v1/);
    reply = { status: 200, body: '<html>Welcome</html>' };
    assert.match(String(await tried()), /did not return a model list\. Check that its address .*\/v1/);
  });

  it('reports wrong values of a tried upstream without revealing the key', async () => {
    await assert.rejects(control.tryUpstream(entry, 'canary-other-key'), (error: Error) => {
      assert.equal(error.name, 'GatewayControlError');
      assert.doesNotMatch(error.message, /canary/);
      return true;
    });
    await assert.rejects(control.tryUpstream({ ...entry, kind: 'other' }, key), /kind/);
    await assert.rejects(control.tryUpstream({ ...entry, baseUrl: 'http://models.example' }, key), /https/);
    assert.doesNotMatch(gateway.stderr(), /canary/);
  });

  it('replaces the credential at once, and the earlier one is refused', async () => {
    const { credential } = await control.greet();
    await control.replaceCredential();
    const next = (await control.greet()).credential;
    assert.notEqual(next, credential);
    assert.equal((await getModels(gateway)).status, 401);
    assert.equal((await getModels({ ...gateway, credential: next })).status, 200);
  });
});
