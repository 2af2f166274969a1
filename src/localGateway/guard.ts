import { createHash, timingSafeEqual } from 'node:crypto';
import { headerPresets } from '../wire/headerNames.ts';
import type { Route, RouteGroup } from '../wire/routes.ts';
import { matchPath } from './routePath.ts';

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

export type Verdict = Admission | Refusal;

export interface Admission {
  readonly admitted: true;
  readonly route: Route;
  /** The path in one spelling, what stands for a `{name}` of the route being one encoded segment. */
  readonly path: string;
}

export interface Refusal {
  readonly admitted: false;
  readonly status: number;
  readonly reason: RefusalReason;
  /** Whether the caller proved to know this start's credential, and so may be told what else is wrong. */
  readonly credentialShown: boolean;
  /** What the path belongs to, where there is such a path. */
  readonly group?: RouteGroup;
  /** The methods the path does have, for a wrong method. */
  readonly allow?: readonly string[];
}

/**
 * Decides whether a request may reach the gateway. Loopback is no boundary: any web page and any program
 * on this machine can connect, so the checks run in this order and the first failure decides. A page that
 * rebinds a name fails at Host, one that posts across sites at Origin or Sec-Fetch-Site, and whoever lacks
 * the credential of this start learns nothing but a status, and on a route that there is, that it is lacking.
 */
export function judge(facts: RequestFacts, rules: GuardRules): Verdict {
  const header = (name: string) => headerValues(facts.rawHeaders, name);

  if (facts.httpVersion !== '1.1') return refuse(505, 'http-version');
  if (!facts.target.startsWith('/')) return refuse(400, 'target-form');
  if (!isOwnHost(header('host'), facts.localPort)) return refuse(421, 'host');
  if (header('origin').length > 0) return refuse(403, 'origin');
  if (header('sec-fetch-site').some((site) => site !== 'none')) return refuse(403, 'fetch-site');

  const atPath = rules.routes.flatMap((route) => {
    const path = matchPath(facts.target, route.path);
    return path === undefined ? [] : { route, path };
  });
  const found = atPath.find(({ route }) => route.method === facts.method);
  if (!found) {
    const credentialShown = showsCredential(facts, rules);
    const [other] = atPath;
    if (!other) return { ...refuse(404, 'route'), credentialShown };
    const allow = [...new Set(atPath.map(({ route }) => route.method))];
    return { ...refuse(405, 'method'), credentialShown, group: other.route.group, allow };
  }

  const { route } = found;
  if (!showsCredential(facts, rules)) return { ...refuse(401, 'credential'), group: route.group };
  const known = { credentialShown: true, group: route.group };
  if (route.method === 'POST' && announcesBody(header) && !saysJson(facts.rawHeaders)) {
    return { ...refuse(415, 'content-type'), ...known };
  }
  if (header('content-length').some((length) => Number(length) > maxBodyBytes)) {
    return { ...refuse(413, 'body-size'), ...known };
  }
  return { admitted: true, ...found };
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

/** A body that comes in pieces may turn out to be none: its type is looked at when it is there. */
function announcesBody(header: (name: string) => readonly string[]): boolean {
  return header('content-length').some((length) => Number(length) !== 0);
}

/** Whether a request with these headers has a body of JSON, if it has one. */
export function saysJson(rawHeaders: readonly string[]): boolean {
  const contentTypes = headerValues(rawHeaders, 'content-type');
  const [contentType] = contentTypes;
  if (contentTypes.length !== 1 || contentType === undefined) return false;
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/**
 * The headers in which SDKs and tools send the credential: each is taken on every route, and a request may
 * have several of them. An address never holds it.
 */
export const credentialHeaders: readonly string[] = [
  'authorization',
  'api-key',
  'x-api-key',
  ...Object.values(headerPresets).map(({ vendorApiKey }) => vendorApiKey),
];

/** Whether the credential was presented, and nothing beside it that is none. */
function showsCredential({ rawHeaders }: RequestFacts, rules: GuardRules): boolean {
  const presented = credentialHeaders.flatMap((name) =>
    headerValues(rawHeaders, name).map((value) => (name === 'authorization' ? bearerToken(value) : value)),
  );
  return presented.length > 0 && presented.every((value) => isCredential(value, rules));
}

/** Whether the value of a header holds the credential, alone or between characters that it has none of. */
export function holdsCredential(value: string, rules: GuardRules): boolean {
  return value.split(/[^\w-]+/).some((word) => isCredential(word, rules));
}

function isCredential(value: string | undefined, { credentialDigest }: GuardRules): boolean {
  return value !== undefined && timingSafeEqual(digest(value), credentialDigest);
}

function bearerToken(value: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(value)?.[1];
}

function refuse(status: number, reason: RefusalReason): Refusal {
  return { admitted: false, status, reason, credentialShown: false };
}
