import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLoopback } from '../loopback.ts';

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
