import assert from 'node:assert/strict';
import { adaptErrorToGroup } from '../../src/localGateway/http/errorReply.ts';
import { HttpError } from '../../src/localGateway/http/httpError.ts';
import { readRequestBody } from '../../src/localGateway/http/requestBody.ts';
import { createHttpUpstream } from '../../src/localGateway/upstreams/httpUpstream.ts';
import { KeyRing } from '../../src/localGateway/upstreams/keys/keyRing.ts';
import { createExternalKey } from '../../src/localGateway/upstreams/keys/upstreamKey.ts';
import { createPlainListing } from '../../src/localGateway/upstreams/modelLists.ts';
import { startConnectProxy } from '../support/connectProxy.ts';
import { startFaultServer } from '../support/faultServer.ts';
import { makeCertificate } from '../support/faultServerCertificates.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';

describe('a failure of an upstream of the local gateway', function () {
  this.timeout(8_000);
  const open: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const opened of open.splice(0)) await opened.close();
  });

  async function catchFailure(
    baseUrl: string,
    env: NodeJS.ProcessEnv = {},
    signal = new AbortController().signal,
  ): Promise<HttpError> {
    const upstream = createHttpUpstream(
      {
        base: new URL(baseUrl),
        findTextEndpoints: () => ({ chatCompletions: { send: { path: '/chat/completions' } } }),
        models: createPlainListing('/models'),
        createCredentialHeaders: () => ({}),
      },
      { name: 'one', kind: 'openai-compatible', baseUrl },
      new KeyRing([{ source: createExternalKey(() => undefined) }]),
      env,
    );
    open.push(upstream);
    const body = readRequestBody(Buffer.from('{"model":"m"}'));
    const call = { body, headers: {}, servedModel: 'm', model: 'm', requestId: 'r', signal };
    const error = await upstream.send({ ...call, request: { format: 'chatCompletions' } }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof HttpError, String(error));
    return error;
  }

  it('F3 F7 F22 before the request was sent is reported on task routes as not having created a task', async () => {
    const stoppedUpstream = await startUpstream(() => {});
    await stoppedUpstream.close();
    const tls = makeCertificate({ name: 'local', address: '127.0.0.1' });
    const unknown = await startUpstream((_request, res) => res.end('{}'), { tls });
    const proxy = await startConnectProxy({ behavior: 502 });
    open.push(unknown, proxy);
    const failures = [
      await catchFailure(stoppedUpstream.baseUrl),
      await catchFailure(stoppedUpstream.baseUrl.replace('http:', 'https:')),
      await catchFailure(unknown.baseUrl),
      await catchFailure('https://models.invalid/v1'),
      await catchFailure('https://models.example/v1', { HTTPS_PROXY: `http://${proxy.host}` }),
      await catchFailure('https://models.example/v1', {
        HTTPS_PROXY: `http://${new URL(stoppedUpstream.baseUrl).host}`,
      }),
    ];
    for (const failure of failures) {
      assert.equal(failure.neverSent, true, failure.message);
      assert.equal(adaptErrorToGroup(failure, 'chatCompletions'), failure);
      for (const group of ['interactions', 'videoSynthesis'] as const) {
        const { status, headers, code, message } = adaptErrorToGroup(failure, group);
        assert.equal(status, 424, failure.message);
        assert.equal(headers['x-should-retry'], 'false');
        assert.equal(code, failure.code);
        assert.equal(message, `${failure.message} This request made nothing.`);
      }
    }
    assert.equal(unknown.requests.length, 0);
  });

  it('F62 during connecting is reported as soon as the caller disconnects, without a request', async () => {
    const proxy = await startConnectProxy({ behavior: 'silence' });
    open.push(proxy);
    const caller = new AbortController();
    const connecting = catchFailure(
      'https://models.example/v1',
      { HTTPS_PROXY: `http://${proxy.host}` },
      caller.signal,
    );
    await proxy.opened;
    caller.abort();
    // Otherwise it would end only after the proxy timeout of ten seconds.
    assert.equal((await connecting).neverSent, true);
  });

  it('F10 F12 F33 after a part of the request may have been sent is not reported as not having created a task', async () => {
    const closing = await startFaultServer((connection) => connection.end());
    const reset = await startFaultServer((connection) => connection.reset());
    const garbage = await startFaultServer((connection) => connection.write('SSH-2.0-server\r\n\r\n'));
    open.push(closing, reset, garbage);
    for (const { baseUrl } of [closing, reset, garbage]) {
      const failure = await catchFailure(`${baseUrl}/v1`);
      assert.equal(failure.neverSent, false, failure.message);
      assert.equal(failure.status, 502);
      assert.equal(adaptErrorToGroup(failure, 'interactions'), failure);
    }
  });
});
