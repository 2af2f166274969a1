// The local gateway with its demo upstream, running next to the project's own VS Code.
import { rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gatewayNodeOptions } from './bundles.mjs';
import { startGroup, stopGroup } from './processes.mjs';
import { Advice } from './progress.mjs';
import { root } from './root.mjs';
import { workFolder } from './vscodeInstall.mjs';

const startTimeoutMs = 15_000;

/**
 * Starts the gateway and stores the line that it prints, `{ baseUrl, credentialFile }`, in a file that only this
 * user can read: the extension under development reads it there.
 */
export async function startLocalGateway() {
  const program = fileURLToPath(new URL('dist/gateway.js', root));
  const home = join(workFolder, 'start');
  await mkdir(home, { recursive: true });
  const config = join(home, 'model-gateway.json');
  await writeFile(config, '{\n  "upstreams": []\n}\n', { flag: 'wx', mode: 0o600 }).catch(() => {});
  const options = ['--demo', '--port', '0', '--config', config, '--state', home];
  const child = startGroup(process.execPath, [...gatewayNodeOptions, program, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const handshake = await firstLine(child).catch(async (error) => {
    await stopGroup(child);
    throw error;
  });
  const handshakeFile = join(home, 'gateway.json');
  rmSync(handshakeFile, { force: true });
  await writeFile(handshakeFile, handshake, { mode: 0o600 });
  process.on('exit', () => rmSync(handshakeFile, { force: true }));
  return { handshakeFile, stop: () => stopGroup(child) };
}

/** @param {import('node:child_process').ChildProcess} child */
async function firstLine(child) {
  let errorOutput = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    errorOutput += text;
  });
  return new Promise((resolve, reject) => {
    const fail = (failure) => reject(new Advice(`The gateway ${failure}.\n${errorOutput}`));
    const timer = setTimeout(() => fail('does not start'), startTimeoutMs);
    child.once('exit', (code) => fail(`ended with ${code}`));
    child.once('close', () => clearTimeout(timer));
    if (child.stdout)
      createInterface({ input: child.stdout }).once('line', (line) => {
        clearTimeout(timer);
        resolve(line);
      });
  });
}
