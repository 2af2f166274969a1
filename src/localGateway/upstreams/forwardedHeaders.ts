import type { IncomingHttpHeaders } from 'node:http';
import { headerPresets } from '../../wire/headerNames.ts';
import { containsKey } from './hiddenKey/keyFilters.ts';

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
 * never selected.
 */
export function forwardRequestHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const connectionNames = readConnectionHeaderNames(headers.connection);
  const requestHeaders: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value !== 'string' || withheldHeaders.has(name) || withheldPrefixes.test(name)) continue;
    if (connectionNames?.has(name)) continue;
    const provider = providerNames.get(name);
    if (provider === undefined) requestHeaders[name] = value;
    else if (headers[provider] === undefined) requestHeaders[provider] = value;
  }
  return requestHeaders;
}

/** Reads the names of the headers that the `Connection` header lists; undefined if it lists none. */
function readConnectionHeaderNames(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/**
 * Headers of a reply that concern the connection to the upstream, the session with it, or how a browser would
 * render it. All other headers are passed to the caller.
 */
const droppedHeaders = new Set([
  'age',
  'alt-svc',
  'authorization',
  'cache-control',
  'connection',
  'date',
  'expires',
  'keep-alive',
  'link',
  'location',
  'nel',
  'pragma',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'server',
  'set-cookie',
  'set-cookie2',
  'strict-transport-security',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'vary',
  'via',
  'www-authenticate',
  'x-api-key',
  'x-content-type-options',
  'x-frame-options',
  'x-powered-by',
  'x-request-id',
  'x-upstream',
  'x-upstream-request-id',
  'x-xss-protection',
]);

const droppedPrefixes =
  /^(?:access-control|clear-site|content-security|cross-origin|permissions|proxy|x-gateway)-/;

/** Upstreams report their ID of a request in these headers. The most specific header is first. */
const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'x-dashscope-request-id',
  'x-oneapi-request-id',
  'x-litellm-call-id',
  'x-generation-id',
];

/**
 * Selects the headers of a reply for the caller, and adds the upstream's name and its ID of the request.
 *
 * @param keys the gateway's keys for the upstream, which no header may contain
 */
export function forwardReplyHeaders(
  headers: IncomingHttpHeaders,
  upstream: string,
  keys: readonly string[],
): Record<string, string> {
  const connectionNames = readConnectionHeaderNames(headers.connection);
  const replyHeaders: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    if (droppedHeaders.has(name) || droppedPrefixes.test(name)) continue;
    // Without the length that the upstream sent, a cut reply would look complete.
    if (connectionNames?.has(name) && !name.startsWith('content-')) continue;
    const value = readHeaderText(headers[name]);
    if (value !== undefined) replyHeaders[name] = value;
  }
  const idHeader = requestIdHeaders.find((name) => headers[name] !== undefined);
  const requestId = idHeader === undefined ? undefined : readHeaderText(headers[idHeader]);
  if (requestId !== undefined) replyHeaders['x-upstream-request-id'] = requestId;
  for (const key of keys) for (const name of findHeadersWithKey(replyHeaders, key)) delete replyHeaders[name];
  replyHeaders['x-upstream'] = upstream;
  return replyHeaders;
}

/**
 * Finds the headers that contain the key. Searches all headers at once first, because the headers of most replies
 * do not contain it.
 */
function findHeadersWithKey(headers: Readonly<Record<string, string>>, key: string): ReadonlySet<string> {
  const lines = Object.entries(headers).map(([name, text]) => ({ name, text }));
  if (!containsKey(`${formatLines(lines)}\n${joinValues(lines)}`, key)) return noHeaders;
  const withKey = new Set(
    lines.filter((line) => containsKey(formatLines([line]), key)).map(({ name }) => name),
  );
  // A key may be split over several headers.
  const isSplit = containsKey(joinValues(lines.filter(({ name }) => !withKey.has(name))), key);
  return isSplit ? new Set(lines.map(({ name }) => name)) : withKey;
}

interface HeaderLine {
  readonly name: string;
  readonly text: string;
}

function formatLines(lines: readonly HeaderLine[]): string {
  return lines.map(({ name, text }) => `${name}: ${text}`).join('\n');
}

function joinValues(lines: readonly HeaderLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}

const noHeaders: ReadonlySet<string> = new Set();

/** Reads the value of a header; undefined if it is absent, or if Node cannot write it into a header. */
function readHeaderText(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? text : undefined;
}
