import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { sameJson } from '../../base/json.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { UpstreamAccess } from '../../protocol/gatewayControl.ts';
import { resolveKeyFile } from '../upstreams/keys/keyFile.ts';
import { listUpstreamAddresses } from '../upstreams/kinds/upstreamKinds.ts';
import type { UpstreamConfig } from '../upstreams/upstreamConfig.ts';
import type { LoadedConfig } from './configFile.ts';
import { writePrivateFile } from './stateFolder.ts';

const keyAccess = z.strictObject({
  keyEnv: z.string().max(1_000).optional(),
  keyCommand: z.string().max(20_000).optional(),
  keyFile: z.string().max(5_000).optional(),
});

type KeyAccess = z.infer<typeof keyAccess>;

/**
 * The addresses of an upstream's requests and the sources of its keys. Headers are included because a proxy may
 * select another address by them. Other fields do not need consent.
 */
export const upstreamAccess = z.strictObject({
  addresses: z.array(z.string().max(2_000)).max(10),
  headers: z.record(z.string(), z.string()).optional(),
  ...keyAccess.shape,
  keys: z.array(keyAccess).max(100).optional(),
}) satisfies z.ZodType<UpstreamAccess>;

const consentFile = z.object({ upstreams: z.array(upstreamAccess), files: z.array(z.string()) });

export function readUpstreamAccess(config: UpstreamConfig): UpstreamAccess {
  const { headers = {}, keys } = config;
  return {
    addresses: [...new Set(listUpstreamAddresses(config).map(({ href }) => href.replace(/\/$/, '')))],
    ...(Object.keys(headers).length > 0 && { headers }),
    ...readKeyAccess(config),
    ...(keys && { keys: keys.map(readKeyAccess) }),
  };
}

function readKeyAccess({ keyEnv, keyCommand, keyFile }: Partial<UpstreamConfig>): KeyAccess {
  return {
    ...(keyEnv !== undefined && { keyEnv }),
    ...(keyCommand !== undefined && { keyCommand }),
    ...(keyFile !== undefined && { keyFile: resolveKeyFile(keyFile) }),
  };
}

/** The user's consents to upstreams. They are necessary because other people may change a configuration file. */
export class Consents {
  readonly #path: string;
  #upstreams: readonly UpstreamAccess[] = [];
  #files: readonly string[] = [];
  /** The results of `covers`, cached until the consents change, because each request checks them. */
  #covered = new WeakMap<UpstreamAccess, boolean>();

  /** @param path the file that stores the consents, in the user's own folder; it need not exist yet */
  constructor(path: string) {
    this.#path = path;
    this.read();
  }

  /** Reads the file again. Another process may have changed it. */
  read(): void {
    const stored = consentFile.safeParse(readJsonFile(this.#path));
    this.#setUpstreams(stored.success ? stored.data.upstreams : []);
    this.#files = stored.success ? stored.data.files : [];
  }

  /**
   * Whether requests with the key may be sent to these addresses. A server on this machine needs consent only for
   * keys.
   */
  covers(access: UpstreamAccess): boolean {
    const cached = this.#covered.get(access);
    if (cached !== undefined) return cached;
    const isLocal = access.addresses.every((address) => isLoopback(new URL(address).hostname));
    const needsNoConsent = isLocal && !hasKeySource(access);
    const isCovered = needsNoConsent || this.#upstreams.some((each) => sameJson(each, access));
    this.#covered.set(access, isCovered);
    return isCovered;
  }

  #setUpstreams(upstreams: readonly UpstreamAccess[]): void {
    this.#upstreams = upstreams;
    this.#covered = new WeakMap();
  }

  add(accesses: readonly UpstreamAccess[]): void {
    const newAccesses = accesses.filter((access) => !this.covers(access));
    if (newAccesses.length === 0) return;
    this.#setUpstreams([...this.#upstreams, ...newAccesses]);
    this.#store();
  }

  /**
   * Stores consent to the upstreams without keys in a configuration that the user names for the first time. Keys
   * need explicit consent, because the file may come from an archive.
   */
  allowNewFile({ file, config }: LoadedConfig): void {
    const path = resolve(file);
    if (this.#files.includes(path)) return;
    this.#files = [...this.#files, path];
    const keyless = config.upstreams
      .map(readUpstreamAccess)
      .filter((access) => !hasKeySource(access) && !this.covers(access));
    this.#setUpstreams([...this.#upstreams, ...keyless]);
    this.#store();
  }

  /** Lists the upstreams of a configuration that wait for consent. */
  listUpstreamsWithoutConsent({ config }: Pick<LoadedConfig, 'config'>): readonly UpstreamConfig[] {
    return config.upstreams.filter((upstream) => !this.covers(readUpstreamAccess(upstream)));
  }

  #store(): void {
    const content = { upstreams: this.#upstreams, files: this.#files };
    writePrivateFile(this.#path, `${JSON.stringify(content, undefined, 2)}\n`);
  }
}

function hasKeySource({ addresses: _, headers: __, ...sources }: UpstreamAccess): boolean {
  return Object.keys(sources).length > 0;
}

/**
 * Describes an access in a clause, such as `the key in the file "k" is sent to https://models.example`.
 *
 * @param details `in-full` only for the user who decides: commands and header values may contain a secret
 */
export function describeAccess(
  { addresses, headers, keys, ...single }: UpstreamAccess,
  details: 'in-full' | 'left-out' = 'left-out',
): string {
  const shownHeaders = details === 'in-full' ? headers : Object.keys(headers ?? {});
  const destination =
    addresses.join(' and ') + (headers ? ` with the headers ${JSON.stringify(shownHeaders)}` : '');
  const sources = (keys ?? [single]).map((key) => describeKey(key, details)).filter((text) => text !== '');
  if (sources.length === 0) return `requests are sent to ${destination}`;
  return `${sources.join(' and ')} ${sources.length === 1 ? 'is' : 'are'} sent to ${destination}`;
}

function describeKey({ keyEnv, keyCommand, keyFile }: KeyAccess, details: 'in-full' | 'left-out'): string {
  if (keyEnv !== undefined) return `the key in the environment variable ${keyEnv}`;
  if (keyFile !== undefined) return `the key in the file ${JSON.stringify(keyFile)}`;
  if (keyCommand === undefined) return '';
  const source = details === 'in-full' ? `the command ${JSON.stringify(keyCommand)}` : 'its keyCommand';
  return `the key that ${source} prints`;
}

function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
