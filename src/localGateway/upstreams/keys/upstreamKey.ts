import { createHash } from 'node:crypto';
import { createCommandKey } from '../../../base/node/commandKey.ts';
import { KeyError, type KeySource } from '../../../base/node/keySource.ts';
import { createRenewedKey } from '../../../base/node/renewedKey.ts';
import type { UpstreamAccess } from '../../../protocol/gatewayControl.ts';
import { readKeyFile, resolveKeyFile } from './keyFile.ts';
import type { NamedKey } from './keyRing.ts';

/** How long a key without an expiry is used before its file is read again, in milliseconds. */
const fileLifeMs = 10_000;

type KeyFields = Pick<UpstreamAccess, 'keyEnv' | 'keyCommand' | 'keyFile'>;

/**
 * Keys that are stored outside the gateway. They are read once per request, because a key may arrive or change
 * while the gateway runs.
 */
export interface ExternalKeys {
  /** Reads the key of the upstream that a window of VS Code sent. */
  readStored(): string | undefined;
  readVariable(name: string): string | undefined;
}

/** The name of an upstream's key that VS Code stores. Names in a configuration do not contain spaces. */
export const storedKeyName = 'VS Code';

/**
 * Returns the name of a key in a list. A key without a name in the configuration is named after its source, because
 * tasks store the name: it must not change when keys are inserted. Commands and paths are hashed.
 */
export function deriveKeyName({
  name,
  keyEnv,
  keyCommand,
  keyFile,
}: KeyFields & { readonly name?: string | undefined }): string {
  if (name !== undefined) return name;
  if (keyEnv !== undefined) return `$${keyEnv}`;
  const source = keyCommand === undefined ? `keyFile ${keyFile}` : `keyCommand ${keyCommand}`;
  return `key ${createHash('sha256').update(source).digest('hex').slice(0, 8)}`;
}

/**
 * Finds the sources of an upstream's keys, in the order of their use. A key that a window sent has priority over
 * the others.
 */
export function findUpstreamKeys(
  { keys, ...single }: KeyFields & { readonly keys?: readonly (KeyFields & { readonly name?: string })[] },
  { readStored, readVariable }: ExternalKeys,
): readonly NamedKey[] {
  const readKeyEnv = (keyEnv: string | undefined) =>
    keyEnv === undefined ? undefined : readVariable(keyEnv);
  if (!keys) return [{ source: createKeySource(single, () => readStored() ?? readKeyEnv(single.keyEnv)) }];
  return [
    { name: storedKeyName, source: createExternalKey(readStored) },
    ...keys.map((fields) => ({
      name: deriveKeyName(fields),
      source: createKeySource(fields, () => readKeyEnv(fields.keyEnv)),
    })),
  ];
}

function createKeySource(
  { keyEnv, keyCommand, keyFile }: KeyFields,
  readExternalKey: () => string | undefined,
): KeySource {
  const source = createRenewedSource(keyCommand, keyFile);
  if (!source) return createExternalKey(readExternalKey, keyEnv);
  return { ...source, read: (signal) => readExternalKey() ?? source.read(signal) };
}

function createRenewedSource(command: string | undefined, file: string | undefined): KeySource | undefined {
  if (command !== undefined) return createCommandKey(command, 'its keyCommand');
  if (file === undefined) return undefined;
  // Resolved once, like the consent to it, so that a later link cannot lead to another file.
  const path = resolveKeyFile(file);
  const load = () => readKeyFile(path);
  return createRenewedKey({ location: `in its keyFile ${file}`, load, defaultLifetimeMs: fileLifeMs });
}

/**
 * Creates a source of a key that is stored outside the gateway: in an environment variable, or in a window of VS
 * Code.
 *
 * @param keyEnv the variable, which must be set; absent if the key is optional
 */
export function createExternalKey(read: () => string | undefined, keyEnv?: string): KeySource {
  return {
    ...(keyEnv !== undefined && { location: `in the environment variable ${keyEnv}` }),
    read() {
      const key = read();
      if (key === undefined && keyEnv !== undefined)
        throw new KeyError(`the environment variable ${keyEnv} is not set`);
      return key;
    },
    reportRefused() {},
    close() {},
  };
}
