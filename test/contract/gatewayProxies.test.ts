import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChatBody, postChat } from '../support/chatCompletionsCalls.ts';
import { type ConnectProxyOptions, startConnectProxy } from '../support/connectProxy.ts';
import { makeCertificate } from '../support/faultServerCertificates.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';

const authority = makeCertificate({ name: 'Test authority', authority: true });
const certificate = makeCertificate({ name: 'models.example', issuer: authority });
const localCertificate = makeCertificate({ name: 'local', issuer: authority, address: '127.0.0.1' });
const key = 'test-upstream-key';

/** Variables that may be set on a machine and must not affect the tests. */
const unsetVariables: Record<string, string | undefined> = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY']
    .flatMap((name) => [name, name.toLowerCase()])
    .concat('NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_TLS_REJECT_UNAUTHORIZED')
    .map((name) => [name, undefined]),
);

describe('the upstreams of the local gateway', function () {
  this.timeout(30_000);
  const open: { stop(): unknown }[] = [];
  let folder: string;
  /** Makes the tests' system trust the authority. */
  let trustAuthority: { readonly SSL_CERT_FILE: string };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-trust-'));
    trustAuthority = { SSL_CERT_FILE: join(folder, 'authority.pem') };
    writeFileSync(trustAuthority.SSL_CERT_FILE, authority.cert);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await opened.stop();
  });

  async function startTlsUpstream(tls = certificate): Promise<ScriptedUpstream> {
    const started = await startUpstream((_request, res) => res.end('{"answer":"yes"}'), { tls });
    open.push({ stop: () => started.close() });
    return started;
  }

  async function startProxyTo(target: ScriptedUpstream, options: ConnectProxyOptions = {}) {
    const proxy = await startConnectProxy({ port: Number(new URL(target.baseUrl).port), ...options });
    open.push({ stop: () => proxy.close() });
    return proxy;
  }

  async function startGatewayFor(baseUrl: string, env: Record<string, string>): Promise<RunningGateway> {
    const upstreams = [{ name: 'far', kind: 'openai-compatible', baseUrl, keyEnv: 'TEST_KEY' }];
    const gateway = await startGateway({
      demo: false,
      config: { upstreams },
      env: { ...unsetVariables, TEST_KEY: key, ...env },
    });
    open.push(gateway);
    return gateway;
  }

  async function readFailure(gateway: RunningGateway) {
    const reply = await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });
    const { error } = (await reply.json()) as { error: { message: string; code: string } };
    return { status: reply.status, retry: reply.headers.get('x-should-retry'), ...error };
  }

  const remoteUrl = 'https://models.example/v1';

  it('F20 F24 are reached through the proxy of the environment, with the certificate authorities of the system', async () => {
    const target = await startTlsUpstream();
    const proxy = await startProxyTo(target);
    const environments: readonly Record<string, string>[] = [
      { HTTPS_PROXY: `http://user:pass%20word@${proxy.host}` },
      { https_proxy: proxy.host, HTTPS_PROXY: 'http://127.0.0.1:1' },
      { HTTP_PROXY: `http://${proxy.host}/` },
      { https_proxy: '', ALL_PROXY: ` ${proxy.host} `, no_proxy: '', NO_PROXY: 'other.example' },
      { HTTPS_PROXY: `http://${proxy.host}`, NO_PROXY: 'other.example, .test' },
    ];
    for (const env of environments) {
      const gateway = await startGatewayFor(remoteUrl, { ...trustAuthority, ...env });
      const reply = await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });
      assert.equal(await reply.text(), '{"answer":"yes"}', JSON.stringify(env));
      assert.ok(!gateway.stderr().includes('pass'));
    }
    assert.equal(proxy.connectRequests.length, environments.length);
    for (const { url, headers } of proxy.connectRequests) {
      assert.equal(url, 'models.example:443');
      assert.equal(headers.authorization, undefined);
    }
    const credentials = `Basic ${Buffer.from('user:pass word').toString('base64')}`;
    assert.equal(proxy.connectRequests[0]?.headers['proxy-authorization'], credentials);
    for (const { headers } of target.requests) {
      assert.equal(headers.authorization, `Bearer ${key}`);
      assert.equal(headers['proxy-authorization'], undefined);
      assert.equal(headers.host, 'models.example');
    }
  });

  it('F22 are not reached directly if the proxy fails, and the error names the proxy', async () => {
    const target = await startTlsUpstream();
    const stoppedProxy = await startProxyTo(target);
    await stoppedProxy.close();
    const foreign = { tls: makeCertificate({ name: 'proxy', address: '127.0.0.1' }) };
    const expected: readonly (readonly [
      host: string | ConnectProxyOptions,
      status: number,
      retry: string | null,
      pattern: RegExp,
    ])[] = [
      [{ behavior: 407 }, 424, 'false', /it returned 407; it requires a user name and a password/],
      [{ behavior: 403 }, 424, 'false', /it returned 403, so it does not allow this address/],
      [{ behavior: 502 }, 502, null, /it returned 502\./],
      [{ behavior: 'close' }, 502, null, /it closed the connection/],
      [stoppedProxy.host, 502, null, /the connection was refused/],
      ['proxy.invalid:3128', 502, null, /its host name/],
      [foreign, 502, null, /its TLS certificate is self-signed/],
    ];
    for (const [options, status, retry, pattern] of expected) {
      const host = typeof options === 'string' ? options : (await startProxyTo(target, options)).host;
      const scheme = options === foreign ? 'https' : 'http';
      const gateway = await startGatewayFor(remoteUrl, {
        ...trustAuthority,
        HTTPS_PROXY: `${scheme}://user:password@${host}`,
      });
      const failure = await readFailure(gateway);
      assert.match(failure.message, pattern);
      const start = `Upstream 'far' was not reached, because of the proxy ${scheme}://${host}: `;
      assert.ok(failure.message.startsWith(start), failure.message);
      assert.deepEqual([failure.status, failure.retry, failure.code], [status, retry, 'upstream_proxy']);
      assert.doesNotMatch(`${failure.message}${gateway.stderr()}`, /password@/);
    }
    assert.equal(target.requests.length, 0);
  });

  it('in NO_PROXY, or on this machine, are reached without the proxy', async () => {
    const target = await startTlsUpstream();
    const proxy = await startProxyTo(target);
    const env = {
      ...trustAuthority,
      HTTPS_PROXY: `http://${proxy.host}`,
      HTTP_PROXY: `http://${proxy.host}`,
    };
    for (const NO_PROXY of ['models.example', 'other.test,.example', '*', 'example models.example:443']) {
      const failure = await readFailure(await startGatewayFor(remoteUrl, { ...env, NO_PROXY }));
      assert.equal(failure.code, 'upstream_unreachable', NO_PROXY);
    }
    const local = await startTlsUpstream(localCertificate);
    const gateway = await startGatewayFor(local.baseUrl, env);
    assert.equal((await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) })).status, 200);
    assert.equal(proxy.connectRequests.length, 0);
  });

  it('are not reached if the variable does not name a usable proxy', async () => {
    const settings: readonly Record<string, string>[] = [
      { HTTPS_PROXY: 'socks5://user:password@127.0.0.1:1' },
      { ALL_PROXY: 'socks5h://user:password@127.0.0.1:1' },
      { http_proxy: 'http://user:password%zz@127.0.0.1:1' },
      { HTTPS_PROXY: '"http://user:password@127.0.0.1:1"' },
    ];
    for (const env of settings) {
      const gateway = await startGatewayFor(remoteUrl, env);
      const failure = await readFailure(gateway);
      assert.deepEqual([failure.status, failure.retry], [424, 'false']);
      const problem = `the environment variable ${Object.keys(env)[0]} does not name a usable proxy`;
      assert.ok(failure.message.includes(problem), failure.message);
      assert.doesNotMatch(`${failure.message}${gateway.stderr()}`, /password[@%]/);
    }
  });

  it('F7 T30 are refused without a certificate of a known authority, directly and through a proxy', async () => {
    const target = await startTlsUpstream();
    const proxy = await startProxyTo(target);
    const throughProxy = await startGatewayFor(remoteUrl, { HTTPS_PROXY: `http://${proxy.host}` });
    assert.match(
      (await readFailure(throughProxy)).message,
      /its TLS certificate comes from an authority not/,
    );

    const other = await startTlsUpstream(makeCertificate({ name: 'other.example', issuer: authority }));
    const toOther = await startProxyTo(other);
    const wrongHost = await startGatewayFor(remoteUrl, {
      ...trustAuthority,
      HTTPS_PROXY: `http://${toOther.host}`,
    });
    assert.match((await readFailure(wrongHost)).message, /its TLS certificate is for another host/);

    const local = await startTlsUpstream(localCertificate);
    assert.match(
      (await readFailure(await startGatewayFor(local.baseUrl, {}))).message,
      /authority not trusted here/,
    );
    for (const { requests } of [target, other, local]) assert.equal(requests.length, 0);
    assert.equal(proxy.connectRequests.length, 1);
  });

  it('T30 are refused without such a certificate even with NODE_TLS_REJECT_UNAUTHORIZED=0, and a warning is logged', async () => {
    const local = await startTlsUpstream(localCertificate);
    const target = await startTlsUpstream();
    const proxy = await startProxyTo(target, { tls: localCertificate });
    const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const gateways = [
      await startGatewayFor(local.baseUrl, unchecked),
      await startGatewayFor(remoteUrl, {
        ...unchecked,
        HTTPS_PROXY: `http://${(await startProxyTo(target)).host}`,
      }),
      await startGatewayFor(remoteUrl, { ...unchecked, HTTPS_PROXY: `https://${proxy.host}` }),
    ];
    for (const gateway of gateways) {
      assert.match(
        (await readFailure(gateway)).message,
        /TLS certificate comes from an authority not trusted/,
      );
      assert.match(gateway.stderr(), /NODE_TLS_REJECT_UNAUTHORIZED is ignored/);
    }
    assert.equal(local.requests.length + target.requests.length + proxy.connectRequests.length, 0);
  });
});
