import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { errorCode, errorTrace } from '../../base/errors.ts';
import { checkConfig } from '../config/check.ts';
import { ConfigError } from '../config/configError.ts';
import { readConfig } from '../config/configFile.ts';
import { accessOf, Consents } from '../config/consents.ts';
import { newCredential, replaceCredential } from '../config/credentialFile.ts';
import { Keys } from '../config/keys.ts';
import { helpText, type Options, parseOptions, UsageError } from '../config/options.ts';
import { openStateFolder } from '../config/stateFolder.ts';
import { RunsAlready, stopRunning, tellRunning } from '../operation/instance.ts';
import { PortTaken } from '../operation/port.ts';
import { runGateway } from '../operation/run.ts';
import { version } from '../operation/version.ts';

// There is little to collect at once, for which other threads take longer to begin than to end.
setFlagsFromString('--no-parallel-scavenge');

async function main(): Promise<void> {
  // Whoever reads the output may end first; the gateway goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const options = parseOptions(process.argv.slice(2));
  const act: Readonly<Record<Options['action'], (options: Options) => Promise<void> | void>> = {
    help: () => tell(helpText.trimEnd()),
    version: () => tell(version),
    serve: runGateway,
    check,
    stop,
    newCredential: changeCredential,
    makeCredential,
  };
  await act[options.action](options);
}

async function check({ config, demo, state, trust }: Options): Promise<void> {
  if (config !== undefined) {
    const folder = openStateFolder(state);
    const consents = new Consents(folder.consents);
    const read = readConfig(config);
    consents.begin(read);
    if (trust) {
      consents.add(read.config.upstreams.map(accessOf));
      await tellRunning(folder, 'reload');
    }
    if (!(await checkConfig(config, new Keys(process.env), consents, tell))) process.exitCode = 1;
  }
  if (demo) tell('upstream demo: its models need nothing.');
}

async function stop({ state }: Options): Promise<void> {
  const folder = openStateFolder(state);
  if (await stopRunning(folder)) return tell('The local gateway was stopped.');
  tell(`No local gateway runs with the folder ${folder.path}.`);
  process.exitCode = 1;
}

/** A gateway that runs takes the new credential at once. */
async function changeCredential({ state }: Options): Promise<void> {
  const folder = openStateFolder(state);
  replaceCredential(folder.credential);
  await tellRunning(folder, 'reload');
  tell(JSON.stringify({ credentialFile: folder.credential }));
}

function makeCredential({ makeCredential: name }: Options): void {
  const credential = newCredential();
  const sha256 = createHash('sha256').update(credential).digest('hex');
  tell(JSON.stringify({ credential, configuration: { name, sha256 } }, undefined, 2));
}

function fail(error: unknown): never {
  process.stderr.write(`${describe(error)}\n`);
  if (error instanceof RunsAlready) process.exit(3);
  if (error instanceof PortTaken) process.exit(4);
  process.exit(error instanceof UsageError || error instanceof ConfigError ? 2 : 1);
}

function describe(error: unknown): string {
  const isPlain = [UsageError, ConfigError, RunsAlready, PortTaken].some((kind) => error instanceof kind);
  if (error instanceof Error && isPlain) return error.message;
  if (error instanceof Error && errorCode(error) === 'EACCES')
    return `The gateway may not do that here: ${error.message}.`;
  return errorTrace(error);
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch(fail);
