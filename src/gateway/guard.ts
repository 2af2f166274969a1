import { createHash, timingSafeEqual } from 'node:crypto';
import type { CredentialHeader, Route } from '../wire/routes.ts';

/** Largest request body, in bytes. */
export const maxBodyBytes = 25 * 1024 * 1024;

/** What the guard looks at: the request as it was sent, before anything is interpreted. */
export interface RequestFacts {
  readonly httpVersion: string;
  readonly method: string;
  /** The request target exactly as sent. */
  readonly target: string;
  /** Names and values in turn, as sent, repeated headers kept. */
  readonly rawHeaders: readonly string[];
  /** The port the connection arrived at. */
  readonly localPort: number;
}

export interface GuardRules {
  /** The routes this gateway serves; everything else is 404 or 405. */
  readonly routes: readonly Route[];
  readonly credentialDigest: Buffer;
}

export type RefusalReason =
  | 'http-version'
  | 'target-form'
  | 'host'
  | 'origin'
  | 'fetch-site'
  | 'route'
  | 'method'
  | 'credential'
  | 'content-type'
  | 'body-size';

export type Verdict =
  | { readonly admitted: true; readonly route: Route }
  | {
      readonly admitted: false;
      readonly status: number;
      readonly reason: RefusalReason;
      /** Whether the caller proved to know this start's credential, and so may be told what is wrong. */
      readonly credentialShown: boolean;
      /** The methods the path does have, for a wrong method. */
      readonly allow?: readonly string[];
    };

/**
 * Decides whether a request may reach the gateway. Loopback is no boundary: any web page and any program
 * on this machine can connect, so the checks run in this order and the first failure decides. A page that
 * rebinds a name fails at Host, one that posts across sites at Origin or Sec-Fetch-Site, and whoever lacks
 * the credential of this start learns nothing but a status.
 */
export function judge(facts: RequestFacts, rules: GuardRules): Verdict {
  const refuse = (status: number, reason: RefusalReason, credentialShown = false): Verdict => ({
    admitted: false,
    status,
    reason,
    credentialShown,
  });
  const header = (name: string) => headerValues(facts.rawHeaders, name);

  if (facts.httpVersion !== '1.1') return refuse(505, 'http-version');
  if (!facts.target.startsWith('/')) return refuse(400, 'target-form');
  if (!isOwnHost(header('host'), facts.localPort)) return refuse(421, 'host');
  if (header('origin').length > 0) return refuse(403, 'origin');
  if (header('sec-fetch-site').some((site) => site !== 'none')) return refuse(403, 'fetch-site');

  const path = decodePath(facts.target);
  const atPath = rules.routes.filter((route) => route.path === path);
  const route = atPath.find(({ method }) => method === facts.method);
  if (!route) {
    const shown = (['bearer', 'vendor-api-key'] as const).some((kind) => showsCredential(kind, facts, rules));
    if (atPath.length === 0) return refuse(404, 'route', shown);
    const allow = atPath.map(({ method }) => method);
    return { admitted: false, status: 405, reason: 'method', credentialShown: shown, allow };
  }

  if (!showsCredential(route.credential, facts, rules)) return refuse(401, 'credential');
  if (route.method === 'POST' && !isJson(header('content-type'))) return refuse(415, 'content-type', true);
  if (header('content-length').some((length) => Number(length) > maxBodyBytes)) {
    return refuse(413, 'body-size', true);
  }
  return { admitted: true, route };
}

/** Digest by which credentials are compared: equal in length whatever was presented. */
export function digest(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}

function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}

function isOwnHost(hosts: readonly string[], port: number): boolean {
  const [host] = hosts;
  if (hosts.length !== 1 || host === undefined) return false;
  return ['127.0.0.1', 'localhost', '[::1]'].some((name) => host === `${name}:${port}`);
}

/** The path after decoding each segment once; undefined when it cannot be decoded or hides a slash. */
function decodePath(target: string): string | undefined {
  const [path = ''] = target.split('?', 1);
  try {
    const segments = path.split('/').map(decodeURIComponent);
    return segments.some((segment) => segment.includes('/')) ? undefined : segments.join('/');
  } catch {
    return undefined;
  }
}

function isJson(contentTypes: readonly string[]): boolean {
  const [contentType] = contentTypes;
  if (contentTypes.length !== 1 || contentType === undefined) return false;
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** Both spellings of the vendor header are taken: the neutral one and the one the vendor's own tools send. */
const vendorKeyHeaders = ['x-vendor-api-key', 'x-goog-api-key'];

function showsCredential(kind: CredentialHeader, { rawHeaders }: RequestFacts, rules: GuardRules): boolean {
  const names = kind === 'bearer' ? ['authorization'] : vendorKeyHeaders;
  const values = names.flatMap((name) => headerValues(rawHeaders, name));
  const [value] = values;
  if (values.length !== 1 || value === undefined) return false;
  const credential = kind === 'bearer' ? /^Bearer +(\S+)$/i.exec(value)?.[1] : value;
  return credential !== undefined && timingSafeEqual(digest(credential), rules.credentialDigest);
}
