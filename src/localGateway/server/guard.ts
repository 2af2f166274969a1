import { createHash, timingSafeEqual } from 'node:crypto';
import { headerPresets } from '../../wire/headerNames.ts';
import type { Route } from '../../wire/routes.ts';
import { matchPath } from './routePath.ts';

/** The largest request body in bytes. */
export const maxBodyBytes = 25 * 1024 * 1024;

/** A request as it was sent, before anything is interpreted. */
export interface RequestHead {
  readonly httpVersion: string;
  readonly method: string;
  /** The request target as it was sent. */
  readonly target: string;
  /** Names and values in turn as they were sent, with repeated headers. */
  readonly rawHeaders: readonly string[];
  /** The local port of the connection. */
  readonly localPort: number;
}

export interface GuardRules {
  /** The routes of this gateway. Everything else is 404 or 405. */
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

export type GuardDecision = Admission | Refusal;

export interface Admission {
  readonly admitted: true;
  readonly route: Route;
  /** The path in one spelling: the value of each `{name}` is one encoded segment. */
  readonly path: string;
}

export interface Refusal {
  readonly admitted: false;
  readonly status: number;
  readonly reason: RefusalReason;
  /** Whether the caller has shown this start's credential, and may learn what else is wrong. */
  readonly credentialShown: boolean;
  /** The group of the path, if there is such a path. */
  readonly group?: string;
  /** The methods that the path has, when the method is wrong. */
  readonly allow?: readonly string[];
}

/**
 * Decides whether a request may reach the gateway. Any web page and any program on this machine can connect
 * to loopback, so the checks run in this order and the first failure decides. A page that rebinds a name
 * fails at Host, and one that posts across sites fails at Origin or Sec-Fetch-Site. A caller without the
 * credential learns only a status, and on an existing route that the credential is missing.
 */
export function checkRequest(head: RequestHead, rules: GuardRules): GuardDecision {
  const header = (name: string) => headerValues(head.rawHeaders, name);

  if (head.httpVersion !== '1.1') return refuse(505, 'http-version');
  if (!head.target.startsWith('/')) return refuse(400, 'target-form');
  if (!isOwnHost(header('host'), head.localPort)) return refuse(421, 'host');
  if (header('origin').length > 0) return refuse(403, 'origin');
  if (header('sec-fetch-site').some((site) => site !== 'none')) return refuse(403, 'fetch-site');

  const atPath = rules.routes.flatMap((route) => {
    const path = matchPath(head.target, route.path);
    return path === undefined ? [] : { route, path };
  });
  const found = atPath.find(({ route }) => route.method === head.method);
  if (!found) {
    const credentialShown = showsCredential(head, rules);
    const [other] = atPath;
    if (!other) return { ...refuse(404, 'route'), credentialShown };
    const allow = [...new Set(atPath.map(({ route }) => route.method))];
    return { ...refuse(405, 'method'), credentialShown, group: other.route.group, allow };
  }

  const { route } = found;
  if (!showsCredential(head, rules)) return { ...refuse(401, 'credential'), group: route.group };
  const known = { credentialShown: true, group: route.group };
  if (route.method === 'POST' && announcesBody(header) && !isJsonType(head.rawHeaders)) {
    return { ...refuse(415, 'content-type'), ...known };
  }
  if (header('content-length').some((length) => Number(length) > maxBodyBytes)) {
    return { ...refuse(413, 'body-size'), ...known };
  }
  return { admitted: true, ...found };
}

/** The digest by which credentials are compared, equally long for all of them. */
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

/** A body in chunks may be empty, so its type is checked when it has arrived. */
function announcesBody(header: (name: string) => readonly string[]): boolean {
  return header('content-length').some((length) => Number(length) !== 0);
}

/** Whether the headers say that a body, if any, is JSON. */
export function isJsonType(rawHeaders: readonly string[]): boolean {
  const contentTypes = headerValues(rawHeaders, 'content-type');
  const [contentType] = contentTypes;
  if (contentTypes.length !== 1 || contentType === undefined) return false;
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/**
 * The headers in which SDKs and tools send the credential. Every route accepts each, and several at once. A
 * URL never holds the credential.
 */
export const credentialHeaders: readonly string[] = [
  'authorization',
  'api-key',
  'x-api-key',
  ...Object.values(headerPresets).map(({ vendorApiKey }) => vendorApiKey),
];

/** Whether these headers hold the credential and nothing else. */
function showsCredential({ rawHeaders }: RequestHead, rules: GuardRules): boolean {
  const presented = credentialHeaders.flatMap((name) =>
    headerValues(rawHeaders, name).map((value) => (name === 'authorization' ? bearerToken(value) : value)),
  );
  return presented.length > 0 && presented.every((value) => isCredential(value, rules));
}

/** Whether a header value holds the credential, alone or between characters that occur in none. */
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
