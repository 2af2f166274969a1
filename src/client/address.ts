import type { Route } from '../wire/routes.ts';

/** Why an address cannot be a gateway's. */
export type AddressProblem =
  | 'not-an-address'
  | 'not-http'
  | 'plain-http'
  | 'holds-credentials'
  | 'holds-query';

/**
 * What keeps `baseUrl` from being used, if anything. A path is fine: some gateways live below one. Plain
 * http is allowed only to this machine, since it would show the credential and the prompts to everyone
 * on the way.
 */
export function addressProblem(baseUrl: string): AddressProblem | undefined {
  if (!URL.canParse(baseUrl)) return 'not-an-address';
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'not-http';
  if (url.username !== '' || url.password !== '') return 'holds-credentials';
  if (url.search !== '' || url.hash !== '') return 'holds-query';
  return url.protocol === 'http:' && !isLoopback(url.hostname) ? 'plain-http' : undefined;
}

/** Whether a host name stands for this machine itself, without asking any name server. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/i.test(hostname);
}

/**
 * The address of a route: the path of `route` with `params` in place, below `baseUrl`.
 *
 * Parameters come from gateways and users and may hold anything; each becomes exactly one segment.
 *
 * @throws {TypeError} when the result would leave the base address or the route
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
