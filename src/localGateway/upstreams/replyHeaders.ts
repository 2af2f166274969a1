import type { IncomingHttpHeaders } from 'node:http';
import { namedByConnection } from './forwardedHeaders.ts';
import { holdsKey } from './hiddenKey.ts';

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
  const holds = keyHolders(headers, key);
  const passed: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    if (upstreamsOwn.has(name) || ownPrefixes.test(name)) continue;
    // A length that is dropped would be made up anew, and one that is cut would seem whole.
    if (named?.has(name) && !name.startsWith('content-')) continue;
    const value = holds.has(name) ? undefined : textOf(headers[name]);
    if (value !== undefined) passed[name] = value;
  }
  const idHeader = requestIdHeaders.find((name) => headers[name] !== undefined);
  const requestId = idHeader === undefined || holds.has(idHeader) ? undefined : textOf(headers[idHeader]);
  if (requestId !== undefined) passed['x-upstream-request-id'] = requestId;
  passed['x-upstream'] = upstream;
  return passed;
}

/** The headers that repeat the key. All are searched at once, because most replies have none. */
function keyHolders(headers: IncomingHttpHeaders, key: string | undefined): ReadonlySet<string> {
  if (key === undefined) return noHeaders;
  const lines = Object.entries(headers).map(([name, value]) => ({ name, text: String(value) }));
  if (!holdsKey(`${written(lines)}\n${values(lines)}`, key)) return noHeaders;
  const holders = new Set(lines.filter((line) => holdsKey(written([line]), key)).map(({ name }) => name));
  // A key may be cut into several headers.
  const isCut = holdsKey(values(lines.filter(({ name }) => !holders.has(name))), key);
  return isCut ? new Set(lines.map(({ name }) => name)) : holders;
}

interface Line {
  readonly name: string;
  readonly text: string;
}

function written(lines: readonly Line[]): string {
  return lines.map(({ name, text }) => `${name}: ${text}`).join('\n');
}

function values(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join('\n');
}

const noHeaders: ReadonlySet<string> = new Set();

/** The value, unless no server could write it. */
function textOf(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  return isHeaderText(text) ? text : undefined;
}

/** Whether a server can write a value into a header. */
function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
