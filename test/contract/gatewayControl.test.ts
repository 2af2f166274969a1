import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname } from 'node:path';
import type { GatewayControl } from '../../src/host/connection/gatewayControl.ts';
import type { ServedRequest } from '../../src/protocol/gatewayControl.ts';
import { getModels } from '../support/chatCompletionsCalls.ts';
import { connectControl, readRunningFile } from '../support/gatewayControl.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';

describe('the control socket of the local gateway', function () {
  this.timeout(30_000);
  const open: { stop(): unknown }[] = [];
  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await opened.stop();
  });

  async function startForTest(start: Parameters<typeof startGateway>[0] = {}): Promise<RunningGateway> {
    const gateway = await startGateway(start);
    open.push(gateway);
    return gateway;
  }

  async function connectWindow(gateway: RunningGateway): Promise<GatewayControl> {
    const control = await connectControl(gateway);
    open.push({ stop: () => control.dispose() });
    return control;
  }

  /** A gateway whose upstream accepts one key. */
  async function startWithKey() {
    const upstream = await startUpstream((request, res) => {
      const known = request.headers.authorization === 'Bearer canary-upstream-key';
      res.writeHead(known ? 200 : 401).end('{"data":[{"id":"m"}]}');
    });
    open.push({ stop: () => upstream.close() });
    const one = {
      name: 'one',
      kind: 'openai-compatible',
      baseUrl: upstream.baseUrl,
      keyEnv: 'NOT_SET_ANYWHERE',
    };
    return startForTest({ demo: false, config: { upstreams: [one] } });
  }

  it('is accessible to the user only, and sends a window the address and the credential', async () => {
    const gateway = await startForTest();
    const { socket, pid, baseUrl } = readRunningFile(dirname(gateway.credentialFile));
    assert.deepEqual([pid, baseUrl], [gateway.process.pid, gateway.baseUrl]);
    if (process.platform !== 'win32') assert.equal(statSync(dirname(socket)).mode & 0o777, 0o700);
    const greeting = await (await connectWindow(gateway)).greet();
    const { credential } = gateway;
    assert.deepEqual(greeting, { version: '0.1.0', baseUrl, credential, upstreams: [] });
  });

  it('T21 accepts keys from any window, notifies the others, and never shows the keys', async () => {
    const gateway = await startWithKey();
    const [first, second] = await Promise.all([connectWindow(gateway), connectWindow(gateway)]);
    const [before] = (await first.readStatus()).upstreams;
    assert.equal(before?.key, 'missing');
    assert.match(before?.problem ?? '', /NOT_SET_ANYWHERE is not set/);
    assert.equal(before?.problemCode, 'upstream_unusable');
    assert.equal((await getModels(gateway)).status, 424);

    const changed = new Promise<void>((resolve) => second.onDidChange(() => resolve()));
    await first.sendKeys({ one: 'canary-other-key' });
    await changed;
    const [refused] = (await first.readStatus()).upstreams;
    assert.deepEqual([refused?.key, refused?.problemCode], ['window', 'upstream_credential']);
    await first.sendKeys({ one: 'canary-upstream-key' });
    assert.equal((await getModels(gateway)).status, 200);
    const [after] = (await second.readStatus()).upstreams;
    assert.deepEqual([after?.key, after?.models, after?.problem], ['window', 1, undefined]);
    assert.ok(!JSON.stringify(await second.readStatus()).includes('canary'));
    assert.doesNotMatch(gateway.stderr(), /canary/);
  });

  it('sends the log so far, then new lines and each served request', async () => {
    const gateway = await startForTest();
    const control = await connectWindow(gateway);
    const lines: string[] = [];
    const requestReceived = new Promise<void>((resolve) =>
      control.onLog((more) => {
        lines.push(...more);
        if (more.some((line) => line.startsWith('GET /v1/models 200'))) resolve();
      }),
    );
    const served = new Promise<ServedRequest>((resolve) => control.onServed(resolve));
    await control.followLog();
    assert.deepEqual(lines, [`listening on ${gateway.baseUrl}`]);
    await getModels(gateway);
    await requestReceived;
    const { method, route, status, requestId, isCut } = await served;
    assert.deepEqual([method, route, status, isCut], ['GET', '/v1/models', 200, false]);
    assert.ok(lines.at(-1)?.includes(requestId));
  });

  it('keeps the gateway running while any window uses it', async () => {
    const gateway = await startForTest({ args: ['--exit-after-windows', '1'] });
    const [first, second] = await Promise.all([connectWindow(gateway), connectWindow(gateway)]);
    await Promise.all([first.greet(), second.greet()]);
    assert.deepEqual(
      [(await first.readStatus()).windows, (await first.readStatus()).exitsAfterWindows],
      [2, true],
    );
    const ended = once(gateway.process, 'exit');
    first.dispose();
    assert.equal((await getModels(gateway)).status, 200);
    second.dispose();
    assert.deepEqual(await ended, [0, null]);
  });

  it('lets a window keep the gateway running without windows until it is stopped', async () => {
    const gateway = await startForTest({ args: ['--exit-after-windows', '0'] });
    const control = await connectControl(gateway);
    await control.greet();
    await control.setLifetime(false);
    const closed = new Promise<void>((resolve) => control.onDidClose(() => resolve()));
    control.dispose();
    await closed;
    const next = await connectWindow(gateway);
    await next.greet();
    assert.equal((await next.readStatus()).windows, 1);
    const ended = once(gateway.process, 'exit');
    await next.stop();
    assert.deepEqual(await ended, [0, null]);
  });

  it('notifies the windows of a stop, but not of a replacement', async () => {
    for (const isReplaced of [false, true]) {
      const gateway = await startForTest();
      const [one, other] = await Promise.all([connectWindow(gateway), connectWindow(gateway)]);
      const closed = new Promise<void>((resolve) => other.onDidClose(() => resolve()));
      await (isReplaced ? one.replace() : one.stop());
      await closed;
      assert.equal(other.wasStopped, !isReplaced);
    }
  });

  it('rejects unknown and malformed messages, and the gateway keeps running', async () => {
    const gateway = await startForTest();
    const socket = createConnection(readRunningFile(dirname(gateway.credentialFile)).socket);
    socket.setEncoding('utf8').on('error', () => {});
    const replies: string[] = [];
    socket.on('data', (text: string) => replies.push(...text.trim().split('\n')));
    socket.write(
      '{"id":7,"type":"dance"}\nno json\n[]\n{"type":"state"}\n\n{"id":8,"type":"keys","keys":{"a":1}}\n',
    );
    const closed = new Promise((resolve) => socket.once('close', resolve));
    while (replies.length < 5) await once(socket, 'data');
    const ids = replies.map((reply) => JSON.parse(reply)).map(({ type, id }) => [type, id]);
    assert.deepEqual(ids, [
      ['failed', 7],
      ['failed', 0],
      ['failed', 0],
      ['failed', 0],
      ['failed', 8],
    ]);
    socket.write('x'.repeat(5 * 1024 * 1024));
    await closed;
    assert.equal((await getModels(gateway)).status, 200);
  });
});
