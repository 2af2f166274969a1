import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { CancellationSource } from '../../src/base/cancellation.ts';
import { maxTimerMs } from '../../src/base/maxTimer.ts';
import { createContentDecoders } from '../../src/http/contentEncoding.ts';
import { acceptInterimReplies } from '../../src/http/interimReplies.ts';
import { findRedirectTarget } from '../../src/http/redirects.ts';
import { readRange } from '../../src/localGateway/routes/taskContent.ts';
import {
  forwardReplyHeaders,
  forwardRequestHeaders,
} from '../../src/localGateway/upstreams/forwardedHeaders.ts';
import { UpstreamExchange } from '../../src/localGateway/upstreams/upstreamExchange.ts';
import { findLimitResetMs, readRetryAdvice, readRetryAfterMs } from '../../src/wire/failures/retryHint.ts';
import { findNextPage } from '../../src/wire/listPages.ts';
import { readHeaderCost } from '../../src/wire/reportedCost.ts';
import { assertPrototypesUnchanged, assertSame, divideBytes } from '../support/fuzzing.ts';

/** Heads of replies with every header that is read. */
export function seeds(): readonly string[] {
  return [
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: a\r\nx-litellm-response-cost: 0.01\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
    'HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\nretry-after-ms: 12\r\nx-should-retry: true\r\n\r\n',
    'HTTP/1.1 429 Too Many Requests\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\nratelimit: "a";r=0;t=30\r\n\r\n',
    'HTTP/1.1 429 X\r\nx-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: 6m0s\r\nratelimit-policy: "a";w=9\r\n\r\n',
    'HTTP/1.1 429 X\r\nanthropic-ratelimit-unified-status: rejected\r\nanthropic-ratelimit-unified-reset: 1790000000\r\n\r\n',
    'HTTP/1.1 302 Found\r\nlocation: https://files.example/a\r\nset-cookie: a=b\r\nset-cookie: c=d\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-encoding: gzip, br\r\nconnection: X-Hop, content-type\r\nx-hop: 1\r\nrange: bytes=0-5\r\n\r\n',
    `HTTP/1.1 200 OK\r\nlink: <https://a.example/v1?page=2>; rel="next"\r\nx-note: ${keyOfTest}\r\nvendor-version: 1\r\n\r\n`,
  ];
}

const keyOfTest = 'key-of-the-upstream-0123456789';

/** The readers of headers of gateways and upstreams, and the headers that are passed on. */
export async function fuzz(data: Buffer): Promise<void> {
  const bytes = Buffer.from(data);
  checkInterimReplies(bytes);
  const headers = parseHeaders(bytes.toString('latin1'));
  checkWaits(headers);
  checkPassedOn(await relayHeaders(headers));
  assertPrototypesUnchanged();
}

/** The headers of a head, as undici returns them: without names and values that its parser refuses. */
function parseHeaders(head: string): IncomingHttpHeaders {
  const headers = new Map<string, string[]>();
  for (const line of head.split('\r\n')) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the parser refuses these
    if (name === '' || /[\x00-\x08\x0a-\x1f\x7f]/.test(value)) continue;
    const lower = name.toLowerCase();
    headers.set(lower, [...(headers.get(lower) ?? []), value]);
  }
  return Object.fromEntries(
    [...headers].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
}

/** The headers as the local gateway receives them from an upstream. */
async function relayHeaders(headers: IncomingHttpHeaders): Promise<IncomingHttpHeaders> {
  const dispatcher = {
    dispatch(_: unknown, handler: Dispatcher.DispatchHandler) {
      const controller = {} as Dispatcher.DispatchController;
      handler.onRequestStart?.(controller, undefined);
      handler.onResponseStart?.(controller, 200, headers, '');
    },
  } as unknown as Dispatcher;
  const options = { path: '/', method: 'GET' } as const;
  const exchange = new UpstreamExchange(dispatcher, options, new CancellationSource());
  return (await exchange.reply).headers;
}

/** All headers can be written, and none contains the key or belongs to the connection. */
function checkPassedOn(headers: IncomingHttpHeaders): void {
  const reply = forwardReplyHeaders(headers, 'one', [keyOfTest]);
  const request = forwardRequestHeaders(headers);
  for (const [name, value] of [...Object.entries(reply), ...Object.entries(request)]) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    assert.ok(
      !/^(?:connection|keep-alive|transfer-encoding|upgrade|te|trailer|authorization)$/.test(name),
      name,
    );
  }
  assert.ok(!JSON.stringify(reply).includes(keyOfTest), 'the key is passed on');
  assert.equal(reply['x-upstream'], 'one');
  assert.equal(reply['set-cookie'], undefined);
  assert.equal(request['x-api-key'] ?? request.cookie, undefined);
  const decoders = createContentDecoders(headers['content-encoding'] ?? '');
  for (const decoder of decoders ?? []) decoder.destroy();
  const range = readRange(headers.range, 100);
  if (typeof range === 'object') assert.ok(range.first >= 0 && range.first <= range.last && range.last < 100);
}

/** The values that the client reads. */
function checkWaits(headers: IncomingHttpHeaders): void {
  const now = new Date(1_790_000_000_000);
  for (const wait of [readRetryAfterMs(headers, undefined, now), findLimitResetMs(headers, now)])
    assert.ok(wait === undefined || (wait >= 0 && wait <= maxTimerMs), `a wait of ${wait} ms`);
  assert.ok([true, false, undefined].includes(readRetryAdvice(headers)));
  const usd = readHeaderCost(headers);
  assert.ok(usd === undefined || (Number.isFinite(usd) && usd > 0));
  const target = findRedirectTarget(302, headers, new URL('https://gateway.example/v1'));
  assert.ok(target === undefined || target instanceof URL);
  const page = findNextPage({ envelope: {} }, { count: 1 }, headers);
  for (const value of Object.values(page ?? {})) assert.equal(typeof value, 'string');
}

/** Replies to `read` one piece after the other. */
class ScriptedSocket {
  readonly #pieces: Buffer[];
  isDestroyed = false;

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = [...pieces];
  }

  get hasMore(): boolean {
    return this.#pieces.length > 0 && !this.isDestroyed;
  }

  write(): boolean {
    return true;
  }

  read(): Buffer | null {
    return this.#pieces.shift() ?? null;
  }

  destroy(): void {
    this.isDestroyed = true;
  }
}

/** The same bytes remain for any pieces, and only informational replies at the beginning are removed. */
function checkInterimReplies(data: Buffer): void {
  const rest = withoutInterimReplies([data]);
  assert.ok(data.subarray(data.length - rest.length).equals(rest), 'bytes were changed');
  for (const pieces of divideBytes(data))
    assertSame(
      withoutInterimReplies(pieces).toString('latin1'),
      rest.toString('latin1'),
      'depends on the pieces',
    );
}

function withoutInterimReplies(pieces: readonly Buffer[]): Buffer {
  const socket = new ScriptedSocket(pieces);
  const connect = acceptInterimReplies((_: buildConnector.Options, callback: buildConnector.Callback) =>
    callback(null, socket as unknown as Socket),
  );
  connect({} as buildConnector.Options, () => {});
  socket.write();
  const bytes: Buffer[] = [];
  while (socket.hasMore) bytes.push(socket.read() ?? Buffer.alloc(0));
  return Buffer.concat(bytes);
}
