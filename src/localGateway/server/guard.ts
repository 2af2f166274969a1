import type { Route } from '../../wire/routes.ts';
import type { Access, Credentials } from '../config/access.ts';
import { credentialHeaders } from '../upstreams/forwardedHeaders.ts';
import type { Params, RouteTable } from './routeTable.ts';

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
  readonly routes: RouteTable;
  /** The names of routes that take no credential. */
  readonly openRoutes: ReadonlySet<string>;
  readonly credentials: Pick<Credentials, 'find'>;
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
  | 'content-encoding'
  | 'body-size';

export type GuardDecision = Admission | Refusal;

export interface Admission {
  readonly admitted: true;
  readonly route: Route;
  readonly params: Params;
  /** The credential that the caller showed; undefined on a route that takes none. */
  readonly shown?: ShownCredential;
  /** Whether the headers say that a body, if any, is what the route reads: JSON, or a form on some. */
  readonly isReadable: boolean;
}

/** A credential that this gateway knows. */
export interface ShownCredential {
  readonly credential: string;
  readonly access: Access;
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
  /** The path that was likely meant, when there is no such path. */
  readonly meant?: string;
}

/**
 * Decides whether a request may reach the gateway. Any web page and any program on this machine can connect
 * to loopback, so the checks run in this order and the first failure decides. A page that rebinds a name
 * fails at Host, and one that posts across sites fails at Origin or Sec-Fetch-Site. A caller without the
 * credential learns only a status, and on an existing route that the credential is missing.
 */
export function checkRequest(head: RequestHead, rules: GuardRules): GuardDecision {
  const headers = readHeaders(head.rawHeaders);

  if (head.httpVersion !== '1.1') return refuse(505, 'http-version');
  if (!head.target.startsWith('/')) return refuse(400, 'target-form');
  const shown = shownCredential(headers, rules);
  const credentialShown = shown !== undefined;
  if (!isOwnHost(headers.hosts, head.localPort)) return { ...refuse(421, 'host'), credentialShown };
  if (headers.hasOrigin) return { ...refuse(403, 'origin'), credentialShown };
  if (headers.isOfOtherSite) return { ...refuse(403, 'fetch-site'), credentialShown };

  const found = rules.routes.find(head.method, head.target);
  if (!found) {
    const atPath = rules.routes.at(head.target);
    const [other] = atPath;
    if (!other) return { ...refuse(404, 'route'), credentialShown, ...meantBy(head.target, rules.routes) };
    const allow = [...new Set(atPath.map(({ route }) => route.method))];
    return { ...refuse(405, 'method'), credentialShown, group: other.route.group, allow };
  }

  const { route, params } = found;
  if (rules.openRoutes.has(route.name)) return { admitted: true, route, params, isReadable: false };
  if (!shown) return { ...refuse(401, 'credential'), group: route.group };
  const known = { credentialShown: true, group: route.group };
  // A body in chunks may be empty, so its type is checked when it has arrived.
  const announcesBody = headers.lengths.some((length) => Number(length) !== 0);
  const isReadable = isReadableType(headers.types, route);
  if (route.method === 'POST' && announcesBody && !isReadable) {
    return { ...refuse(415, 'content-type'), ...known };
  }
  if (headers.isEncoded && route.method === 'POST') return { ...refuse(415, 'content-encoding'), ...known };
  if (headers.lengths.some((length) => Number(length) > maxBodyBytes)) {
    return { ...refuse(413, 'body-size'), ...known };
  }
  return { admitted: true, route, params, shown, isReadable };
}

/** The path that there is, where the caller's base address ends too early or too late. */
function meantBy(target: string, routes: RouteTable): Pick<Refusal, 'meant'> {
  const [path = ''] = target.split('?', 1);
  const near = [`/v1${path}`, `/v1beta${path}`, path.replace(/^\/v1(?:beta)?(?=\/v1)/, '')];
  const meant = near.find((each) => each !== path && routes.at(each).length > 0);
  return meant === undefined ? {} : { meant };
}

/** The headers on which the guard decides. */
interface GuardedHeaders {
  readonly hosts: string[];
  hasOrigin: boolean;
  isOfOtherSite: boolean;
  /** The values of all headers that carry the credential; undefined for one that cannot. */
  readonly credentials: (string | undefined)[];
  readonly types: string[];
  /** Whether the body is compressed. */
  isEncoded: boolean;
  readonly lengths: string[];
}

function readHeaders(rawHeaders: readonly string[]): GuardedHeaders {
  const headers: GuardedHeaders = {
    hosts: [],
    hasOrigin: false,
    isOfOtherSite: false,
    credentials: [],
    types: [],
    isEncoded: false,
    lengths: [],
  };
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    readHeader(headers, rawHeaders[i]?.toLowerCase() ?? '', rawHeaders[i + 1] ?? '');
  }
  return headers;
}

function readHeader(headers: GuardedHeaders, name: string, value: string): void {
  switch (name) {
    case 'host':
      headers.hosts.push(value);
      return;
    case 'origin':
      headers.hasOrigin = true;
      return;
    case 'sec-fetch-site':
      if (value !== 'none') headers.isOfOtherSite = true;
      return;
    case 'content-type':
      headers.types.push(value);
      return;
    case 'content-encoding':
      if (value.toLowerCase() !== 'identity') headers.isEncoded = true;
      return;
    case 'content-length':
      headers.lengths.push(value);
      return;
    case 'authorization':
      headers.credentials.push(bearerToken(value));
      return;
    default:
      if (credentialHeaders.has(name)) headers.credentials.push(value);
  }
}

function isOwnHost([host, ...others]: readonly string[], port: number): boolean {
  if (host === undefined || others.length > 0 || !host.endsWith(`:${port}`)) return false;
  return ownNames.has(host.slice(0, host.lastIndexOf(':')));
}

const ownNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

function isReadableType(types: readonly string[], { takesForm = false }: Route): boolean {
  if (isJsonType(types)) return true;
  return takesForm && types.length === 1 && /^multipart\/form-data *;/i.test(types[0] ?? '');
}

function isJsonType([type, ...others]: readonly string[]): boolean {
  if (type === undefined || others.length > 0) return false;
  return type === 'application/json' || type.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** The credential that the headers hold, if they hold nothing else beside it. */
function shownCredential({ credentials }: GuardedHeaders, rules: GuardRules): ShownCredential | undefined {
  const [credential] = credentials;
  if (credential === undefined || credentials.some((value) => value !== credential)) return undefined;
  const access = rules.credentials.find(credential);
  return access && { credential, access };
}

function bearerToken(value: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(value)?.[1];
}

function refuse(status: number, reason: RefusalReason): Refusal {
  return { admitted: false, status, reason, credentialShown: false };
}
