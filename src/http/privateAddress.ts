import { BlockList, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { isLoopback } from '../base/loopback.ts';
import { createGuardedLookup, lookUp } from './dnsLookup.ts';

/** The code of the error for a host to which plain http is not allowed. */
export const notPrivateCode = 'ERR_NOT_PRIVATE_ADDRESS';

const ipv4 = new BlockList();
const ipv6 = new BlockList();
ipv4.addSubnet('10.0.0.0', 8, 'ipv4');
ipv4.addSubnet('172.16.0.0', 12, 'ipv4');
ipv4.addSubnet('192.168.0.0', 16, 'ipv4');
// Shared address space (RFC 6598), which private overlay networks use.
ipv4.addSubnet('100.64.0.0', 10, 'ipv4');
ipv6.addSubnet('fc00::', 7, 'ipv6');
ipv6.addSubnet('fe80::', 10, 'ipv6');

/**
 * Whether an IP address belongs to a private network. Link-local IPv4 addresses are excluded, because clouds serve
 * secrets there, and so are IPv4 addresses in IPv6 notation.
 */
export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return ipv4.check(address, 'ipv4');
  const [withoutZone = ''] = address.split('%');
  return isIPv6(withoutZone) && !withoutZone.includes('.') && ipv6.check(withoutZone, 'ipv6');
}

/** The IP address in the host of a URL; undefined for a name. */
export function readLiteralAddress(hostname: string): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIPv4(address) || isIPv6(address) ? address : undefined;
}

/** Creates a lookup that fails unless all addresses of a name are private or belong to this machine. */
export function createPrivateLookup(lookup: LookupFunction = lookUp): LookupFunction {
  return createGuardedLookup(lookup, isLocalOrPrivate, (hostname) =>
    Object.assign(new Error(`${hostname} resolves to an address outside the private network`), {
      code: notPrivateCode,
    }),
  );
}

/** Whether an address belongs to this machine or to a private network. */
export function isLocalOrPrivate(address: string): boolean {
  return isPrivateAddress(address) || isLoopback(isIPv6(address) ? `[${address}]` : address);
}
