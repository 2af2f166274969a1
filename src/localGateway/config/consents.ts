import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { sameJson } from '../../base/json.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { UpstreamAccess } from '../../protocol/gatewayControl.ts';
import { keyFileAt } from '../upstreams/keys/keyFile.ts';
import { addressesOf } from '../upstreams/kinds/upstreamKinds.ts';
import type { UpstreamConfig } from '../upstreams/upstreamFields.ts';
import type { ReadConfig } from './configFile.ts';
import { writePrivateFile } from './privateFile.ts';

/**
 * Where requests of an upstream go and where its key comes from. Proxies may follow a path or a header to another
 * place. Other fields need no consent.
 */
export const upstreamAccess = z.strictObject({
  addresses: z.array(z.string().max(2_000)).max(10),
  headers: z.record(z.string(), z.string()).optional(),
  keyEnv: z.string().max(1_000).optional(),
  keyCommand: z.string().max(20_000).optional(),
  keyFile: z.string().max(5_000).optional(),
}) satisfies z.ZodType<UpstreamAccess>;

const consentFile = z.object({ upstreams: z.array(upstreamAccess), files: z.array(z.string()) });

export function accessOf(config: UpstreamConfig): UpstreamAccess {
  const { headers = {}, keyEnv, keyCommand, keyFile } = config;
  return {
    addresses: [...new Set(addressesOf(config).map(({ href }) => href.replace(/\/$/, '')))],
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(keyEnv !== undefined && { keyEnv }),
    ...(keyCommand !== undefined && { keyCommand }),
    ...(keyFile !== undefined && { keyFile: keyFileAt(keyFile) }),
  };
}

/**
 * What the user allowed upstreams: where requests go, and with which key. A configuration file may come from others,
 * or be changed by them, so that what it says of these counts only with consent.
 */
export class Consents {
  readonly #path: string;
  #upstreams: readonly UpstreamAccess[] = [];
  #files: readonly string[] = [];
  /** Whether an access is covered, until the consents change: each request asks for it. */
  #covered = new WeakMap<UpstreamAccess, boolean>();

  /** @param path of the file that stores them, in the user's own folder; there may be none yet */
  constructor(path: string) {
    this.#path = path;
    this.read();
  }

  /** Reads the file again, which another process may have changed. */
  read(): void {
    const stored = consentFile.safeParse(readStored(this.#path));
    this.#allow(stored.success ? stored.data.upstreams : []);
    this.#files = stored.success ? stored.data.files : [];
  }

  /** Whether requests may go where this says, with its key. A server on this machine needs consent for keys alone. */
  covers(access: UpstreamAccess): boolean {
    const known = this.#covered.get(access);
    if (known !== undefined) return known;
    const { addresses, headers: _, ...key } = access;
    const isHere = addresses.every((address) => isLoopback(new URL(address).hostname));
    const isFree = isHere && Object.keys(key).length === 0;
    const isCovered = isFree || this.#upstreams.some((each) => sameJson(each, access));
    this.#covered.set(access, isCovered);
    return isCovered;
  }

  #allow(upstreams: readonly UpstreamAccess[]): void {
    this.#upstreams = upstreams;
    this.#covered = new WeakMap();
  }

  add(accesses: readonly UpstreamAccess[]): void {
    const added = accesses.filter((access) => !this.covers(access));
    if (added.length === 0) return;
    this.#allow([...this.#upstreams, ...added]);
    this.#store();
  }

  /**
   * Takes a configuration that the user names for the first time as consent to the addresses in it. Keys are excluded,
   * because the file may have come in an archive: those need the user's word.
   */
  begin({ file, config }: ReadConfig): void {
    const path = resolve(file);
    if (this.#files.includes(path)) return;
    this.#files = [...this.#files, path];
    const isKeyless = ({ keyEnv, keyCommand, keyFile }: UpstreamAccess) =>
      keyEnv === undefined && keyCommand === undefined && keyFile === undefined;
    const plain = config.upstreams
      .map(accessOf)
      .filter((access) => isKeyless(access) && !this.covers(access));
    this.#allow([...this.#upstreams, ...plain]);
    this.#store();
  }

  /** The upstreams of a configuration that wait for consent. */
  waiting({ config }: Pick<ReadConfig, 'config'>): readonly UpstreamConfig[] {
    return config.upstreams.filter((upstream) => !this.covers(accessOf(upstream)));
  }

  #store(): void {
    const content = { upstreams: this.#upstreams, files: this.#files };
    writePrivateFile(this.#path, `${JSON.stringify(content, undefined, 2)}\n`);
  }
}

/**
 * What an upstream waits for, in one line.
 *
 * @param command how a command and headers are shown: in full only to the user who decides, for they may hold a secret
 */
export function accessWords(
  { addresses, headers, keyEnv, keyCommand, keyFile }: UpstreamAccess,
  command: 'in-full' | 'left-out' = 'left-out',
): string {
  const written = command === 'in-full' ? headers : Object.keys(headers ?? {});
  const where = addresses.join(' and ') + (headers ? ` with the headers ${JSON.stringify(written)}` : '');
  if (keyEnv !== undefined) return `the key in the environment variable ${keyEnv} goes to ${where}`;
  if (keyFile !== undefined) return `the key in the file ${JSON.stringify(keyFile)} goes to ${where}`;
  if (keyCommand === undefined) return `requests go to ${where}`;
  const named = command === 'in-full' ? `the command ${JSON.stringify(keyCommand)}` : 'its keyCommand';
  return `the key that ${named} prints goes to ${where}`;
}

function readStored(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
