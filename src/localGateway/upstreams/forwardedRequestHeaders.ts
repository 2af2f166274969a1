import type { IncomingHttpHeaders } from 'node:http';
import { headerPresets } from '../../wire/headerNames.ts';

/** SDKs and tools send the credential in these headers. Every route accepts each of them, and several at once. */
export const credentialHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'api-key',
  'x-api-key',
  ...Object.values(headerPresets).map(({ vendorApiKey }) => vendorApiKey),
]);

/**
 * Headers that are not sent to upstreams. They contain the credential, or concern the caller's connection, its
 * session or the network path to this gateway.
 */
const withheldHeaders = new Set([
  ...credentialHeaders,
  'cf-connecting-ip',
  'client-ip',
  'connection',
  'content-length',
  'cookie',
  'cookie2',
  'expect',
  'fastly-client-ip',
  'forwarded',
  'forwarded-for',
  'host',
  'http2-settings',
  'keep-alive',
  'origin',
  'te',
  'trailer',
  'transfer-encoding',
  'true-client-ip',
  'upgrade',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-forwarded',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-real-ip',
  'x-rewrite-url',
]);

const withheldPrefixes = /^(?:proxy|x-forwarded|sec-fetch)-/;

/** The names that providers use for headers, by the neutral names that callers may use. */
const providerNames: ReadonlyMap<string, string> = new Map([
  [headerPresets.interface.vendorVersion, headerPresets.provider.vendorVersion],
  [headerPresets.interface.vendorBeta, headerPresets.provider.vendorBeta],
  [headerPresets.interface.vendorAsync, headerPresets.provider.vendorAsync],
]);

/**
 * Selects the caller's headers that are sent to an upstream, with the names that providers use. The credential is
 * not among them.
 */
export function forwardRequestHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const connectionNames = readConnectionHeaderNames(headers.connection);
  const forwarded: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value !== 'string' || withheldHeaders.has(name) || withheldPrefixes.test(name)) continue;
    if (connectionNames?.has(name)) continue;
    const provider = providerNames.get(name);
    if (provider === undefined) forwarded[name] = value;
    else if (headers[provider] === undefined) forwarded[provider] = value;
  }
  return forwarded;
}

/** Reads the names of the headers that the `Connection` header lists; undefined if it lists none. */
export function readConnectionHeaderNames(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
