import type { Route } from '../../wire/routes.ts';
import type { CredentialAccess, GatewayCredentials } from '../config/gatewayCredentials.ts';
import { credentialHeaders } from '../upstreams/forwardedHeaders.ts';
import type { Params, RouteTable } from './routeTable.ts';

/** The largest request body in bytes. */
export const maxBodyBytes = 25 * 1024 * 1024;

/** A received request, before anything is interpreted. */
interface RequestHead {
  readonly httpVersion: string;
  readonly method: string;
  /** The request target as it was sent. */
  readonly target: string;
  /** Alternating names and values as they were sent, with repeated headers. */
  readonly rawHeaders: readonly string[];
  /** The local port of the connection. */
  readonly localPort: number;
}

export interface GuardRules {
  /** The routes of this gateway. Requests to other routes get 404 or 405. */
  readonly routes: RouteTable;
  /** The names of routes that do not need a credential. */
  readonly openRoutes: ReadonlySet<string>;
  readonly credentials: Pick<GatewayCredentials, 'find'>;
}

type RefusalReason =
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

export type GuardDecision = AdmittedRequest | Refusal;

export interface AdmittedRequest {
  readonly admitted: true;
  readonly route: Route;
  readonly params: Params;
  /** The valid credential that the caller sent; absent on a route that does not need a credential. */
  readonly validCredential?: ValidCredential;
  /** Whether the content type is one that the route reads: JSON, or a form on some routes. */
  readonly isReadable: boolean;
}

interface ValidCredential {
  readonly credential: string;
  readonly access: CredentialAccess;
}

export interface Refusal {
  readonly admitted: false;
  readonly status: number;
  readonly reason: RefusalReason;
  /** Whether the caller sent a valid credential, and may learn the details of the refusal. */
  readonly hasValidCredential: boolean;
  /** When the credential of the caller expired, in milliseconds since 1970. */
  readonly expiredAt?: number;
  /** The group of the path, if the path exists. */
  readonly group?: string;
  /** The methods that the path supports, if the method is wrong. */
  readonly allow?: readonly string[];
  /** A similar path that exists, if the path does not exist. */
  readonly suggestedPath?: string;
}

/**
 * Decides whether a request may reach the gateway. Any web page and any program on this machine can connect to
 * loopback, so the checks run in a fixed order and the first failure decides. A page that rebinds a DNS name fails at
 * Host, and a page that posts across sites fails at Origin or Sec-Fetch-Site. A caller without the credential gets
 * only a status, and on an existing route the information that the credential is missing.
 */
export function checkRequest(head: RequestHead, rules: GuardRules): GuardDecision {
  const headers = readHeaders(head.rawHeaders);

  if (head.httpVersion !== '1.1') return createRefusal(505, 'http-version');
  if (!head.target.startsWith('/')) return createRefusal(400, 'target-form');
  const found = findCredential(headers, rules);
  const expiredAt = found?.access.expiredAt;
  const validCredential = expiredAt === undefined ? found : undefined;
  const authentication = { hasValidCredential: validCredential !== undefined };
  if (!isOwnHost(headers.hosts, head.localPort)) return { ...createRefusal(421, 'host'), ...authentication };
  if (headers.hasOrigin) return { ...createRefusal(403, 'origin'), ...authentication };
  if (headers.isOfOtherSite) return { ...createRefusal(403, 'fetch-site'), ...authentication };

  const foundRoute = rules.routes.find(head.method, head.target);
  if (!foundRoute) {
    const routesAtPath = rules.routes.findRoutes(head.target);
    const [first] = routesAtPath;
    if (!first)
      return { ...createRefusal(404, 'route'), ...authentication, ...suggestPath(head.target, rules.routes) };
    const allow = [...new Set(routesAtPath.map(({ route }) => route.method))];
    return { ...createRefusal(405, 'method'), ...authentication, group: first.route.group, allow };
  }

  const { route, params } = foundRoute;
  if (rules.openRoutes.has(route.name)) return { admitted: true, route, params, isReadable: false };
  const expiry = expiredAt === undefined ? {} : { expiredAt };
  if (!validCredential) return { ...createRefusal(401, 'credential'), group: route.group, ...expiry };
  const details = { ...authentication, group: route.group };
  // A body in chunks may be empty, so its type is checked when it has arrived.
  const announcesBody = headers.lengths.some((length) => Number(length) !== 0);
  const isReadable = isReadableType(headers.types, route);
  if (route.method === 'POST' && announcesBody && !isReadable) {
    return { ...createRefusal(415, 'content-type'), ...details };
  }
  if (headers.isEncoded && route.method === 'POST')
    return { ...createRefusal(415, 'content-encoding'), ...details };
  if (headers.lengths.some((length) => Number(length) > maxBodyBytes)) {
    return { ...createRefusal(413, 'body-size'), ...details };
  }
  return { admitted: true, route, params, validCredential, isReadable };
}

/** Suggests an existing path to a caller whose base address ends too early or too late. */
function suggestPath(target: string, routes: RouteTable): Pick<Refusal, 'suggestedPath'> {
  const [path = ''] = target.split('?', 1);
  const near = [`/v1${path}`, `/v1beta${path}`, path.replace(/^\/v1(?:beta)?(?=\/v1)/, '')];
  const suggestedPath = near.find((each) => each !== path && routes.findRoutes(each).length > 0);
  return suggestedPath === undefined ? {} : { suggestedPath };
}

interface GuardedHeaders {
  readonly hosts: string[];
  hasOrigin: boolean;
  isOfOtherSite: boolean;
  /** The values of all credential headers; undefined for a value that cannot be a credential. */
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
      headers.credentials.push(readBearerToken(value));
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

function isReadableType(types: readonly string[], { acceptsForm = false }: Route): boolean {
  if (isJsonType(types)) return true;
  return acceptsForm && types.length === 1 && /^multipart\/form-data *;/i.test(types[0] ?? '');
}

function isJsonType([type, ...others]: readonly string[]): boolean {
  if (type === undefined || others.length > 0) return false;
  return type === 'application/json' || type.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** Finds the credential in the headers, if they contain only one. It may have expired. */
function findCredential({ credentials }: GuardedHeaders, rules: GuardRules): ValidCredential | undefined {
  const [credential] = credentials;
  if (credential === undefined || credentials.some((value) => value !== credential)) return undefined;
  const access = rules.credentials.find(credential);
  return access && { credential, access };
}

function readBearerToken(value: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(value)?.[1];
}

function createRefusal(status: number, reason: RefusalReason): Refusal {
  return { admitted: false, status, reason, hasValidCredential: false };
}
