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
  const named = new Set(headers.connection?.split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && goesOn(name) && !named.has(name) ? [[name, value]] : [],
    ),
  );
}

function goesOn(name: string): boolean {
  return !ownHeaders.has(name) && !/^(proxy|x-forwarded|sec-fetch)-/.test(name);
}
