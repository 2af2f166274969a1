import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { HttpError } from '../../src/localGateway/http/httpError.ts';
import type { Upstream, UpstreamReply } from '../../src/localGateway/upstreams/upstream.ts';
import { createCall, openConfiguredUpstream, upstreamKey } from '../support/configuredUpstream.ts';
import { type ConnectionScript, type FaultServer, startFaultServer } from '../support/faultServer.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';

const json = { 'content-type': 'application/json' };
/** An upstream that writes these bytes. */
const writeBytes =
  (bytes: string): ConnectionScript =>
  (connection) =>
    connection.write(bytes);

const html = { 'content-type': 'text/html; charset=utf-8' };

describe('a faulty upstream', function () {
  this.timeout(20_000);
  const servers: FaultServer[] = [];
  let upstream: Upstream;
  /** Settles when the upstream's side of each connection has closed. */
  let closed: Promise<unknown>[];

  async function start(script: ConnectionScript): Promise<void> {
    closed = [];
    const server = await startFaultServer((connection, request) => {
      closed.push(connection.closed);
      return script(connection, request);
    });
    servers.push(server);
    upstream = openConfiguredUpstream({ kind: 'messages', baseUrl: server.baseUrl });
  }
  afterEach(async () => {
    await upstream.close();
    for (const server of servers.splice(0)) await server.close();
  });

  const send = () =>
    upstream.send(createCall({ request: { format: 'messages' }, body: { stream: true }, model: 'm' }));

  async function catchFailure(): Promise<HttpError> {
    const error = await send().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof HttpError, String(error));
    assert.equal(error.neverSent, false);
    return error;
  }

  it('that sends a web page is reported, with its status if that is one of a failure', async () => {
    for (const [status, expected] of [
      [200, 424],
      [404, 404],
      [502, 502],
      [530, 530],
    ] as const) {
      await start((connection) => connection.respond(status, html, '<html><title>canary</title></html>'));
      const error = await catchFailure();
      assert.deepEqual([error.status, error.code], [expected, 'upstream_web_page']);
      assert.match(error.message, /^Upstream 'one' returned \d+ with a web page\. Check its address/);
      // A request with status 200 may be billed.
      if (status === 200) assert.equal(error.headers['x-should-retry'], 'false');
      await Promise.all([upstream.close(), ...closed]);
    }
  });

  it('that sends no byte, no body or an empty body is reported', async () => {
    const emptyReplies: readonly ConnectionScript[] = [
      (connection) => connection.end(),
      (connection) => connection.respond(200, json),
      (connection) => connection.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
      (connection) => connection.write('HTTP/1.1 204 None\r\n\r\n'),
      async (connection) => {
        await connection.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n');
        connection.end();
      },
    ];
    for (const [i, script] of emptyReplies.entries()) {
      await start(script);
      const error = await catchFailure();
      assert.equal(error.status, i === 0 ? 502 : 424);
      assert.equal(error.code, i === 0 ? 'upstream_unreachable' : 'upstream_empty');
      if (i > 0) assert.equal(error.headers['x-should-retry'], 'false');
      await Promise.all([upstream.close(), ...closed]);
    }
  });

  it('that fails without a message, or with a web page, is reported with its status and Retry-After', async () => {
    const length = { 'content-length': '0', 'retry-after': '7' };
    const silent: readonly ConnectionScript[] = [
      (connection) => connection.writeHead(429, length),
      (connection) => connection.respond(429, { ...html, 'retry-after': '7' }, '<html></html>'),
      (connection) => connection.writeHead(503, length),
      async (connection) => {
        await connection.writeHead(503, { connection: 'close', 'retry-after': '7' });
        connection.end();
      },
    ];
    for (const [i, script] of silent.entries()) {
      await start(script);
      const error = await catchFailure();
      assert.deepEqual([error.status, error.headers['retry-after']], [i < 2 ? 429 : 503, '7']);
      assert.match(error.message, i === 1 ? /with a web page/ : /returned \d+ with an empty body\. Check/);
      await Promise.all([upstream.close(), ...closed]);
    }
  });

  it('F16 that repeats a header is read by the first Content-Type and by all values of other headers', async () => {
    const twice = ['content-type: application/json', 'content-type: text/html', 'x-a: b', 'x-a: c'];
    await start(writeBytes(`HTTP/1.1 200 OK\r\n${twice.join('\r\n')}\r\ncontent-length: 2\r\n\r\n{}`));
    const { headers } = await send();
    assert.deepEqual([headers['content-type'], headers['x-a']], ['application/json', 'b, c']);
  });

  it('that sends something other than HTTP, or endless headers, is reported and disconnected', async () => {
    const line = `x-${'a'.repeat(60)}: ${'b'.repeat(60)}\r\n`;
    const endless: ConnectionScript = async (connection) => {
      await connection.write('HTTP/1.1 200 OK\r\n');
      while (await connection.write(line.repeat(100)));
    };
    const interim: ConnectionScript = async (connection) => {
      while (await connection.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000)));
    };
    const wrong: readonly (readonly [script: ConnectionScript, pattern: RegExp])[] = [
      [interim, /the headers of its reply are too large/],
      [endless, /the headers of its reply are too large/],
      [(connection) => connection.write('SSH-2.0-server\r\n\r\n'), /its reply is not HTTP/],
      [(connection) => connection.write('HTTP/1.1 200 OK\r\nno colon\r\n\r\n'), /its reply is not HTTP/],
      [writeBytes('HTTP/1.1 000 x\r\ncontent-length: 2\r\n\r\n{}'), /its reply is not HTTP/],
      [writeBytes('HTTP/1.1 200 OK\r\nx-a: b\r\n c\r\ncontent-length: 2\r\n\r\n{}'), /its reply is not HTTP/],
      [writeBytes('HTTP/1.1 200 OK\r\nx-a: b\rset-cookie: c\r\n\r\n{}'), /its reply is not HTTP/],
      [writeBytes('HTTP/1.1 200 OK\r\nx-a: \0\r\ncontent-length: 2\r\n\r\n{}'), /its reply is not HTTP/],
      [
        writeBytes('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
        /it closed/,
      ],
      [
        writeBytes('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 4\r\n\r\n{}{}'),
        /differs from its Content-Length/,
      ],
      [
        writeBytes(
          'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
        ),
        /differs from its Content-Length/,
      ],
    ];
    for (const [script, pattern] of wrong) {
      await start(script);
      const error = await catchFailure();
      assert.deepEqual([error.status, error.code], [502, 'upstream_unreachable']);
      assert.match(error.message, pattern);
      await Promise.all(closed);
      await upstream.close();
    }
  });

  it('that sends more than one reply is read to the end of the first, and then disconnected', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
    const second = `${head}content-length: 8\r\n\r\nsmuggled`;
    await start(writeBytes(`${head}content-length: 2\r\n\r\n{}${second}`));
    for (let nth = 0; nth < 3; nth += 1) {
      assert.equal(String(await readBody(send())), '{}');
      // Each reply has a new connection, because the previous one was out of sync.
      assert.equal(closed.length, nth + 1);
    }
  });

  it('F51 that cuts its reply at any byte never seems to have completed it', async () => {
    const event = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
    const chunked = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${event.length.toString(16)}\r\n${event}\r\n0\r\n\r\n`;
    const counted = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${event.length}\r\n\r\n${event}`;
    for (const response of [chunked, counted]) {
      let end = 0;
      await start(async (connection) => {
        await connection.write(response.slice(0, end));
        connection.end();
      });
      for (end = 0; end < response.length; end += 1) {
        const outcome = await readBody(send()).catch((error: unknown) => error);
        assert.ok(outcome instanceof Error, `${end}: ${String(outcome)}`);
        const isInHead = end < response.indexOf('\r\n\r\n') + 4;
        assert.equal(outcome instanceof HttpError && outcome.status === 502, isInHead, `${end}`);
      }
      assert.equal(String(await readBody(send())), event);
      await Promise.all(closed);
      await upstream.close();
    }
  });

  it('that sends 8 MiB in one event, or an unexpected kind of body, has it passed on unchanged', async () => {
    const large = Buffer.concat([
      Buffer.from('data: "'),
      Buffer.alloc(8 * 1024 * 1024, 'x'),
      Buffer.from('"\n\n'),
    ]);
    for (const body of [
      large,
      Buffer.from('{"some":"thing"}'),
      Buffer.from('"text"'),
      Buffer.from('\n\n[]'),
    ]) {
      await start((connection) =>
        connection.respond(200, { 'content-type': 'text/event-stream' }, new Uint8Array(body)),
      );
      assert.equal(hashBytes(await readBody(send())), hashBytes(body));
      await upstream.close();
    }
  });

  it('P3 that repeats the key in a header or in a refusal, in any pieces, has it redacted', async () => {
    const body = `{"error":"no such key: ${upstreamKey}, canary-up, ${upstreamKey}${upstreamKey}"}`;
    const hidden = '*'.repeat(upstreamKey.length);
    let cut = 0;
    await start(async (connection) => {
      await connection.writeHead(429, {
        ...json,
        'x-your-key': upstreamKey,
        'request-id': `of-${upstreamKey}`,
        'content-length': String(body.length),
      });
      await connection.write(body.slice(0, cut));
      await new Promise(setImmediate);
      await connection.write(body.slice(cut));
    });
    for (; cut < body.length; cut += 1) {
      const reply = await send();
      assert.equal(reply.status, 429);
      assert.doesNotMatch(JSON.stringify(reply.headers), /canary/);
      const bytes = await buffer(Readable.from(reply.body));
      assert.equal(bytes.toString(), body.replaceAll(upstreamKey, hidden), `cut at ${cut}`);
    }
  });

  it('P3 that repeats the key in a compressed reply that was not requested has it redacted', async () => {
    const body = JSON.stringify({ content: [{ type: 'text', text: `Your key is ${upstreamKey}.` }] });
    const zipped = gzipSync(body);
    await start(async (connection) => {
      const headers = { ...json, 'content-encoding': 'gzip', 'content-length': String(zipped.length) };
      await connection.writeHead(200, headers);
      await connection.write(zipped);
    });
    const reply = await upstream.send(createCall({ request: { format: 'messages' }, model: 'm' }));
    const text = (await buffer(Readable.from(reply.body))).toString();
    assert.equal(text, body.replace(upstreamKey, '*'.repeat(upstreamKey.length)));
    assert.equal(reply.headers['content-encoding'], undefined);
  });
});

