import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { servedRoutes } from '../../src/localGateway/server/servedRoutes.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { exchangeRaw, type RawReply } from '../support/rawExchange.ts';

const body = '{"model":"demo/chat","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}';

describe('the guard of the local gateway', function () {
  this.timeout(30_000);
  let gateway: RunningGateway;
  let port: number;

  before(async () => {
    gateway = await startGateway();
    port = Number(new URL(gateway.baseUrl).port);
  });
  after(() => gateway.stop());

  /** A request that the guard admits, unless `change` makes it invalid. */
  function request(change: { line?: string; headers?: readonly string[]; body?: string } = {}): string {
    const {
      line = 'GET /v1/models HTTP/1.1',
      headers = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${gateway.credential}`],
    } = change;
    return `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${change.body ?? ''}`;
  }

  const host = () => `Host: 127.0.0.1:${port}`;
  const credential = () => `Authorization: Bearer ${gateway.credential}`;

  function assertSilent(reply: RawReply, status: number, what: string): void {
    assert.equal(reply.status, status, what);
    assert.equal(reply.body, '', what);
    assertNoCors(reply, what);
  }

  function assertNoCors(reply: RawReply, what: string): void {
    assert.deepEqual(
      [...reply.headers.keys()].filter((name) => name.startsWith('access-control-')),
      [],
      what,
    );
  }

  it('admits a request to every route, and each route replies', async () => {
    const unanswered = servedRoutes.map(async ({ method, path }) => {
      const reply = await fetch(gateway.baseUrl + path.replaceAll(/\{\w+\}/g, 'x'), {
        method,
        headers: { authorization: `Bearer ${gateway.credential}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      });
      const isAnswered = reply.status < 500 && !/no such route/.test(await reply.text());
      return isAnswered ? [] : `${method} ${path}`;
    });
    assert.deepEqual((await Promise.all(unanswered)).flat(), []);
    assert.doesNotMatch(gateway.stderr(), /unexpected/);
  });

  it('P13 D15 decides correctly for every combination of Host, Origin, credential, method and path', async () => {
    const hosts: readonly (readonly [valid: boolean, lines: readonly string[]])[] = [
      [true, [`Host: 127.0.0.1:${port}`]],
      [true, [`Host: localhost:${port}`]],
      [true, [`Host: [::1]:${port}`]],
      [false, []],
      [false, [`Host: 127.0.0.1:${port}`, `Host: 127.0.0.1:${port}`]],
      [false, [`Host: localhost.:${port}`]],
      [false, ['Host: 127.0.0.1']],
      [false, [`Host: 127.0.0.1:${port === 65_535 ? 1 : port + 1}`]],
      [false, [`Host: rebound.example:${port}`]],
      [false, [`Host: 0.0.0.0:${port}`]],
    ];
    const origins: readonly string[] = [
      '',
      'Origin: null',
      'Origin: https://page.example',
      `Origin: http://127.0.0.1:${port}`,
      'Origin: vscode-webview://panel',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Site: same-origin',
      'Sec-Fetch-Site: none',
    ];
    const tokens: readonly string[] = [
      '',
      `Authorization: Bearer ${gateway.credential}`,
      `Authorization: Bearer ${gateway.credential}x`,
      `Authorization: Basic ${gateway.credential}`,
      `X-Vendor-Api-Key: ${gateway.credential}`,
    ];
    const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
    const paths: readonly (readonly [path: string, allowed: readonly string[], status: number])[] = [
      ['/v1/models', ['GET'], 200],
      ['/v1/tasks?limit=1', ['GET'], 200],
      ['/v1/tasks/task_none', ['GET', 'DELETE'], 404],
      ['/v1/tasks/task_none/content', ['GET'], 404],
    ];

    const combinations = hosts.flatMap(([validHost, hostLines]) =>
      origins.flatMap((origin) =>
        tokens.flatMap((token, tokenIndex) =>
          methods.map((method) => ({ validHost, hostLines, origin, token, tokenIndex, method })),
        ),
      ),
    );
    // Each combination is tried on one of the paths, so that every path meets every host, origin and token.
    const cases = combinations.map(({ validHost, hostLines, origin, token, tokenIndex, method }, i) => {
      const [path, allowed, status] = paths[Math.floor(i / methods.length) % paths.length] ?? ['/', [], 404];
      const shown = tokenIndex === 1 || tokenIndex === 4;
      const foreign = origin !== '' && origin !== 'Sec-Fetch-Site: none';
      const expected = !validHost
        ? { status: 421, silent: !shown || method === 'HEAD' }
        : foreign
          ? { status: 403, silent: !shown || method === 'HEAD' }
          : !allowed.includes(method)
            ? { status: 405, silent: !shown || method === 'HEAD' }
            : { status: shown ? status : 401, silent: false };
      const lines = [...hostLines, origin, token].filter((line) => line !== '');
      return { bytes: request({ line: `${method} ${path} HTTP/1.1`, headers: lines }), expected };
    });
    assert.ok(cases.length >= 200);

    for (let i = 0; i < cases.length; i += 8) {
      const some = cases.slice(i, i + 8);
      const replies = await Promise.all(some.map(({ bytes }) => exchangeRaw(port, bytes)));
      replies.forEach((reply, j) => {
        const { bytes, expected } = some[j] ?? { bytes: '', expected: { status: 0, silent: true } };
        const what = bytes.replaceAll(gateway.credential, '<credential>');
        assert.equal(reply.status, expected.status, what);
        assert.equal(reply.body === '', expected.silent, what);
        assertNoCors(reply, what);
      });
    }
  });

  it('T26 refuses anything but HTTP/1.1 with an origin-form target, even with the credential', async () => {
    const lines: readonly (readonly [line: string, status: number])[] = [
      ['GET /v1/models HTTP/1.0', 505],
      [`GET http://127.0.0.1:${port}/v1/models HTTP/1.1`, 400],
      ['OPTIONS * HTTP/1.1', 400],
      ['CONNECT upstream.example:443 HTTP/1.1', 400],
    ];
    for (const [line, status] of lines)
      assertSilent(await exchangeRaw(port, request({ line })), status, line);
  });

  it('decodes a path exactly once before looking it up', async () => {
    const targets: readonly (readonly [target: string, status: number])[] = [
      ['/v1/models?limit=1', 200],
      ['/v1/%6dodels', 200],
      ['/v1/%256dodels', 404],
      ['/v1%2Fmodels', 404],
      ['/v1/models/', 404],
      ['//v1/models', 404],
      ['/v1/x/../models', 404],
      ['/v1/x/%2e%2e/models', 404],
      ['/V1/models', 404],
      ['/v1/models%00', 404],
      ['/v1/%zz', 404],
      ['/v1/tasks', 200],
      ['/v1/tasks/', 404],
      ['/v1/tasks/x/y', 404],
      ['/v1/tasks/x/content/0', 404],
      ['/', 404],
    ];
    for (const [target, status] of targets) {
      const reply = await exchangeRaw(port, request({ line: `GET ${target} HTTP/1.1` }));
      assert.equal(reply.status, status, target);
    }
  });

  it('explains an error only to a caller with the credential', async () => {
    const damaged: readonly (readonly [line: string, status: number, pattern: RegExp])[] = [
      ['GET /v1/nowhere HTTP/1.1', 404, /no such route.*GET \/v1\/models/],
      ['GET /models?limit=1 HTTP/1.1', 404, /no such route\. Did you mean \/v1\/models\?/],
      ['GET /v1/v1/models HTTP/1.1', 404, /no such route\. Did you mean \/v1\/models\?/],
      ['DELETE /v1/models HTTP/1.1', 405, /accepts GET, not DELETE/],
    ];
    for (const [line, status, pattern] of damaged) {
      const known = await exchangeRaw(port, request({ line }));
      assert.equal(known.status, status, line);
      const { error } = JSON.parse(known.body);
      assert.match(error.message, pattern);
      assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code']);
      const stranger = await exchangeRaw(port, request({ line, headers: [host()] }));
      assertSilent(stranger, status, line);
    }
  });

  it('accepts the body of a POST only as application/json', async () => {
    const types: readonly (readonly [type: string, status: number])[] = [
      ['application/json', 200],
      ['Application/JSON; charset=utf-8', 200],
      ['text/plain', 415],
      ['application/x-www-form-urlencoded', 415],
      ['application/json-patch+json', 415],
      ['text/plain; application/json', 415],
    ];
    for (const [type, status] of types) {
      const headers = [host(), credential(), `Content-Type: ${type}`, `Content-Length: ${body.length}`];
      const line = 'POST /v1/chat/completions HTTP/1.1';
      assert.equal((await exchangeRaw(port, request({ line, headers, body }))).status, status, type);
    }
  });

  it('refuses a compressed body, and names the header to omit', async () => {
    const post = (encoding: string) =>
      fetch(`${gateway.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.credential}`,
          'content-type': 'application/json',
          'content-encoding': encoding,
        },
        body: encoding === 'gzip' ? gzipSync(body) : body,
      });
    assert.equal((await post('identity')).status, 200);
    const refused = await post('gzip');
    assert.equal(refused.status, 415);
    assert.match(await refused.text(), /Send the request without the header Content-Encoding/);
  });

  it('checks the type of a chunked body only if the body is not empty', async () => {
    const answerTo =
      (...more: readonly string[]) =>
      (pieces: string) => {
        const headers = [host(), credential(), 'Transfer-Encoding: chunked', ...more];
        return exchangeRaw(
          port,
          request({ line: 'POST /v1/tasks/x/cancel HTTP/1.1', headers, body: pieces }),
        );
      };
    for (const more of [[], ['Content-Type: text/plain'], ['Expect: 100-continue']]) {
      assert.match((await answerTo(...more)('0\r\n\r\n')).body, /no such task/, more.join());
      assert.match(
        (await answerTo(...more)('2\r\n{}\r\n0\r\n\r\n')).body,
        /Content-Type must be/,
        more.join(),
      );
    }
  });

  it('refuses a body over 25 MiB, announced or not, and accepts one of 25 MiB', async () => {
    const most = 25 * 1024 * 1024;
    const post = (content: string) =>
      fetch(`${gateway.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.credential}`, 'content-type': 'application/json' },
        body: content,
      });
    const padded = (length: number) => body + ' '.repeat(length - body.length);
    assert.equal((await post(padded(most))).status, 200);

    const announced = await post(padded(most + 1));
    assert.equal(announced.status, 413);
    assert.match(await announced.text(), /larger than 25 MiB/);

    const headers = [host(), credential(), 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const line = 'POST /v1/chat/completions HTTP/1.1';
    const chunked = `${(most + 1).toString(16)}\r\n${padded(most + 1)}\r\n0\r\n\r\n`;
    const unannounced = await exchangeRaw(port, request({ line, headers, body: chunked }));
    assert.equal(unannounced.status, 413);
    assert.match(unannounced.body, /larger than 25 MiB/);
  });

  it('refuses headers over 16 KiB and bytes that are not HTTP, with a message and a request id', async () => {
    const assertErrorReply = (reply: RawReply, status: number, words: RegExp) => {
      assert.equal(reply.status, status);
      const id = reply.headers.get('x-request-id');
      assert.match(id ?? '', /^[\w-]{36}$/);
      assert.match(reply.body, words);
      assertNoCors(reply, reply.body);
      return JSON.parse(reply.body);
    };
    const long = [host(), credential(), `X-Long: ${'x'.repeat(17 * 1024)}`];
    const { error } = assertErrorReply(await exchangeRaw(port, request({ headers: long })), 431, /16 KiB/);
    assert.equal(error.code, 'headers_too_large');
    assertErrorReply(
      await exchangeRaw(port, 'SSH-2.0-client\r\n\r\n'),
      400,
      /not a valid HTTP\/1\.1 request/,
    );
    const line = 'POST /v1/messages HTTP/1.1';
    const smuggled = [host(), credential(), 'Content-Length: 5', 'Transfer-Encoding: chunked'];
    const errorBody = assertErrorReply(
      await exchangeRaw(port, request({ line, headers: smuggled })),
      400,
      /not a valid HTTP/,
    );
    // The error in the format of the route.
    assert.equal(errorBody.type, 'error');
    const chunked = [host(), credential(), 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const broken = request({ line, headers: chunked, body: 'no length\r\n' });
    assertErrorReply(await exchangeRaw(port, broken), 400, /not a valid HTTP\/1\.1 request/);
  });

  it('cuts the connection without an error reply when bytes that are not HTTP follow a request', async () => {
    const line = 'POST /v1/chat/completions HTTP/1.1';
    const content = body.replace('{', '{"stream":true,');
    const headers = [
      host(),
      credential(),
      'Content-Type: application/json',
      `Content-Length: ${content.length}`,
    ];
    const requestText = request({ line, headers, body: content });
    assert.equal((await exchangeRaw(port, `${requestText}garbage`)).status, 0);

    const socket = connect(port, '127.0.0.1').on('error', () => {});
    let received = '';
    socket.on('data', (bytes) => {
      if (received === '') socket.write('garbage');
      received += bytes;
    });
    socket.write(requestText);
    await once(socket, 'close');
    assert.match(received, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(received, /HTTP\/1\.1 400/);
  });

  it('sends 100 Continue only after it has admitted the request', async () => {
    const line = 'POST /v1/chat/completions HTTP/1.1';
    const stranger = [
      host(),
      'Content-Type: application/json',
      'Content-Length: 100',
      'Expect: 100-continue',
    ];
    const refused = await exchangeRaw(port, request({ line, headers: stranger }));
    assert.equal(refused.status, 401);
    assert.match(refused.body, /credential of this local gateway is missing or wrong/);
    const known = [
      ...stranger.slice(0, 2),
      credential(),
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    const reply = await exchangeRaw(port, request({ line, headers: known, body }));
    assert.equal(reply.status, 100);
    assert.match(reply.body, /^HTTP\/1\.1 200 /);
  });
});
