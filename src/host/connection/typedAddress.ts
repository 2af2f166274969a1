import { isIPv6 } from 'node:net';
import { isLoopback } from '../../base/loopback.ts';
import {
  findAddressProblem,
  type AddressProblem as GatewayAddressProblem,
} from '../../client/gatewayAddress.ts';
import { isPrivateAddress, readLiteralAddress } from '../../http/privateAddress.ts';

/** The reason why a typed address cannot be used. */
export type TypedAddressProblem = GatewayAddressProblem | 'empty';

export type AddressReading =
  | {
      readonly ok: true;
      /**
       * The possible addresses, most likely first, without trailing slashes. All have the typed origin, so that the
       * same credential can be tried with each address.
       */
      readonly candidates: readonly [string, ...string[]];
    }
  | { readonly ok: false; readonly problem: TypedAddressProblem };

/** Returns the possible paths for a typed path without its route, most likely first. */
type PathCandidates = (path: string) => readonly [string, ...string[]];

/** Matches a route of the APIs, which documentation appends to the address. */
const routes =
  /\/(?:chat\/completions|completions|embeddings|models|messages|responses|interactions|videos)$/;
const routesOfVersion =
  /(\/v\d[a-z0-9]*)\/(?:chat|completions|embeddings|models|messages|responses|interactions|videos?|images|audio|batches|files|moderations|rerank)(?:\/.*)?$/;

/** Matches the address that servers print when they listen on all interfaces. */
const everyAddress = /^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/i;

/**
 * Reads an address that a user types or pastes. It may end with a route. The default scheme is https, but http for this
 * machine and for an address in a private network. Plain http to another machine needs the user's consent.
 */
export function readAddress(text: string, pathCandidates: PathCandidates = listGatewayPaths): AddressReading {
  const typed = text.trim().replace(/^["'<]+|(?<!["'>])["'>]+$/g, '');
  if (typed === '') return { ok: false, problem: 'empty' };
  const full = removeRoute(
    addScheme(isIPv6(typed) ? `[${typed}]` : typed).replace(everyAddress, '$1127.0.0.1'),
  );
  const problem = findAddressProblem(full, 'private-network');
  if (problem) return { ok: false, problem };
  const { origin, pathname } = new URL(full);
  const [first, ...others] = pathCandidates(pathname.replaceAll(/\/{2,}/g, '/').replace(/\/$/, ''));
  return { ok: true, candidates: [origin + first, ...others.map((path) => origin + path)] };
}

function addScheme(typed: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return typed;
  const host = /^(\[[^\]]*\]|[^/:?#]*)/.exec(typed)?.[0] ?? '';
  const isNear = isLoopback(host) || host === '0.0.0.0' || isPrivateAddress(readLiteralAddress(host) ?? host);
  return `${isNear ? 'http' : 'https'}://${typed}`;
}

/** Removes a route together with its query. */
function removeRoute(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  const shortPath = path.replace(routesOfVersion, '$1').replace(routes, '');
  if (shortPath === path) return address;
  url.pathname = shortPath;
  url.search = '';
  return url.href;
}

/**
 * Lists the possible paths for a typed path. The client appends `/v1` and the route: `/team/v1` means `/team`, and
 * `/api/v1` may mean `/api` or the root.
 */
function listGatewayPaths(path: string): readonly [string, ...string[]] {
  const version = path.search(/\/v1(?:beta)?(?:\/|$)/);
  const base = version === -1 ? path : path.slice(0, version);
  return listDistinct(base, toggleApi(base), path);
}

/** Removes `/api` from the end of a path, or adds it to the root. Other paths do not change. */
export function toggleApi(path: string): string {
  if (path === '') return '/api';
  return path.endsWith('/api') ? path.slice(0, -'/api'.length) : path;
}

/** Lists the values without duplicates, in their order. */
export function listDistinct(first: string, ...others: readonly string[]): readonly [string, ...string[]] {
  return [first, ...new Set(others.filter((each) => each !== first))];
}

/** Whether an address is plain http to another machine. */
export function isRemotePlainHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !isLoopback(hostname);
}
