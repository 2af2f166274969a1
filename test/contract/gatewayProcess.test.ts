import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type GatewayRun, runGateway, startGateway, writeConfig } from '../support/gatewayProcess.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';

describe('the process of the local gateway', function () {
  this.timeout(60_000);

  /** Runs the program to its end. */
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

  const createStateFolder = () => {
    const path = mkdtempSync(join(tmpdir(), 'gateway-kept-'));
    folders.push(path);
    return path;
  };
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('prints one JSON line, and stores its port and, in a private file, its credential across restarts', async () => {
    const state = createStateFolder();
    const gateway = await startGateway({ state, port: 'stored' });
    const { baseUrl, credentialFile, credential } = gateway;
    assert.equal(credentialFile, join(state, 'credential'));
    assert.equal(statSync(credentialFile).mode & 0o777, 0o600);
    assert.ok(Buffer.from(credential, 'base64url').length * 8 >= 128);
    assert.match(baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(await gateway.stop(), 0);
    assert.deepEqual(JSON.parse(gateway.stdout()), { baseUrl, credentialFile });
    assert.equal(gateway.stdout().split('\n').length, 2);

    const again = await startGateway({ state, port: 'stored' });
    assert.deepEqual([again.baseUrl, again.credential], [baseUrl, credential]);
    await again.stop();
    const renewed = await startGateway({ state, port: 'stored', args: ['--new-credential'] });
    assert.equal(renewed.baseUrl, baseUrl);
    assert.notEqual(renewed.credential, credential);
    await renewed.stop();
    assert.equal(existsSync(join(state, 'running.json')), false);
  });

  it('creates a state folder that only the user can enter', async () => {
    const state = join(createStateFolder(), 'new');
    await (await startGateway({ state })).stop();
    assert.equal(statSync(state).mode & 0o777, 0o700);
  });

  it('accepts a new credential at once, without a restart', async () => {
    const state = createStateFolder();
    const gateway = await startGateway({ state });
    const list = async (credential: string) => {
      const headers = { authorization: `Bearer ${credential}` };
      return (await fetch(`${gateway.baseUrl}/v1/models`, { headers })).status;
    };
    const { code, stdout } = await run(['--new-credential', '--state', state]);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { credentialFile: gateway.credentialFile });
    assert.equal(await list(gateway.credential), 401);
    assert.equal(await list(readFileSync(gateway.credentialFile, 'utf8').trim()), 200);
    await gateway.stop();
  });

  it('runs once per state folder, and a second start names the running process', async () => {
    const state = createStateFolder();
    const gateway = await startGateway({ state });
    const { code, stderr } = await run(['--demo', '--port', '0', '--state', state]);
    assert.equal(code, 3);
    assert.ok(stderr.includes(`process ${gateway.process.pid} at ${gateway.baseUrl}`), stderr);
    assert.match(stderr, /--stop.*--state FOLDER/);
    const stopped = await run(['--stop', '--state', state]);
    assert.equal(stopped.code, 0);
    assert.equal(await gateway.stop(), 0);
    assert.equal((await run(['--stop', '--state', state])).code, 1);
  });

  it('starts again after it was killed, with the same address and credential, and removes the old socket', async () => {
    const state = createStateFolder();
    const gateway = await startGateway({ state, port: 'stored' });
    const { socket } = JSON.parse(readFileSync(join(state, 'running.json'), 'utf8'));
    const ended = once(gateway.process, 'exit');
    gateway.process.kill('SIGKILL');
    await ended;
    const again = await startGateway({ state, port: 'stored' });
    assert.deepEqual([again.baseUrl, again.credential], [gateway.baseUrl, gateway.credential]);
    assert.equal(existsSync(dirname(socket)), false);
    await again.stop();
  });

  it('T21 T25 does not show the credential in its output, arguments or environment, or keys in its output or arguments', async () => {
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

  it('reports wrong options on standard error only', async () => {
    const { code, stdout, stderr } = await run(['--demo', '--prot', '1']);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.equal(stderr, 'There is no option --prot. See --help.\n');
  });

  it('names a configuration file that is missing and a field that is invalid', async () => {
    const missing = await run(['--config', 'no/such/file.json']);
    assert.equal(missing.code, 2);
    assert.match(
      missing.stderr,
      /^There is no configuration \/.*\/no\/such\/file\.json\. Check the path\.\n$/,
    );

    const config = writeConfig({ upstreams: [{ name: 'one', kind: 'openai-compatible', key: 'test-key' }] });
    const wrong = await run(['--config', config.path]);
    config.remove();
    assert.equal(wrong.code, 2);
    assert.ok(wrong.stderr.includes(config.path));
    assert.match(wrong.stderr, /upstreams\[0\]\.baseUrl: expected a string; it is missing/);
    assert.doesNotMatch(wrong.stderr, /test-key/);
  });

  it('prints its options', async () => {
    const { code, stdout } = await run(['--help']);
    assert.equal(code, 0);
    for (const option of ['--demo', '--config', '--port', '--pace', '--tasks', '--state', '--check'])
      assert.ok(stdout.includes(option));
  });

  it('F110 reports a taken port and its owner, and does not use another port', async () => {
    const gateway = await startGateway();
    const { port } = new URL(gateway.baseUrl);
    const byGateway = await run(['--demo', '--state', createStateFolder(), '--port', port]);
    assert.equal(byGateway.code, 4);
    assert.match(
      byGateway.stderr,
      new RegExp(`Port ${port} of 127.0.0.1 is in use by another local gateway`),
    );
    await gateway.stop();

    const other = createServer().listen(Number(port), '127.0.0.1');
    await once(other, 'listening');
    const state = createStateFolder();
    writeFileSync(join(state, 'port'), `${port}\n`);
    const byOther = await run(['--demo', '--state', state]);
    other.close();
    assert.equal(byOther.code, 4);
    assert.match(byOther.stderr, /is in use by another program, which ".*" shows/);
    assert.equal(byOther.stdout, '');
  });

  it('generates a credential for another program, with its entry for the configuration', async () => {
    const { code, stdout } = await run(['--make-credential', 'ci']);
    const { credential, configuration } = JSON.parse(stdout);
    assert.equal(code, 0);
    const sha256 = createHash('sha256').update(credential).digest('hex');
    assert.deepEqual(configuration, { name: 'ci', sha256 });
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.deepEqual(await run(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
  });
});
