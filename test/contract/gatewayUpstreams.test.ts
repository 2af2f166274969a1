import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createChatBody, getModels, postChat, splitEvents } from '../support/chatCompletionsCalls.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig, setUpUpstreams } from '../support/testUpstreams.ts';

/** A stream with all the oddities of real ones: comments, CRLF, no space, an event in two writes, no end mark. */
const oddStream = [
  ': keep-alive\n\n',
  'data:{"id":"1","choices":[{"delta":{"content":"é"}}]}\r\n\r\n',
  'data: {"id":"1","choi',
  'ces":[]}\n\nid: 7\nretry: x\ndata: a\ndata: b\n\n',
];

describe('an OpenAI-compatible upstream behind the local gateway', function () {
  this.timeout(20_000);
  const { startScriptedUpstream, startGatewayFor } = setUpUpstreams();

  it('exchanges exactly the same bytes with the caller', async () => {
    const upstream = await startScriptedUpstream((_request, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'x-ratelimit-remaining-requests': '3' });
      for (const bytes of oddStream) res.write(bytes);
      res.end();
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const body =
      '{ "model":"any/model:1", "unknown_id": 9007199254740993,\n"messages":[{"role":"user","content":"h\\u00e9"}], "unknown": [1e3] }';
    const response = await postChat(gateway, { body });
    assert.equal(await response.text(), oddStream.join(''));
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(response.headers.get('x-ratelimit-remaining-requests'), '3');
    assert.equal(response.headers.get('x-upstream'), 'one');
    assert.equal(upstream.requests[0]?.body.toString(), body);
    assert.equal(upstream.requests[0]?.path, '/v1/chat/completions');
  });

  it('gets its own key and the caller’s headers, except the credential and headers of the connection', async () => {
    const upstream = await startScriptedUpstream((_request, res) => res.end('{}'));
    const more = { keyEnv: 'TEST_KEY', headers: { 'X-Project': 'demo' } };
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl, more)], {
      env: { TEST_KEY: 'test-key' },
    });
    const headers = {
      cookie: 'session=1',
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'x-api-key': gateway.credential,
      'x-other-tool-key': `Token ${gateway.credential}`,
      'x-quoted': `key:"${gateway.credential}"`,
      te: 'trailers',
      'proxy-authorization': 'Basic eDp5',
      'x-project': 'mine',
      'x-request-id': 'trace-9',
      'accept-encoding': 'gzip',
      'user-agent': 'some-sdk/1.0',
      'openai-organization': 'org-1',
      'idempotency-key': 'key-1',
    };
    await (await postChat(gateway, { body: createChatBody('hi', { model: 'm' }), headers })).text();
    const { host, 'content-length': length, ...sent } = upstream.requests[0]?.headers ?? {};
    assert.equal(host, new URL(upstream.baseUrl).host);
    assert.ok(Number(length) > 0);
    assert.deepEqual(sent, {
      'x-project': 'demo',
      accept: '*/*',
      'accept-language': '*',
      authorization: 'Bearer test-key',
      'accept-encoding': 'identity',
      'x-request-id': 'trace-9',
      'content-type': 'application/json',
      'user-agent': 'some-sdk/1.0',
      'openai-organization': 'org-1',
      'idempotency-key': 'key-1',
      connection: 'keep-alive',
    });
  });

  it('T21 gets a new request id, as does the caller, if the caller’s id contains the credential', async () => {
    const upstream = await startScriptedUpstream((_request, res) => res.end('{}'));
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const headers = { 'x-request-id': `trace-${gateway.credential}` };
    const response = await postChat(gateway, { body: createChatBody('hi', { model: 'm' }), headers });
    await response.text();
    const [sent] = upstream.requests.map((request) => request.headers['x-request-id']);
    assert.equal(sent, response.headers.get('x-request-id'));
    assert.match(sent ?? '', /^[\da-f-]{36}$/);
  });

  it('has its refusals passed on with status, headers and body', async () => {
    const refusal = '{"error":{"message":"slow down","type":"rate","code":"x"}}';
    const upstream = await startScriptedUpstream((_request, res) => {
      res
        .writeHead(429, { 'content-type': 'application/json', 'retry-after': '7', 'set-cookie': 'a=b' })
        .end(refusal);
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const response = await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });
    assert.equal(response.status, 429);
    assert.equal(await response.text(), refusal);
    assert.equal(response.headers.get('retry-after'), '7');
    assert.equal(response.headers.get('set-cookie'), null);
    assert.equal(upstream.requests.length, 1);
  });

  it('F14 may send informational replies before its reply, split at any point', async () => {
    const interim =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const scriptedReply = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}';
    const places = [1, 9, 11, 25, interim.length, interim.length + 10];
    const upstream = await startScriptedUpstream(async (_request, res) => {
      const at = places[upstream.requests.length - 1];
      const bytes = interim + scriptedReply;
      res.socket?.write(bytes.slice(0, at));
      await new Promise(setImmediate);
      res.socket?.end(bytes.slice(at));
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    for (const place of places) {
      const response = await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });
      assert.deepEqual([response.status, await response.text()], [200, '{}'], `cut at ${place}`);
    }
    assert.equal(upstream.requests.length, places.length);
  });

  it('is named in the error when it cannot be reached, closes early, redirects or lacks its key', async () => {
    const stoppedUpstream = await startUpstream(() => {});
    await stoppedUpstream.close();
    const closing = await startScriptedUpstream((_request, res) => res.destroy());
    const moving = await startScriptedUpstream((_request, res) =>
      res.writeHead(307, { location: 'https://other.example/x' }).end(),
    );
    const gateway = await startGatewayFor([
      createUpstreamConfig('gone', stoppedUpstream.baseUrl),
      createUpstreamConfig('closing', closing.baseUrl),
      createUpstreamConfig('moving', moving.baseUrl),
      createUpstreamConfig('keyless', moving.baseUrl, { keyEnv: 'NOT_SET_ANYWHERE' }),
    ]);
    const expected: readonly (readonly [model: string, status: number, pattern: RegExp])[] = [
      [
        'gone/m',
        502,
        /Upstream 'gone' at http:\/\/127\.0\.0\.1:\d+ did not reply: the connection was refused/,
      ],
      ['closing/m', 502, /Upstream 'closing' .* it closed the connection/],
      [
        'moving/m',
        502,
        /Upstream 'moving' redirected to https:\/\/other\.example\. Redirects are not followed/,
      ],
      [
        'keyless/m',
        424,
        /Upstream 'keyless' cannot be used: the environment variable NOT_SET_ANYWHERE is not set/,
      ],
    ];
    for (const [model, status, pattern] of expected) {
      const response = await postChat(gateway, { body: createChatBody('hi', { model }) });
      assert.equal(response.status, status, model);
      assert.match(await response.text(), pattern);
      // SDKs must not repeat a request that cannot succeed.
      const mustNotRetry = /^(?:moving|keyless)/.test(model);
      assert.equal(response.headers.get('x-should-retry'), mustNotRetry ? 'false' : null, model);
    }
    for (const { requests } of [closing, moving])
      assert.equal(requests.filter(({ method }) => method === 'POST').length, 1);
    assert.match(gateway.stderr(), /'keyless' cannot be used/);
  });

  it('is reported to refuse the gateway’s key, not the caller’s credential, with a header against retries', async () => {
    const refusal = { error: { message: 'Incorrect key test-upstream-key1 given', code: 'invalid_api_key' } };
    const scriptedReplies: readonly (readonly [
      status: number,
      body: Buffer | string,
      headers: Record<string, string>,
    ])[] = [
      [401, JSON.stringify(refusal), { 'content-type': 'application/json' }],
      [403, gzipSync(JSON.stringify(refusal)), { 'content-encoding': 'gzip', 'retry-after': '1' }],
      [401, '<html><title>Incorrect key test-upstream-key1 given</title>', { 'content-type': 'text/html' }],
      [403, JSON.stringify({ message: 'Incorrect key test-upstream-key1 given' }), {}],
      [
        400,
        JSON.stringify([
          { error: { ...refusal.error, code: 400, details: [{ reason: 'API_KEY_INVALID' }] } },
        ]),
        {},
      ],
      [400, gzipSync(JSON.stringify(refusal)), { 'content-encoding': 'gzip' }],
      [404, JSON.stringify(refusal), {}],
      [407, 'Incorrect key test-upstream-key1 given', {}],
      ...[
        Buffer.from('test-upstream-key1').toString('base64url'),
        Buffer.from('test-upstream-key1').toString('hex'),
        'TEST-UPSTREAM-KEY1',
        'test%2Dupstream%2dkey1',
      ].map((written) => [401, `Incorrect key ${written} given`, {}] as const),
    ];
    let [now] = scriptedReplies;
    const upstream = await startScriptedUpstream((_request, res) => {
      const [status, body, headers] = now ?? [500, '', {}];
      res.writeHead(status, { ...headers, 'www-authenticate': 'Bearer' }).end(body);
    });
    const gateway = await startGatewayFor(
      [createUpstreamConfig('one', upstream.baseUrl, { keyEnv: 'TEST_KEY' })],
      {
        env: { TEST_KEY: 'test-upstream-key1' },
      },
    );
    for (const scriptedReply of scriptedReplies) {
      now = scriptedReply;
      const before = upstream.requests.length;
      const [status] = scriptedReply;
      const reply = await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });
      assert.equal(reply.status, 424);
      assert.equal(reply.headers.get('x-should-retry'), 'false');
      assert.equal(reply.headers.get('www-authenticate'), null);
      assert.equal(reply.headers.get('retry-after'), null);
      const { error } = (await reply.json()) as { error: { message: string; code: string } };
      assert.equal(error.code, 'upstream_credential');
      assert.equal(
        error.message,
        `Upstream 'one' returned ${status}: Incorrect key [redacted] given. The key of this gateway for it, in the environment variable TEST_KEY, is wrong or lacks a permission.`,
      );
      const list = await getModels(gateway);
      assert.equal(list.status, 424);
      assert.equal(list.headers.get('x-should-retry'), 'false');
      const body = (await list.json()) as { error: { code: string } };
      assert.equal(body.error.code, 'upstream_credential');
      assert.equal(upstream.requests.length - before, 2);
    }
  });

  it('is not read faster than the caller reads', async () => {
    let written = 0;
    const upstream = await startScriptedUpstream((_request, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const piece = Buffer.alloc(64 * 1024, 'x');
      const write = () => {
        while (written < 200 * 1024 * 1024) {
          written += piece.length;
          if (!res.write(piece)) {
            res.once('drain', write);
            return;
          }
        }
        res.end();
      };
      write();
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const caller = new AbortController();
    const sent = { body: createChatBody('hi', { model: 'm' }), signal: caller.signal };
    const reader = (await postChat(gateway, sent)).body?.getReader();
    await reader?.read();
    let before = -1;
    // The buffers of the sockets are soon full; without backpressure the count would not stop.
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    assert.ok(written < 100 * 1024 * 1024, `${written} bytes were taken ahead`);
    caller.abort();
  });

  it('F111 is disconnected when the caller disconnects before the reply', async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const upstream = await startScriptedUpstream((_request, res) => arrived.resolve(res));
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const caller = new AbortController();
    const call = assert.rejects(
      postChat(gateway, { body: createChatBody('hi', { model: 'm' }), signal: caller.signal }),
    );
    const closed = once(await arrived.promise, 'close');
    caller.abort();
    await closed;
    await call;
    await gateway.stop();
    assert.match(gateway.stderr(), /POST \/v1\/chat\/completions .*cut off/);
    assert.doesNotMatch(gateway.stderr(), /unexpected/);
  });

  it('F111 is disconnected when the caller disconnects in the middle of a stream', async () => {
    const started = Promise.withResolvers<ServerResponse>();
    const upstream = await startScriptedUpstream((_request, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
      started.resolve(res);
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const caller = new AbortController();
    const response = await postChat(gateway, {
      body: createChatBody('hi', { model: 'm' }),
      signal: caller.signal,
    });
    await response.body?.getReader().read();
    const closed = once(await started.promise, 'close');
    caller.abort();
    await closed;
  });

  it('F51 has a cut reply cut for the caller too', async () => {
    const upstream = await startScriptedUpstream((_request, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {}\n\n', () => res.destroy());
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const response = await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });
    await assert.rejects(response.text());
  });

  it('F60 gets every body unchanged except for the model, if there are several upstreams', async () => {
    const upstream = await startScriptedUpstream((_request, res) => res.end('{}'));
    const gateway = await startGatewayFor([
      createUpstreamConfig('one', upstream.baseUrl),
      createUpstreamConfig('two', upstream.baseUrl, { models: ['x'] }),
    ]);
    const messages = '"messages":[{"role":"user","content":"hi","name":null}]';
    const bodies: readonly string[] = [
      `{"model":"one/m", "seed":9223372036854775807,${messages},"seed":1e999,"x":-0.0}`,
      `{ ${messages},"max_tokens":-1,"temperature":2.5,"extra_body":{"google":{"thinking_config":{}}},"model":"one/m" }`,
      `{"response_format":{"type":"grammar"},"messages":"none at all","mo\\u0064el":"one\\/m","stream":"yes"}`,
      '{"n":[],"messages":[{"role":"\\ud800","content":{"model":"two/x"}}],"model":"two/y","model":"one/m"}',
      '{"model":"one/m"}',
    ];
    for (const body of bodies) {
      assert.equal((await postChat(gateway, { body })).status, 200, body);
      const sent = upstream.requests.at(-1)?.body.toString();
      assert.equal(sent, body.replace(/"(one(\\)?\/m|two\/y)"/g, '"m"'));
    }
  });

  it('gets one model name if a body has several, so that every parser reads the same', async () => {
    const upstream = await startScriptedUpstream((_request, res) => res.end('{}'));
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    await postChat(gateway, { body: '{"model":"dear","messages":[],"mod\\u0065l":"cheap"}' });
    const sent = upstream.requests.at(-1)?.body.toString();
    assert.equal(sent, '{"model":"cheap","messages":[],"mod\\u0065l":"cheap"}');
  });

  it('does not get a request if the body is not a JSON object or does not name a known model', async () => {
    const upstream = await startScriptedUpstream((_request, res) => res.end('{}'));
    const models = { models: ['x'] };
    const gateway = await startGatewayFor([
      createUpstreamConfig('one', upstream.baseUrl, models),
      createUpstreamConfig('two', upstream.baseUrl, models),
    ]);
    const refused: readonly (readonly [body: string, status: number, code: string])[] = [
      ['{"model":"one/m","messages":[', 400, 'invalid_json'],
      ['[{"model":"one/m"}]', 400, 'invalid_json'],
      ['"one/m"', 400, 'invalid_json'],
      ['{"messages":[]}', 400, 'invalid_value'],
      ['{"model":["one/m"]}', 400, 'invalid_value'],
      ['{"model":"m"}', 404, 'model_not_found'],
      ['{"model":"one/"}', 404, 'model_not_found'],
    ];
    for (const [body, status, code] of refused) {
      const reply = await postChat(gateway, { body });
      assert.equal(reply.status, status, body);
      const { error } = (await reply.json()) as { error: { code: string } };
      assert.equal(error.code, code, body);
    }
    assert.equal(upstream.requests.length, 0);
  });

  it('has its stream end with an error event when the gateway stops', async () => {
    const started = Promise.withResolvers<ServerResponse>();
    const upstream = await startScriptedUpstream((_request, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"n":1}\r\n\r\n');
      started.resolve(res);
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const response = await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = (await reader?.read())?.value ?? '';
    const closed = once(await started.promise, 'close');
    const stopped = gateway.stop();
    const rest = (await reader?.read())?.value ?? '';
    assert.equal(first, 'data: {"n":1}\r\n\r\n');
    assert.match(splitEvents(rest)[0] ?? '', /gateway_shutting_down/);
    assert.equal(await stopped, 0);
    await closed;
  });

  it('has a request without a reply end with 503 when the gateway stops', async () => {
    const arrived = Promise.withResolvers<void>();
    const upstream = await startScriptedUpstream(() => arrived.resolve());
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const call = postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });
    await arrived.promise;
    const stopped = gateway.stop();
    const response = await call;
    assert.equal(response.status, 503);
    assert.match(await response.text(), /gateway_shutting_down/);
    assert.equal(await stopped, 0);
  });
});
