import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLoopback } from '../base/loopback.ts';

const ownAddresses: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks up host names, but resolves names of this machine by itself: a name server could resolve
 * `gateway.localhost` to another machine, which would receive the credential over plain http (RFC 6761, 6.3).
 */
export const lookUp: LookupFunction = (hostname, options, done) => {
  if (!isLoopback(hostname)) {
    dns.lookup(hostname, options, done);
    return;
  }
  const { all, family } = options;
  const requestedFamily = { 4: 4, IPv4: 4, 6: 6, IPv6: 6 }[family ?? 0];
  const addresses = ownAddresses.filter(
    (own) => requestedFamily === undefined || own.family === requestedFamily,
  );
  process.nextTick(() => {
    if (all) done(null, addresses);
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
  });
};

/**
 * Creates a lookup that fails unless all addresses of a name are allowed. The connection uses exactly the checked
 * addresses, so a name server cannot return others later. A proxy resolves names itself, so behind a proxy only
 * names can be checked.
 */
export function createGuardedLookup(
  lookup: LookupFunction,
  isAllowed: (address: string) => boolean,
  createError: (hostname: string) => NodeJS.ErrnoException,
): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, options, (error, address, family) => {
      done(
        error ?? (listAddresses(address).every(isAllowed) ? null : createError(hostname)),
        address,
        family,
      );
    });
  };
}

function listAddresses(result: string | readonly LookupAddress[]): readonly string[] {
  return typeof result === 'string' ? [result] : result.map(({ address }) => address);
}
