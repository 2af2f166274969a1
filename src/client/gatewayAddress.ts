import { isLoopback } from '../base/loopback.ts';
import { isPrivateAddress, readLiteralAddress } from '../http/privateAddress.ts';
import type { Route } from '../wire/routes.ts';

/** Why an address cannot be a base URL. */
export type AddressProblem =
  | 'not-an-address'
  | 'not-http'
  | 'plain-http'
  | 'contains-credentials'
  | 'contains-query';

/** Where plain http is allowed. In a private network the addresses of each connection are checked. */
export type PlainHttp = 'this-machine' | 'private-network';

/**
 * Returns why `baseUrl` cannot be used. It may have a path, because some gateways have one. Plain http would
 * expose the credential and the prompts on the network, so it is allowed only to this machine, or within a private
 * network.
 *
 * @returns undefined for a usable base URL
 */
export function findAddressProblem(
  baseUrl: string,
  plainHttp: PlainHttp = 'this-machine',
): AddressProblem | undefined {
  if (!URL.canParse(baseUrl)) return 'not-an-address';
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'not-http';
  if (url.username !== '' || url.password !== '') return 'contains-credentials';
  if (url.search !== '' || url.hash !== '') return 'contains-query';
  return url.protocol === 'https:' || allowsPlainHttp(url, plainHttp) ? undefined : 'plain-http';
}

/** Whether plain http is allowed for a host. The addresses of a name are checked when the connection is made. */
function allowsPlainHttp({ hostname }: URL, plainHttp: PlainHttp): boolean {
  if (isLoopback(hostname)) return true;
  const literal = readLiteralAddress(hostname);
  return plainHttp === 'private-network' && (literal === undefined || isPrivateAddress(literal));
}

/**
 * Builds the address of a route below `baseUrl` and inserts `params` into its path. Each parameter becomes exactly
 * one segment, because special characters are encoded.
 *
 * @throws {TypeError} if the result would be outside the base URL or the route
 */
export function buildRouteUrl(
  baseUrl: string,
  route: Route,
  params: Readonly<Record<string, string>> = {},
): URL {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  const path = prefix + route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(params[name]));
  const url = new URL(base.origin + path);
  if (url.origin !== base.origin || url.pathname !== path || url.search !== '' || url.hash !== '') {
    throw new TypeError(`the path of ${route.path} is outside the base address`);
  }
  return url;
}

/** Builds the address of an unsent request. The base URL may be unusable. Parts that may be secret are omitted. */
export function buildUnsentAddress(baseUrl: string, { path }: Route): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { protocol, host, pathname } = new URL(baseUrl);
  return host === '' ? undefined : `${protocol}//${host}${pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
}

function encodeSegment(param: string | undefined): string {
  if (param === undefined || param === '') throw new TypeError('a path parameter is empty');
  return encodeURIComponent(param.toWellFormed());
}
