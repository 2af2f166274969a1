import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { sameJson } from '../../base/json.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { UpstreamAccess } from '../../protocol/gatewayControl.ts';
import { resolveKeyFile } from '../upstreams/keys/keyFile.ts';
import { upstreamAddresses } from '../upstreams/kinds/upstreamKinds.ts';
import type { UpstreamConfig } from '../upstreams/upstreamConfig.ts';
import type { LoadedConfig } from './configFile.ts';
import { writePrivateFile } from './privateFile.ts';

/** The source of a key. */
const keyAccess = z.strictObject({
  keyEnv: z.string().max(1_000).optional(),
  keyCommand: z.string().max(20_000).optional(),
  keyFile: z.string().max(5_000).optional(),
});

type KeyAccess = z.infer<typeof keyAccess>;

/**
 * The addresses of an upstream's requests and the sources of its keys. Proxies may follow a path or a header to
 * another address. Other fields need no consent.
 */
export const upstreamAccess = z.strictObject({
  addresses: z.array(z.string().max(2_000)).max(10),
  headers: z.record(z.string(), z.string()).optional(),
  ...keyAccess.shape,
  keys: z.array(keyAccess).max(100).optional(),
}) satisfies z.ZodType<UpstreamAccess>;

const consentFile = z.object({ upstreams: z.array(upstreamAccess), files: z.array(z.string()) });

export function upstreamAccessOf(config: UpstreamConfig): UpstreamAccess {
  const { headers = {}, keys } = config;
  return {
    addresses: [...new Set(upstreamAddresses(config).map(({ href }) => href.replace(/\/$/, '')))],
    ...(Object.keys(headers).length > 0 && { headers }),
    ...keyAccessOf(config),
    ...(keys && { keys: keys.map(keyAccessOf) }),
  };
}

function keyAccessOf({ keyEnv, keyCommand, keyFile }: Partial<UpstreamConfig>): KeyAccess {
  return {
    ...(keyEnv !== undefined && { keyEnv }),
    ...(keyCommand !== undefined && { keyCommand }),
    ...(keyFile !== undefined && { keyFile: resolveKeyFile(keyFile) }),
  };
}

/**
 * The user's consents to upstreams: the addresses of requests, and the key. Other people may write or change a
 * configuration file, so its addresses and keys are used only with consent.
 */
export class Consents {
  readonly #path: string;
  #upstreams: readonly UpstreamAccess[] = [];
  #files: readonly string[] = [];
  /** Whether an access is covered, cached until the consents change: each request checks it. */
  #covered = new WeakMap<UpstreamAccess, boolean>();

  /** @param path the file that stores them, in the user's own folder; it need not exist yet */
  constructor(path: string) {
    this.#path = path;
    this.read();
  }

  /** Reads the file again. Another process may have changed it. */
  read(): void {
    const stored = consentFile.safeParse(readStored(this.#path));
    this.#replace(stored.success ? stored.data.upstreams : []);
    this.#files = stored.success ? stored.data.files : [];
  }

  /**
   * Whether requests with the key may be sent to these addresses. A server on this machine needs consent only for
   * keys.
   */
  covers(access: UpstreamAccess): boolean {
    const cached = this.#covered.get(access);
    if (cached !== undefined) return cached;
    const { addresses, headers: _, ...key } = access;
    const isHere = addresses.every((address) => isLoopback(new URL(address).hostname));
    const isFree = isHere && Object.keys(key).length === 0;
    const isCovered = isFree || this.#upstreams.some((each) => sameJson(each, access));
    this.#covered.set(access, isCovered);
    return isCovered;
  }

  #replace(upstreams: readonly UpstreamAccess[]): void {
    this.#upstreams = upstreams;
    this.#covered = new WeakMap();
  }

  add(accesses: readonly UpstreamAccess[]): void {
    const added = accesses.filter((access) => !this.covers(access));
    if (added.length === 0) return;
    this.#replace([...this.#upstreams, ...added]);
    this.#store();
  }

  /**
   * Treats a configuration that the user names for the first time as consent to the addresses in it. Keys are
   * excluded, because the file may come from an archive; they need explicit consent.
   */
  allowNewFile({ file, config }: LoadedConfig): void {
    const path = resolve(file);
    if (this.#files.includes(path)) return;
    this.#files = [...this.#files, path];
    const isKeyless = ({ addresses: _, headers: __, ...keys }: UpstreamAccess) =>
      Object.keys(keys).length === 0;
    const keyless = config.upstreams
      .map(upstreamAccessOf)
      .filter((access) => isKeyless(access) && !this.covers(access));
    this.#replace([...this.#upstreams, ...keyless]);
    this.#store();
  }

  /** The upstreams of a configuration that wait for consent. */
  upstreamsWithoutConsent({ config }: Pick<LoadedConfig, 'config'>): readonly UpstreamConfig[] {
    return config.upstreams.filter((upstream) => !this.covers(upstreamAccessOf(upstream)));
  }

  #store(): void {
    const content = { upstreams: this.#upstreams, files: this.#files };
    writePrivateFile(this.#path, `${JSON.stringify(content, undefined, 2)}\n`);
  }
}

/**
 * A line that describes an upstream's need for consent.
 *
 * @param details whether a command and the values of headers are shown: only to the user who decides, because they
 * may contain a secret
 */
export function describeAccess(
  { addresses, headers, keys, ...single }: UpstreamAccess,
  details: 'in-full' | 'left-out' = 'left-out',
): string {
  const shownHeaders = details === 'in-full' ? headers : Object.keys(headers ?? {});
  const where =
    addresses.join(' and ') + (headers ? ` with the headers ${JSON.stringify(shownHeaders)}` : '');
  const sources = (keys ?? [single]).map((key) => describeKey(key, details)).filter((text) => text !== '');
  if (sources.length === 0) return `requests are sent to ${where}`;
  return `${sources.join(' and ')} ${sources.length === 1 ? 'is' : 'are'} sent to ${where}`;
}

function describeKey({ keyEnv, keyCommand, keyFile }: KeyAccess, details: 'in-full' | 'left-out'): string {
  if (keyEnv !== undefined) return `the key in the environment variable ${keyEnv}`;
  if (keyFile !== undefined) return `the key in the file ${JSON.stringify(keyFile)}`;
  if (keyCommand === undefined) return '';
  const source = details === 'in-full' ? `the command ${JSON.stringify(keyCommand)}` : 'its keyCommand';
  return `the key that ${source} prints`;
}

function readStored(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
