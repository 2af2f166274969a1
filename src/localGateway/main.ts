import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FromLocalGateway, ToLocalGateway } from '../protocol/localGateway.ts';
import { createCatalogue } from './catalogue.ts';
import { ConfigError, readConfig } from './config.ts';
import { newCredential, removeCredentialFile, writeCredentialFile } from './credential.ts';
import { demoUpstream } from './demo/demoUpstream.ts';
import { lineLog } from './lineLog.ts';
import { helpText, type Options, parseOptions, UsageError } from './options.ts';
import { startGateway } from './server.ts';
import { defaultTaskFile, taskFile } from './taskFile.ts';
import { noticesOf } from './upstreams/dispatcher.ts';
import type { UpstreamConfig } from './upstreams/upstreamFields.ts';
import { openUpstream } from './upstreams/upstreamKinds.ts';

const lines = lineLog((text) => process.stderr.write(text));

/** Keys from IPC, by upstream name. */
const receivedKeys = new Map<string, string>();

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(helpText);
    return;
  }
  if (process.send) process.on('message', receiveKeys);

  const credential = newCredential();
  const catalogue = createCatalogue(upstreamsOf(options));
  const tasks = taskFile(options.tasks ?? defaultTaskFile(), log);
  const gateway = await startGateway({
    catalogue,
    tasks,
    credential,
    port: options.port,
    log,
    logRequest: lines.add,
  });
  stopWhenTold(() => gateway.close());
  announce(gateway.baseUrl, credential);
}

function upstreamsOf({ demo, pace, config }: Options) {
  const configured = config === undefined ? [] : readConfig(config).upstreams;
  configured.filter(({ keyEnv }) => keyEnv !== undefined && !process.env[keyEnv]).forEach(warnOfMissingKey);
  const bases = configured.map(({ baseUrl }) => new URL(baseUrl));
  for (const notice of noticesOf(bases, process.env)) log(notice);
  return [
    ...(demo ? [demoUpstream({ tokensPerSecond: pace, clips: clipFolder() })] : []),
    ...configured.map((upstream) => openUpstream(upstream, () => keyOf(upstream))),
  ];
}

/** Beside the folder of the bundle, or beside that of the sources. */
function clipFolder(): string {
  const program = dirname(process.argv[1] ?? '');
  const besideBundle = join(program, '../media/demo');
  return existsSync(besideBundle) ? besideBundle : join(program, '../../media/demo');
}

function keyOf({ name, keyEnv }: UpstreamConfig): string | undefined {
  const key = receivedKeys.get(name) ?? (keyEnv === undefined ? undefined : process.env[keyEnv]);
  return key?.trim() || undefined;
}

function receiveKeys(message: unknown): void {
  const { type, keys } = message as Partial<ToLocalGateway>;
  if (type !== 'keys' || !keys) return;
  for (const [name, key] of Object.entries(keys)) receivedKeys.set(name, key);
}

/**
 * Tells the parent process the address with the credential over IPC. Without IPC, standard output names the
 * address and a file with the credential.
 */
function announce(baseUrl: string, credential: string): void {
  log(`listening on ${baseUrl}`);
  if (process.send) {
    process.send({ type: 'listening', baseUrl, credential } satisfies FromLocalGateway);
    return;
  }
  const credentialFile = writeCredentialFile(credential);
  process.once('exit', () => removeCredentialFile(credentialFile));
  process.stdout.write(`${JSON.stringify({ baseUrl, credentialFile })}\n`);
}

function stopWhenTold(close: () => Promise<void>): void {
  const stop = () => close().then(() => process.exit(0), fail);
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', stop);
  process.on('disconnect', stop);
}

function warnOfMissingKey({ name, keyEnv }: UpstreamConfig): void {
  log(`Upstream '${name}' cannot be used: the environment variable ${keyEnv} is not set.`);
}

function fail(error: unknown): never {
  log(describe(error));
  process.exit(error instanceof UsageError || error instanceof ConfigError ? 2 : 1);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UsageError || error instanceof ConfigError) return error.message;
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return 'That port is taken on 127.0.0.1. Choose another, or --port 0 for any free one.';
  if (code === 'EACCES') return `The gateway may not do that here: ${message}.`;
  return stack ?? message;
}

function log(line: string): void {
  lines.write(line);
}

process.once('exit', lines.flush);
main().catch(fail);
