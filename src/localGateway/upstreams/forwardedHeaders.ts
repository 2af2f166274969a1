import type { IncomingHttpHeaders } from 'node:http';
import { credentialHeaders } from '../server/guard.ts';

/** Headers of the credential, of the caller's connection and session, and of the way to this gateway. */
const ownHeaders = new Set([
  ...credentialHeaders,
  'connection',
  'content-length',
  'cookie',
  'cookie2',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-real-ip',
]);

/** The headers of a caller that go to an upstream. None of them holds the credential. */
export function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const named = namedByConnection(headers.connection);
  const forwarded: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value !== 'string' || ownHeaders.has(name) || ownPrefixes.test(name)) continue;
    if (!named?.has(name)) forwarded[name] = value;
  }
  return forwarded;
}

const ownPrefixes = /^(?:proxy|x-forwarded|sec-fetch)-/;

/** The headers that belong to the connection, by its own word. */
function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive') return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
