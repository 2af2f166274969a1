import type { IncomingHttpHeaders } from 'node:http';
import { headerPresets } from '../../wire/headerNames.ts';

/**
 * The headers in which SDKs and tools send the credential. Every route accepts each, and several at once. A
 * URL never holds the credential.
 */
export const credentialHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'api-key',
  'x-api-key',
  ...Object.values(headerPresets).map(({ vendorApiKey }) => vendorApiKey),
]);

/** Headers of the credential, of the caller's connection and session, and of the way to this gateway. */
const ownHeaders = new Set([
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

const ownPrefixes = /^(?:proxy|x-forwarded|sec-fetch)-/;

/** The interface's neutral names, and the names by which providers know the same headers. */
const providerNames: ReadonlyMap<string, string> = new Map([
  [headerPresets.interface.vendorVersion, headerPresets.provider.vendorVersion],
  [headerPresets.interface.vendorBeta, headerPresets.provider.vendorBeta],
  [headerPresets.interface.vendorAsync, headerPresets.provider.vendorAsync],
]);

/**
 * The headers of a caller that go to an upstream, by the names that providers know. None of them holds the
 * credential.
 */
export function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const named = namedByConnection(headers.connection);
  const forwarded: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value !== 'string' || ownHeaders.has(name) || ownPrefixes.test(name)) continue;
    if (named?.has(name)) continue;
    const provider = providerNames.get(name);
    if (provider === undefined) forwarded[name] = value;
    else if (headers[provider] === undefined) forwarded[provider] = value;
  }
  return forwarded;
}

/** The headers that belong to a connection, by its own word in the header `Connection`; undefined for none. */
export function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
