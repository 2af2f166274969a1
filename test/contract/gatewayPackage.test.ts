import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { packageGateway } from '../../scripts/packageGateway.mjs';

const execute = promisify(execFile);

describe('the package of the local gateway', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-package-'));
  const bin = join(folder, 'node_modules/.bin/model-gateway');

  before(async () => {
    const path = await packageGateway(() => {}, folder);
    const options = ['--offline', '--no-audit', '--no-fund', '--prefix', folder];
    await execute('npm', ['install', ...options, '--cache', join(folder, 'cache'), path], {
      shell: process.platform === 'win32',
    });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is installed by npm and has no dependencies', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const home = join(folder, 'node_modules/model-gateway-local');
    assert.equal(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version, version);
    for (const file of [
      'README.md',
      'LICENSE.txt',
      'ThirdPartyNotices.txt',
      'dist/gatewayConfig.schema.json',
    ])
      assert.ok(existsSync(join(home, file)), file);
    const { stdout } = await execute(process.execPath, [bin, '--version']);
    assert.equal(stdout, `${version}\n`);
  });

  it('reads a configuration with comments, and reports an error in it with its position', async () => {
    const file = join(folder, 'model-gateway.json');
    writeFileSync(file, '{\n  // A comment.\n  "upstreams": [{ "name": "one" }],\n}');
    const failed = await execute(process.execPath, [bin, '--check', '--config', file]).catch(
      (error) => error,
    );
    assert.equal(failed.code, 2);
    assert.match(failed.stderr, /model-gateway\.json:3:17 upstreams\[0\]\.baseUrl: expected a string/);
  });

  it('serves the demo with its clips', async () => {
    const args = [bin, '--demo', '--port', '0', '--state', join(folder, 'state')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const { baseUrl, credentialFile } = JSON.parse(String(line));
    if (process.platform === 'linux')
      assert.match(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'), /--max-semi-space-size=2\0/);
    const headers = {
      authorization: `Bearer ${readFileSync(credentialFile, 'utf8').trim()}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({
      model: 'demo/video',
      input: 'A cat. Take 0 seconds.',
      store: false,
      response_format: { type: 'video' },
    });
    const response = await fetch(`${baseUrl}/v1beta/interactions`, { method: 'POST', headers, body });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /video\/mp4/);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
});
