import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLoopback } from '../base/loopback.ts';

const ownAddresses: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks up host names, but resolves names of this machine itself: a name server could lead
 * `gateway.localhost` elsewhere, with the credential on plain http (RFC 6761, 6.3).
 */
export const lookUp: LookupFunction = (hostname, options, done) => {
  if (!isLoopback(hostname)) {
    dns.lookup(hostname, options, done);
    return;
  }
  const { all, family } = options;
  const wanted = { 4: 4, IPv4: 4, 6: 6, IPv6: 6 }[family ?? 0];
  const found = ownAddresses.filter((own) => wanted === undefined || own.family === wanted);
  process.nextTick(() => {
    if (all) done(null, found);
    else done(null, found[0]?.address ?? '', found[0]?.family);
  });
};

/**
 * Makes a lookup that fails unless all addresses of a name are allowed. The connection uses exactly the
 * addresses that were checked, so a name server cannot answer differently later. Behind a proxy, which
 * resolves names itself, only names can be checked.
 */
export function guardedLookup(
  lookup: LookupFunction,
  isAllowed: (address: string) => boolean,
  refusal: (hostname: string) => NodeJS.ErrnoException,
): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, options, (error, address, family) => {
      done(error ?? (addressesIn(address).every(isAllowed) ? null : refusal(hostname)), address, family);
    });
  };
}

function addressesIn(answer: string | readonly LookupAddress[]): readonly string[] {
  return typeof answer === 'string' ? [answer] : answer.map(({ address }) => address);
}
