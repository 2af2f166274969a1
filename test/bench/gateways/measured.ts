import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { extensionBundles, gatewayNodeOptions } from '../../../scripts/bundles.mjs';

export interface Usage {
  readonly cpuMicros: number;
  readonly peakKilobytes: number;
}

/** A program between callers and the upstream, in its own process; or the direct connection. */
export interface Measured {
  readonly name: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of the upstream's model at this gateway. */
  readonly model: string;
  /** Whether it cannot forward streams under this Node. */
  readonly lacksStreams?: boolean;
  /** Absent if callers send requests to the upstream directly. */
  usage?(): Promise<Usage>;
  close(): void;
}

const usageReporter = new URL('usage.mjs', import.meta.url).href;
const othersFolder = new URL('node_modules/', import.meta.url);

export async function startUpstream(): Promise<Measured> {
  const child = start(inFolder('upstream.ts'));
  return {
    name: 'upstream',
    port: await printedPort(child),
    headers: {},
    model: 'bench',
    close: createClose(child),
  };
}

/** The bare pipe, this project's gateway, and the other installed gateways. */
export async function startGateways(upstreamPort: number): Promise<readonly Measured[]> {
  const others = [
    ...(isInstalled('@portkey-ai/gateway') ? [await startPortkey(upstreamPort)] : []),
    ...(isInstalled('@musistudio/llms') ? [await startMusistudio(upstreamPort)] : []),
  ];
  return [await startPipe(upstreamPort), await startOurs(upstreamPort), ...others];
}

async function startPipe(upstreamPort: number): Promise<Measured> {
  const child = start(inFolder('pipe.ts'), [String(upstreamPort)]);
  const facts = { name: 'pipe', port: await printedPort(child), headers: {}, model: 'bench' };
  return { ...facts, ...measuring(child) };
}

/** As shipped, in one bundle. */
async function startOurs(upstreamPort: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const program = join(folder, 'gateway.cjs');
  const bundle = extensionBundles.find(({ outfile }) => outfile === 'dist/gateway.js');
  await build({ ...bundle, outfile: program, sourcemap: false });
  const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`;
  const upstreams = [{ name: 'one', kind: 'openai-compatible', baseUrl, models: ['bench'] }];
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ upstreams }));
  const args = ['--config', config, '--state', join(folder, 'state'), '--port', '0'];
  const child = start(program, args, gatewayNodeOptions);
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { baseUrl: own, credentialFile } = JSON.parse(await firstLine(child)) as Record<string, string>;
  const headers = { authorization: `Bearer ${readFileSync(credentialFile ?? '', 'utf8').trim()}` };
  return {
    name: 'ours',
    port: Number(new URL(own ?? '').port),
    headers,
    model: 'bench',
    ...measuring(child),
  };
}

async function startPortkey(upstreamPort: number): Promise<Measured> {
  const port = await freePort();
  const program = fileURLToPath(new URL('@portkey-ai/gateway/build/start-server.js', othersFolder));
  const child = start(program, ['--headless', `--port=${port}`]);
  await untilListening(port);
  const headers = {
    authorization: 'Bearer x',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
  };
  return { name: 'Portkey', port, headers, model: 'bench', lacksStreams: true, ...measuring(child) };
}

async function startMusistudio(upstreamPort: number): Promise<Measured> {
  const port = await freePort();
  const child = start(inFolder('musistudio.ts'), [String(upstreamPort), String(port)]);
  await untilListening(port);
  return { name: 'musistudio', port, headers: {}, model: 'one,bench', ...measuring(child) };
}

function start(
  program: string,
  args: readonly string[] = [],
  nodeOptions: readonly string[] = [],
): ChildProcess {
  const child = fork(program, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [...nodeOptions, '--import', usageReporter],
  });
  // Drained, so that a full pipe does not block the process.
  child.stderr?.resume();
  return child;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new TypeError('no output to read');
  const [line] = await once(stdout, 'data');
  return String(line).trim();
}

async function printedPort(child: ChildProcess): Promise<number> {
  return Number(await firstLine(child));
}

function measuring(child: ChildProcess): Pick<Measured, 'usage' | 'close'> {
  child.stdout?.resume();
  return {
    usage: () =>
      new Promise((resolve) => {
        const take = (message: { readonly usage?: Usage }) => {
          if (!message.usage) return;
          child.off('message', take);
          resolve(message.usage);
        };
        child.on('message', take);
        child.send('usage');
      }),
    close: createClose(child),
  };
}

function createClose(child: ChildProcess): () => void {
  return () => void child.kill();
}

function inFolder(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

function isInstalled(name: string): boolean {
  return existsSync(new URL(`${name}/package.json`, othersFolder));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const maxStarts = 200;

async function untilListening(port: number): Promise<void> {
  for (let tried = 0; tried < maxStarts; tried++) {
    const socket = connect(port, '127.0.0.1');
    const connected = once(socket, 'connect').then(
      () => true,
      () => false,
    );
    const isListening = await connected;
    socket.destroy();
    if (isListening) return;
    await pause(50);
  }
  throw new Error(`nothing listens on port ${port}`);
}