describe('a faulty upstream of the local gateway', function () {
  this.timeout(20_000);
  const open: { stop(): unknown }[] = [];
  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await opened.stop();
  });

  async function startGatewayFor(script: ConnectionScript): Promise<RunningGateway> {
    const server = await startFaultServer(script);
    const kinds = { chat: 'openai-compatible', direct: 'messages', key: 'content-generation' };
    const gateway = await startGateway({
      demo: false,
      config: {
        upstreams: Object.entries(kinds).map(([name, kind]) => ({
          name,
          kind,
          baseUrl: server.baseUrl,
          keyEnv: 'TEST_KEY',
        })),
      },
      env: { TEST_KEY: upstreamKey },
    });
    open.push({ stop: () => server.close() }, gateway);
    return gateway;
  }

  const post = (gateway: RunningGateway, path: string, body: object) =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  /** The message of a failure, in the shape of each route. */
  async function readFailureMessages(gateway: RunningGateway, status: number): Promise<readonly string[]> {
    const replies = await Promise.all([
      post(gateway, '/v1/chat/completions', { model: 'chat/m', messages: [] }),
      post(gateway, '/v1/messages', { model: 'direct/m', messages: [], max_tokens: 1 }),
      post(gateway, '/v1beta/models/key/m:generateContent', { contents: [] }),
    ]);
    for (const reply of replies) {
      assert.equal(reply.status, status);
      assert.equal(reply.headers.get('content-type')?.split(';')[0], 'application/json');
      assert.ok(reply.headers.get('x-request-id'));
    }
    const [chat, messages, generation] = await Promise.all(replies.map((reply) => reply.json()));
    assert.equal(typeof chat.error.code, 'string');
    assert.equal(messages.type, 'error');
    assert.equal(generation.error.code, status);
    return [chat, messages, generation].map(({ error }) => error.message);
  }

  it('F47 that ends a stream before its first byte is reported in the stream', async () => {
    const gateway = await startGatewayFor(
      writeBytes(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
    );
    const streams = await Promise.all([
      post(gateway, '/v1/chat/completions', { model: 'chat/m', messages: [], stream: true }),
      post(gateway, '/v1/messages', { model: 'direct/m', messages: [], max_tokens: 1, stream: true }),
      post(gateway, '/v1beta/models/key/m:streamGenerateContent?alt=sse', { contents: [] }),
    ]);
    const [chat, messages, generation] = await Promise.all(streams.map((reply) => reply.text()));
    assert.match(chat ?? '', /^data: \{"error":\{"message":"Upstream 'chat' returned an empty reply/);
    assert.match(messages ?? '', /^event: error\ndata: \{"type":"error","error":\{/);
    assert.match(generation ?? '', /^data: \{"error":\{"code":424,/);
  });

  it('is reported in the format of the requested route', async () => {
    const page = await startGatewayFor((connection) => connection.respond(503, html, '<html>canary</html>'));
    for (const message of await readFailureMessages(page, 503))
      assert.match(message, /returned 503 with a web page/);
    const silent = await startGatewayFor((connection) =>
      connection.writeHead(500, { 'content-length': '0' }),
    );
    for (const message of await readFailureMessages(silent, 500))
      assert.match(message, /returned 500 with an empty body/);
    const nothing = await startGatewayFor((connection) => connection.end());
    for (const message of await readFailureMessages(nothing, 502))
      assert.match(message, /it closed the connection/);
    const moved = await startGatewayFor((connection) =>
      connection.respond(302, { location: 'https://login.example/x?a=b' }),
    );
    for (const message of await readFailureMessages(moved, 502))
      assert.match(message, /redirected to https:\/\/login\.example\./);
    const refusing = await startGatewayFor((connection) =>
      connection.respond(401, json, `{"error":{"message":"no such key: ${upstreamKey}"}}`),
    );
    for (const message of await readFailureMessages(refusing, 424)) {
      assert.match(
        message,
        /returned 401: no such key: \[redacted\]\. The key of this gateway for it, in the/,
      );
      assert.doesNotMatch(message, /canary/);
    }
    assert.doesNotMatch(refusing.stderr(), /canary/);
  });
});

async function readBody(reply: Promise<UpstreamReply>): Promise<Buffer> {
  return buffer(Readable.from((await reply).body));
}

function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
