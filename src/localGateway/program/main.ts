import { hash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { errorCode, errorTrace } from '../../base/errors.ts';
import { checkConfig } from '../config/checkConfig.ts';
import { readConfig } from '../config/configFile.ts';
import { ConfigError } from '../config/configSchema.ts';
import { Consents, readUpstreamAccess } from '../config/consents.ts';
import { generateCredential, replaceCredential } from '../config/credentialFile.ts';
import { KeySources } from '../config/keySources.ts';
import { helpText, type Options, parseOptions, UsageError } from '../config/options.ts';
import { openStateFolder } from '../config/stateFolder.ts';
import { PortInUseError } from '../operation/listenOnPort.ts';
import { runGateway, version } from '../operation/runGateway.ts';
import {
  AlreadyRunningError,
  NoReplyError,
  sendToRunningGateway,
  stopRunningGateway,
} from '../operation/runningInstance.ts';

// The heap is small, so starting threads for its collection would take longer than collecting it.
setFlagsFromString('--no-parallel-scavenge');

async function main(): Promise<void> {
  // The gateway continues if the process that reads its output ends.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const options = parseOptions(process.argv.slice(2));
  const actions: Readonly<Record<Options['action'], (options: Options) => Promise<void> | void>> = {
    help: () => printLine(helpText.trimEnd()),
    version: () => printLine(version),
    serve: runGateway,
    check: checkConfiguration,
    stop,
    newCredential: changeCredential,
    makeCredential,
  };
  await actions[options.action](options);
}

async function checkConfiguration({ config, demo, state, trust }: Options): Promise<void> {
  if (config !== undefined) {
    const folder = openStateFolder(state);
    const consents = new Consents(folder.consents);
    const loaded = readConfig(config);
    consents.allowNewFile(loaded);
    if (trust) {
      consents.add(loaded.config.upstreams.map(readUpstreamAccess));
      await sendToRunningGateway(folder, 'reload');
    }
    if (!(await checkConfig(loaded, new KeySources(process.env), consents, printLine))) process.exitCode = 1;
  }
  if (demo) printLine('upstream demo: its models need no configuration.');
}

async function stop({ state }: Options): Promise<void> {
  const folder = openStateFolder(state);
  if (await stopRunningGateway(folder)) return printLine('The local gateway was stopped.');
  printLine(`No local gateway runs with the folder ${folder.path}.`);
  process.exitCode = 1;
}

/** Replaces the credential. A running gateway uses the new one at once. */
async function changeCredential({ state }: Options): Promise<void> {
  const folder = openStateFolder(state);
  replaceCredential(folder.credential);
  printLine(JSON.stringify({ credentialFile: folder.credential }));
  await sendToRunningGateway(folder, 'reload');
}

function makeCredential({ makeCredential: name }: Options): void {
  const credential = generateCredential();
  const sha256 = hash('sha256', credential);
  printLine(JSON.stringify({ credential, configuration: { name, sha256 } }, undefined, 2));
}

function fail(error: unknown): never {
  process.stderr.write(`${describeError(error)}\n`);
  if (error instanceof AlreadyRunningError) process.exit(3);
  if (error instanceof PortInUseError) process.exit(4);
  process.exit(error instanceof UsageError || error instanceof ConfigError ? 2 : 1);
}

function describeError(error: unknown): string {
  const isPlain = [UsageError, ConfigError, AlreadyRunningError, NoReplyError, PortInUseError].some(
    (kind) => error instanceof kind,
  );
  if (error instanceof Error && isPlain) return error.message;
  if (error instanceof Error && errorCode(error) === 'EACCES')
    return `The gateway lacks a permission: ${error.message}.`;
  return errorTrace(error);
}

function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch(fail);
