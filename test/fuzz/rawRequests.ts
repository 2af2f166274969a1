import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { digestCredential, GatewayCredentials } from '../../src/localGateway/config/gatewayCredentials.ts';
import { HttpError } from '../../src/localGateway/http/httpError.ts';
import { computeConnectionLimits } from '../../src/localGateway/server/connectionSlots.ts';
import { GatewaySpending } from '../../src/localGateway/server/gatewaySpending.ts';
import { createGuardedServer } from '../../src/localGateway/server/guardedServer.ts';
import type { GatewayRequest } from '../../src/localGateway/server/routeHandler.ts';
import { RouteTable } from '../../src/localGateway/server/routeTable.ts';
import { openRoutes, servedRoutes } from '../../src/localGateway/server/servedRoutes.ts';
import { forwardRequestHeaders } from '../../src/localGateway/upstreams/forwardedHeaders.ts';
import { assertPrototypesUnchanged, divideBytes } from '../support/fuzzing.ts';

const port = 8080;
const own = 'own-credential-0123456789';
const limited = 'limited-credential-012345';
const host = `Host: 127.0.0.1:${port}\r\n`;
const json = 'Content-Type: application/json\r\n';

/** Requests that are admitted, and requests that each check refuses. */
export function seeds(): readonly string[] {
  const body = '{"model":"m","messages":[]}';
  const chunked = `1b\r\n${body}\r\n0\r\n\r\n`;
  const post = `POST /v1/chat/completions HTTP/1.1\r\n${host}${json}`;
  return [
    `GET /v1/models?a=b HTTP/1.1\r\n${host}Authorization: Bearer ${own}\r\n\r\nGET /healthz HTTP/1.1\r\n${host}\r\n`,
    `${post}x-api-key: ${own}\r\nContent-Length: ${body.length}\r\nX-Request-Id: a\r\n\r\n${body}`,
    `${post}Authorization: bearer ${limited}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${post}api-key: ${own}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
    `POST /v1beta/models/a/b:generateContent?alt=sse&key=${own} HTTP/1.1\r\n${host}${json}x-goog-api-key: ${limited}\r\nContent-Length: 2\r\n\r\n{}`,
    `DELETE /v1/tasks/task_1 HTTP/1.1\r\n${host}Origin: https://a.example\r\nSec-Fetch-Site: none\r\n\r\n`,
    `CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n`,
    `GET http://127.0.0.1:${port}/v1/models HTTP/1.0\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    `POST /v1/videos HTTP/1.1\r\n${host}x-vendor-api-key: ${own}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 6\r\n\r\n--b--\r\n`,
  ];
}

/** The handling of any bytes that a connection sends to the local gateway. */
export async function fuzz(data: Buffer): Promise<void> {
  const bytes = Buffer.from(data);
  const [pieces = [bytes]] = divideBytes(bytes).toReversed();
  for (const sent of [[bytes], pieces]) checkReplies(await exchange(sent), bytes);
  assertPrototypesUnchanged();
}

/** A connection in memory. */
class MemorySocket extends Duplex {
  readonly localPort = port;
  readonly remoteAddress = '127.0.0.1';
  readonly #written: Buffer[] = [];

  get written(): Buffer {
    return Buffer.concat(this.#written);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#written.push(chunk);
    done();
  }

  setTimeout(): this {
    return this;
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }
}

interface Exchanged {
  readonly written: string;
  readonly handled: number;
}

const credentials = new GatewayCredentials(own, () => 0);
credentials.setNamed([{ name: 'ci', sha256: digestCredential(limited).toString('hex'), models: ['m'] }]);

/** Of the exchange under way. The server is the same for all. */
let observed = { begun: 0, ended: 0, handled: 0, sent: '', wrong: undefined as unknown };

const server = createGuardedServer({
  rules: { routes: new RouteTable(servedRoutes), openRoutes, credentials },
  findServedRoute: (route) => ({
    route,
    handle(request) {
      observed.handled += 1;
      try {
        checkRequest(request);
      } catch (error) {
        observed.wrong ??= error;
      }
      return { json: { route: route.name } };
    },
  }),
  connections: computeConnectionLimits(),
  spending: new GatewaySpending('', () => {}),
  closing: new AbortController().signal,
  explain: (error) => {
    // Node's error for a caller that leaves.
    if (!(error instanceof HttpError) && !isAborted(error)) observed.wrong ??= error;
    return new HttpError({ status: 500, message: 'It failed.', type: 'server_error', code: 'failed' });
  },
  observer: {
    begin() {
      observed.begun += 1;
    },
    end() {
      observed.ended += 1;
    },
  },
});

function isAborted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

/** A request that reaches a handler has a credential, which is in nothing that is passed on. */
function checkRequest({ route, access, headers, rawQuery, query, body }: GatewayRequest): void {
  const isOpen = openRoutes.has(route.name);
  const isKnown = observed.sent.includes(own) || observed.sent.includes(limited);
  assert.ok(isOpen || isKnown, 'a request without a credential was admitted');
  assert.ok(!isOpen || !access.allows('m'));
  const credential = access.name === undefined ? own : limited;
  const passedOn = JSON.stringify([forwardRequestHeaders(headers), rawQuery]);
  assert.ok(isOpen || !passedOn.includes(credential), 'the credential is passed on');
  if (access.hasModelLimit && !isOpen)
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('x-unknown')),
      [],
    );
  assert.equal(typeof query, 'object');
  assert.ok(body.length <= observed.sent.length);
}

async function exchange(pieces: readonly Buffer[]): Promise<Exchanged> {
  observed = {
    begun: 0,
    ended: 0,
    handled: 0,
    sent: Buffer.concat(pieces).toString('latin1'),
    wrong: undefined,
  };
  const socket = new MemorySocket({ allowHalfOpen: true });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  server.emit('connection', socket);
  for (const piece of pieces) if (!socket.destroyed) socket.push(piece);
  // The server does not reply to a caller that has left.
  await turns(4);
  socket.push(null);
  await closed;
  // Responses end after their connection.
  await turns(1);
  if (observed.wrong !== undefined) throw observed.wrong;
  assert.equal(observed.ended, observed.begun, 'a request did not end');
  return { written: socket.written.toString('latin1'), handled: observed.handled };
}

/** Waits until the event loop has run this many times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Whole HTTP/1.1 responses that contain no credential. */
function checkReplies({ written }: Exchanged, sent: Buffer): void {
  assert.ok(!written.includes(own) && !written.includes(limited), 'a reply contains a credential');
  let rest = written;
  for (let count = 0; rest !== ''; count += 1) {
    const [head = '', status = ''] =
      /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[\w-]+: [^\r\n]*\r\n)*\r\n/.exec(rest) ?? [];
    assert.notEqual(head, '', `not a response: ${JSON.stringify(rest.slice(0, 200))}`);
    assert.ok(count <= sent.length, 'too many responses');
    const length = status.startsWith('1') ? 0 : Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0);
    rest = rest.slice(head.length + length);
  }
}
