import type { IncomingHttpHeaders } from 'node:http';
import { namedByConnection } from './namedByConnection.ts';

/**
 * Headers of a reply that are of the connection to the upstream, of its session with it, or of the page that
 * a browser would make of it. All others go to the caller.
 */
const upstreamsOwn = new Set([
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

const ownPrefixes =
  /^(?:access-control|clear-site|content-security|cross-origin|permissions|proxy|x-gateway)-/;

/** The headers by which upstreams tell the id that they know a request by, the most telling first. */
const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'x-dashscope-request-id',
  'x-oneapi-request-id',
  'x-litellm-call-id',
  'x-generation-id',
];

/**
 * The headers of a reply for the caller, with the upstream's name and its id of the request.
 *
 * @param key the gateway's key for the upstream, which no header may repeat
 */
export function replyHeaders(
  headers: IncomingHttpHeaders,
  upstream: string,
  key: string | undefined,
): Record<string, string> {
  const named = namedByConnection(headers.connection);
  const passed: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    if (upstreamsOwn.has(name) || ownPrefixes.test(name)) continue;
    // A length that is dropped would be made up anew, and one that is cut would seem whole.
    if (named?.has(name) && !name.startsWith('content-')) continue;
    const value = textOf(headers[name], key);
    if (value !== undefined) passed[name] = value;
  }
  const idHeader = requestIdHeaders.find((name) => headers[name] !== undefined);
  const requestId = idHeader === undefined ? undefined : textOf(headers[idHeader], key);
  if (requestId !== undefined) passed['x-upstream-request-id'] = requestId;
  passed['x-upstream'] = upstream;
  return passed;
}

/** The value, unless it repeats the key or no server could write it. */
function textOf(value: string | string[] | undefined, key: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  if (key !== undefined && text.includes(key)) return undefined;
  return isHeaderText(text) ? text : undefined;
}

/** Whether a server can write a value into a header. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
