import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FromLocalGateway } from '../../src/protocol/localGateway.ts';
import { type GatewayRun, runGateway, startGateway, writeConfig } from '../support/gatewayProcess.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';

describe('the process of the local gateway', function () {
  this.timeout(20_000);

  /** Runs it to its end. */
  async function run(args: readonly string[], options?: GatewayRun) {
    const child = runGateway(args, options);
    const output = { stdout: '', stderr: '' };
    child.stdout?.on('data', (text) => {
      output.stdout += text;
    });
    child.stderr?.on('data', (text) => {
      output.stderr += text;
    });
    const [code] = await once(child, 'close');
    return { code, ...output };
  }

  it('prints one line of JSON, keeps the credential in a private file and removes it at the end', async () => {
    const gateway = await startGateway();
    const { credentialFile } = gateway;
    assert.equal(statSync(credentialFile).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(credentialFile)).mode & 0o777, 0o700);
    assert.ok(Buffer.from(gateway.credential, 'base64url').length * 8 >= 128);
    assert.match(gateway.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);

    assert.equal(await gateway.stop(), 0);
    assert.deepEqual(JSON.parse(gateway.stdout()), { baseUrl: gateway.baseUrl, credentialFile });
    assert.equal(gateway.stdout().split('\n').length, 2);
    assert.equal(existsSync(dirname(credentialFile)), false);
  });

  it('makes a new credential for each start', async () => {
    const gateways = await Promise.all([startGateway(), startGateway()]);
    const [first, second] = gateways.map(({ credential }) => credential);
    assert.notEqual(first, second);
    await Promise.all(gateways.map((gateway) => gateway.stop()));
  });

  it('T21 T25 shows credential and keys in no output, argument or environment', async () => {
    const key = 'test-upstream-key';
    const upstream = await startUpstream((_request, res) => res.writeHead(500).end('{}'));
    const config = {
      upstreams: [{ name: 'one', kind: 'openai-compatible', baseUrl: upstream.baseUrl, keyEnv: 'TEST_KEY' }],
    };
    const gateway = await startGateway({ config, env: { TEST_KEY: key } });
    const headers = { authorization: `Bearer ${gateway.credential}`, 'content-type': 'application/json' };
    await fetch(`${gateway.baseUrl}/v1/models`, { headers });
    await fetch(`${gateway.baseUrl}/v1/chat/completions`, { method: 'POST', headers, body: '{"model":1}' });
    await fetch(`${gateway.baseUrl}/v1/models`, {
      headers: { authorization: `Bearer ${gateway.credential}x` },
    });
    const { pid } = gateway.process;
    const command = process.platform === 'linux' ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
    const environment = process.platform === 'linux' ? readFileSync(`/proc/${pid}/environ`, 'utf8') : '';
    await gateway.stop();
    await upstream.close();

    for (const text of [gateway.stdout(), gateway.stderr(), command, environment]) {
      assert.equal(text.includes(gateway.credential), false);
    }
    for (const text of [gateway.stdout(), gateway.stderr(), command]) assert.equal(text.includes(key), false);
    assert.match(gateway.stderr(), /GET \/v1\/models 200/);
  });

  it('started by the extension, tells it over IPC alone and ends with it', async () => {
    const child = runGateway(['--demo'], { ipc: true });
    let stdout = '';
    child.stdout?.on('data', (text) => {
      stdout += text;
    });
    const [message] = (await once(child, 'message')) as [FromLocalGateway];
    assert.equal(message.type, 'listening');
    const headers = { authorization: `Bearer ${message.credential}` };
    assert.equal((await fetch(`${message.baseUrl}/v1/models`, { headers })).status, 200);

    const ended = once(child, 'exit');
    child.disconnect();
    assert.deepEqual(await ended, [0, null]);
    assert.equal(stdout, '');
  });

  it('takes the key of an upstream over IPC', async () => {
    const upstream = await startUpstream((request, res) => {
      const known = request.headers.authorization === 'Bearer test-upstream-key';
      res.writeHead(known ? 200 : 401).end('{"data":[{"id":"m"}]}');
    });
    const config = writeConfig({
      upstreams: [
        { name: 'one', kind: 'openai-compatible', baseUrl: upstream.baseUrl, keyEnv: 'NOT_SET_ANYWHERE' },
      ],
    });
    const child = runGateway(['--config', config.path], { ipc: true });
    const [{ baseUrl, credential }] = (await once(child, 'message')) as [FromLocalGateway];
    const list = () => fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${credential}` } });
    const without = await list();
    assert.equal(without.status, 424);
    assert.match(
      await without.text(),
      /'one' cannot be used: the environment variable NOT_SET_ANYWHERE is not set/,
    );
    await new Promise((sent) => child.send({ type: 'keys', keys: { one: 'test-upstream-key' } }, sent));
    assert.equal((await list()).status, 200);

    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
    await upstream.close();
    config.remove();
  });

  it('says what is wrong with its options, on standard error alone', async () => {
    const { code, stdout, stderr } = await run(['--demo', '--prot', '1']);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.equal(stderr, 'There is no option --prot. See --help.\n');
  });

  it('names the file it cannot read and the field it cannot use', async () => {
    const missing = await run(['--config', 'no/such/file.json']);
    assert.equal(missing.code, 2);
    assert.equal(missing.stderr, 'The configuration no/such/file.json cannot be read (ENOENT).\n');

    const config = writeConfig({ upstreams: [{ name: 'one', kind: 'openai-compatible', key: 'test-key' }] });
    const wrong = await run(['--config', config.path]);
    config.remove();
    assert.equal(wrong.code, 2);
    assert.ok(wrong.stderr.includes(config.path));
    assert.match(wrong.stderr, /upstreams\[0\]\.baseUrl: expected a string; it is missing/);
    assert.doesNotMatch(wrong.stderr, /test-key/);
  });

  it('shows its options', async () => {
    const { code, stdout } = await run(['--help']);
    assert.equal(code, 0);
    for (const option of ['--demo', '--config', '--port', '--pace', '--tasks'])
      assert.ok(stdout.includes(option));
  });

  it('F110 says that a port is taken', async () => {
    const gateway = await startGateway();
    const { code, stderr } = await run(['--demo', '--port', new URL(gateway.baseUrl).port]);
    assert.equal(code, 1);
    assert.match(stderr, /port is taken/);
    await gateway.stop();
  });
});
