import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { createGuardedLookup, lookUp } from './dnsLookup.ts';

/** Decides whether an IP address belongs to the public Internet. */
export type IsPublic = (address: string) => boolean;

/** Why a download from an address is forbidden. */
export type ForbiddenReason = 'not-https' | 'contains-credentials' | 'contains-own-credential' | 'not-public';

/** The code of the error for a host whose address is not public. */
export const forbiddenAddressCode = 'ERR_FORBIDDEN_ADDRESS';

/** IPv4 networks that are not public (IANA special-purpose registry), and an address of cloud hosts. */
const specialIpv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local addresses, including the metadata service of most clouds.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Looks public, but belongs to the host of Azure virtual machines.
  ['168.63.129.16', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Global IPv6 networks that are not public, or that embed another address. */
const specialIpv6: readonly (readonly [network: string, prefix: number])[] = [
  // Protocol assignments, including Teredo.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

const nat64 = '64:ff9b::';

const ipv4 = new BlockList();
const ipv6 = new BlockList();
const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');
globalIpv6.addSubnet(nat64, 96, 'ipv6');
for (const [network, prefix] of specialIpv4) {
  ipv4.addSubnet(network, prefix, 'ipv4');
  ipv6.addSubnet(nat64 + network, 96 + prefix, 'ipv6');
  ipv6.addSubnet(`2002:${toHexGroups(network)}::`, 16 + prefix, 'ipv6');
}
for (const [network, prefix] of specialIpv6) ipv6.addSubnet(network, prefix, 'ipv6');

/** An IPv4 address as two groups of an IPv6 address. */
function toHexGroups(address: string): string {
  const bytes = Buffer.from(address.split('.').map(Number));
  return `${bytes.readUInt16BE(0).toString(16)}:${bytes.readUInt16BE(2).toString(16)}`;
}

/**
 * Whether `address` belongs to the public Internet. An IPv6 address that embeds an IPv4 address is public only if
 * the embedded address is. An address with a zone is always local.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !ipv4.check(address, 'ipv4');
  if (isIP(address) === 0 || address.includes('%')) return false;
  return globalIpv6.check(address, 'ipv6') && !ipv6.check(address, 'ipv6');
}

/** Names of this machine or its network, regardless of the name server. */
const localName =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|test|invalid|onion)$/;

/**
 * Decides from the URL alone whether a download is forbidden, and why. The addresses of a host name are checked
 * when the connection is made: see `createPublicLookup`. `URL` has already normalized decimal, octal and full-width
 * spellings of an IP address.
 *
 * @returns undefined if the address itself is allowed
 */
export function findForbiddenReason(
  url: URL,
  isPublic: IsPublic = isPublicAddress,
): ForbiddenReason | undefined {
  if (url.protocol !== 'https:') return 'not-https';
  if (url.username !== '' || url.password !== '') return 'contains-credentials';
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/(?<!\.)\.+$/, '');
  if (isIP(host) !== 0) return isPublic(host) ? undefined : 'not-public';
  // A name without a dot is resolved within the local network.
  return !host.includes('.') || host.includes('..') || localName.test(host) ? 'not-public' : undefined;
}

/** Creates a lookup that fails if any address of a name is not public. */
export function createPublicLookup(isPublic: IsPublic, lookup: LookupFunction = lookUp): LookupFunction {
  return createGuardedLookup(lookup, isPublic, (hostname) =>
    Object.assign(new Error(`${hostname} resolves to an address in a private network`), {
      code: forbiddenAddressCode,
    }),
  );
}
