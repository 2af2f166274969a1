import { type ChildProcess, spawn } from 'node:child_process';
import { readKeyFile, resolveKeyFile } from './keyFile.ts';
import type { NamedKey } from './keyRing.ts';
import { externalKey, KeyError, type KeySource } from './keySource.ts';
import { renewedKey } from './renewedKey.ts';
import { readToken, type Token } from './token.ts';

/** How long a key without an expiry is used before it is read again, in milliseconds. */
const commandLifeMs = 5 * 60_000;
const fileLifeMs = 10_000;

/** The fields of a configuration that name the source of a key. */
interface KeyFields {
  readonly keyEnv?: string | undefined;
  readonly keyCommand?: string | undefined;
  readonly keyFile?: string | undefined;
}

/**
 * Keys that are stored elsewhere. They are read once per request, so that a key may arrive or change while the
 * gateway runs.
 */
export interface ExternalKeys {
  /** The key of the upstream that a window of VS Code sent. */
  stored(): string | undefined;
  variable(name: string): string | undefined;
}

/** The name of an upstream's key that VS Code stores. Names in a configuration have no spaces. */
export const storedKeyName = 'VS Code';

/** The name of a key in a list. */
export function keyNameOf({ name }: { readonly name?: string | undefined }, index: number): string {
  return name ?? `key ${index + 1}`;
}

/**
 * Finds the sources of an upstream's keys, in the order of their use. A key that a window sent has priority over
 * the others.
 */
export function upstreamKeys(
  { keys, ...single }: KeyFields & { readonly keys?: readonly (KeyFields & { readonly name?: string })[] },
  { stored, variable }: ExternalKeys,
): readonly NamedKey[] {
  const inVariable = (keyEnv: string | undefined) => (keyEnv === undefined ? undefined : variable(keyEnv));
  if (!keys) return [{ source: keySource(single, () => stored() ?? inVariable(single.keyEnv)) }];
  return [
    { name: storedKeyName, source: externalKey(stored) },
    ...keys.map((fields, index) => ({
      name: keyNameOf(fields, index),
      source: keySource(fields, () => inVariable(fields.keyEnv)),
    })),
  ];
}

function keySource(
  { keyEnv, keyCommand, keyFile }: KeyFields,
  readExternalKey: () => string | undefined,
): KeySource {
  const source = renewedSource(keyCommand, keyFile);
  if (!source) return externalKey(readExternalKey, keyEnv);
  return { ...source, read: (signal) => readExternalKey() ?? source.read(signal) };
}

function renewedSource(command: string | undefined, file: string | undefined): KeySource | undefined {
  if (command !== undefined) {
    const load = (signal: AbortSignal) => keyOfCommand(command, signal);
    return renewedKey({ location: 'that its keyCommand prints', load, unknownLifeMs: commandLifeMs });
  }
  if (file === undefined) return undefined;
  // Resolved once, like the consent to it, so that a later link cannot lead to another file.
  const path = resolveKeyFile(file);
  const load = () => readKeyFile(path);
  return renewedKey({ location: `in its keyFile ${file}`, load, unknownLifeMs: fileLifeMs });
}

const timeoutMs = 30_000;
const maxOutputBytes = 64 * 1024;

/**
 * Runs a command of the user in the system's shell and reads the key that it prints. Its standard error is not
 * reported, because it may contain a key.
 *
 * @throws {KeyError}
 */
async function keyOfCommand(command: string, signal: AbortSignal): Promise<Token> {
  const text = await outputOf(command, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  return readToken(text, 'the output of its keyCommand', Date.now());
}

function outputOf(command: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    // The command gets its own process group, so that programs that the shell starts end with it.
    const isGroup = process.platform !== 'win32';
    const child = spawn(command, {
      shell: true,
      detached: isGroup,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    const fail = (reason: string) => {
      signal.removeEventListener('abort', stop);
      killGroup(child, isGroup);
      reject(new KeyError(`its keyCommand ${reason}. Run it in a terminal to see why`));
    };
    const stop = () => fail(`printed no key within ${timeoutMs / 1000} seconds`);
    signal.addEventListener('abort', stop);
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxOutputBytes) fail('printed far more than a key');
      else pieces.push(piece);
    });
    child.once('error', ({ code }: NodeJS.ErrnoException) => fail(`cannot be run (${code})`));
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', stop);
      if (code === 0) resolve(Buffer.concat(pieces).toString());
      else fail(killedBy ? `was killed by ${killedBy}` : `ended with exit code ${code}`);
    });
    if (signal.aborted) stop();
  });
}

function killGroup({ pid, exitCode, signalCode, stdout }: ChildProcess, isGroup: boolean): void {
  stdout?.destroy();
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(isGroup ? -pid : pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
