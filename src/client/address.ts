import { isLoopback } from '../base/loopback.ts';
import type { Route } from '../wire/routes.ts';

/** Why an address cannot be a base URL. */
export type AddressProblem =
  | 'not-an-address'
  | 'not-http'
  | 'plain-http'
  | 'holds-credentials'
  | 'holds-query';

/**
 * Says why `baseUrl` cannot be used. It may have a path: some gateways live below one. Plain http is allowed
 * to this machine only, because it would show the credential and the prompts to everyone on the way.
 *
 * @returns undefined for a usable base URL
 */
export function addressProblem(baseUrl: string): AddressProblem | undefined {
  if (!URL.canParse(baseUrl)) return 'not-an-address';
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'not-http';
  if (url.username !== '' || url.password !== '') return 'holds-credentials';
  if (url.search !== '' || url.hash !== '') return 'holds-query';
  return url.protocol === 'http:' && !isLoopback(url.hostname) ? 'plain-http' : undefined;
}

/**
 * Builds the address of a route: the path of `route` with `params` in place, below `baseUrl`. Each parameter,
 * which may hold anything, becomes exactly one segment.
 *
 * @throws {TypeError} when the result would leave the base URL or the route
 */
export function routeUrl(baseUrl: string, route: Route, params: Readonly<Record<string, string>> = {}): URL {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const path = prefix + route.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(params[name]));
  const url = new URL(base.origin + path);
  if (url.origin !== base.origin || url.pathname !== path || url.search !== '' || url.hash !== '') {
    throw new TypeError(`the path of ${route.path} leaves the base address`);
  }
  return url;
}

function segment(param: string | undefined): string {
  if (param === undefined || param === '') throw new TypeError('a path parameter is empty');
  return encodeURIComponent(param.toWellFormed());
}
