import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  createQuestion,
  generationArrayCaller,
  generationEventsCaller,
  messagesCaller,
  post,
  readReply,
  responsesCaller,
  sendQuestion,
} from '../support/formatCallers.ts';
import type { UpstreamRequest } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig, setUpUpstreams } from '../support/testUpstreams.ts';

const message = {
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'Hi' }],
  metadata: { user_id: 'u' },
};

function createChunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

function beginStream(res: ServerResponse): ServerResponse {
  return res.writeHead(200, { 'content-type': 'text/event-stream' });
}

describe('an upstream with another API format than its caller', function () {
  this.timeout(20_000);
  const { startScriptedUpstream, startGatewayFor } = setUpUpstreams();

  const serve = async (respond: (request: UpstreamRequest, res: ServerResponse) => void) => {
    const upstream = await startScriptedUpstream(respond);
    return {
      upstream,
      gateway: await startGatewayFor([createUpstreamConfig('other', upstream.baseUrl, { models: ['m'] })]),
    };
  };

  it('gets requests in its own format, and the reply reports the conversion and the dropped fields', async () => {
    const { upstream, gateway } = await serve((_, res) =>
      beginStream(res).end(`${createChunk({ content: 'Hello' })}${createChunk({}, 'stop')}data: [DONE]\n\n`),
    );
    const headers = { 'anthropic-beta': 'some-feature', 'x-stainless-lang': 'js', 'accept-encoding': 'gzip' };
    const body = { ...message, stream: true };
    const reply = await post(gateway, { path: '/v1/messages', body, headers });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-gateway-conversion'), 'messages->chat-completions');
    assert.equal(reply.headers.get('x-gateway-dropped'), 'metadata');
    assert.equal(reply.headers.get('x-upstream'), 'other');
    assert.match(reply.headers.get('content-type') ?? '', /^text\/event-stream/);
    const { text, conclusion } = await readReply(reply, messagesCaller);
    assert.deepEqual([text, conclusion.kind], ['Hello', 'complete']);
    const [sent] = upstream.requests;
    assert.equal(sent?.path, '/v1/chat/completions');
    assert.deepEqual(JSON.parse(String(sent?.body)), {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 9,
      stream: true,
      stream_options: { include_usage: true },
    });
    const vendorHeaders = Object.keys(sent?.headers ?? {}).filter((name) => /anthropic|stainless/.test(name));
    assert.deepEqual(vendorHeaders, []);
    assert.equal(sent?.headers['accept-encoding'], 'identity');
  });

  it('does not get a request when the conversion would lose a field', async () => {
    const { upstream, gateway } = await serve((_, res) => res.end());
    const body = { ...message, container: 'c' };
    const reply = await post(gateway, { path: '/v1/messages', body });
    assert.equal(reply.status, 400);
    assert.match(await reply.text(), /^\{"type":"error".*container: the model .* has no containers/);
    assert.equal(upstream.requests.length, 0);
  });

  it('has its errors passed on in the caller’s format, with status, message and Retry-After', async () => {
    const { gateway } = await serve((_, res) => {
      res.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' });
      res.end(
        JSON.stringify({ error: { message: 'Slower, please.', type: 'x', code: 'rate_limit_exceeded' } }),
      );
    });
    const reply = await post(gateway, { path: '/v1/messages', body: message });
    assert.equal(reply.status, 429);
    assert.equal(reply.headers.get('retry-after'), '7');
    const { error } = (await reply.json()) as { error: object };
    assert.deepEqual(error, {
      type: 'rate_limit_error',
      message: 'Slower, please.',
      details: { error_code: 'rate_limit_exceeded' },
    });
  });

  it('F27 F28 is read when it compresses its reply without a request for compression, and a truncated one is reported', async () => {
    const document = JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    });
    const events = `${createChunk({ content: 'Hello' })}${createChunk({}, 'stop')}data: [DONE]\n\n`;
    for (const [encoding, compress] of Object.entries({
      gzip: gzipSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
    })) {
      let cutBy = 0;
      const { gateway } = await serve(({ body }, res) => {
        const isStreamed = JSON.parse(String(body)).stream === true;
        const bytes = compress(isStreamed ? events : document);
        const type = isStreamed ? 'text/event-stream' : 'application/json';
        res.writeHead(200, { 'content-type': type, 'content-encoding': encoding });
        res.end(bytes.subarray(0, bytes.length - cutBy));
      });
      const reply = await post(gateway, { path: '/v1/messages', body: message });
      const { content } = (await reply.json()) as { content: object };
      assert.partialDeepStrictEqual(content, [{ type: 'text', text: 'Hello' }]);
      assert.equal(reply.headers.get('content-encoding'), null);
      const streamed = () => post(gateway, { path: '/v1/messages', body: { ...message, stream: true } });
      const { text, conclusion } = await readReply(await streamed(), messagesCaller);
      assert.deepEqual([text, conclusion.kind], ['Hello', 'complete']);
      cutBy = 12;
      assert.equal((await post(gateway, { path: '/v1/messages', body: message })).status, 424);
      await assert.rejects(async () => (await streamed()).text());
    }
  });

  it('F51 has a cut stream cut for the caller, and an error in the stream passed on as an error', async () => {
    const endings: readonly ((res: ServerResponse) => void)[] = [
      (res) => res.destroy(),
      (res) => res.end(),
      (res) => res.end('data: {"error":{"message":"It broke.","type":"server_error"}}\n\n'),
    ];
    const kinds: string[] = [];
    for (const ending of endings) {
      const { gateway } = await serve((_, res) => {
        beginStream(res).write(createChunk({ content: 'Half' }), () => ending(res));
      });
      const reply = await post(gateway, { path: '/v1/messages', body: { ...message, stream: true } });
      const text = await reply.text().catch(() => 'cut');
      kinds.push(text === 'cut' ? text : (/event: (error)/.exec(text)?.[1] ?? text));
    }
    assert.deepEqual(kinds, ['cut', 'cut', 'error']);
  });

  it('F51 has a cut whole reply reported as an error, with the upstream’s status if that was one of a failure', async () => {
    let status = 200;
    const { gateway } = await serve((_, res) => {
      res.writeHead(status, { 'content-type': 'application/json', 'content-length': '300' });
      res.write('{"choices":[', () => res.destroy());
    });
    const readFailure = async () => {
      const reply = await post(gateway, { path: '/v1/messages', body: message });
      const { type, error } = (await reply.json()) as { type: string; error: { message: string } };
      assert.equal(type, 'error');
      return [reply.status, error.message];
    };
    assert.deepEqual(await readFailure(), [424, "The reply of upstream 'other' was cut off."]);
    status = 422;
    assert.deepEqual(await readFailure(), [422, 'The upstream returned 422.']);
    assert.doesNotMatch(gateway.stderr(), /unexpected/);
  });

  const callers = [messagesCaller, responsesCaller, generationEventsCaller, generationArrayCaller];
  for (const caller of callers) {
    for (const isStreamed of [true, false]) {
      const how = isStreamed ? 'streamed' : 'whole';
      it(`has reasoning in its text converted to reasoning of ${caller.name}, ${how}`, async () => {
        const pieces: Record<string, readonly string[]> = {
          paired: ['<thi', 'nk>\nHm', '.</think', '>\n\nHel', 'lo'],
          'closing/m': ['Hm', '.</', 'think>', '\n\nHello'],
          'text/m': ['<think>Hm.</think>Hello'],
        };
        const upstream = await startScriptedUpstream(({ body }, res) => {
          const request = JSON.parse(String(body));
          const texts = pieces[request.model] ?? [];
          if (request.stream) {
            const chunks = texts.map((content) => createChunk({ content })).join('');
            beginStream(res).end(`${chunks}${createChunk({}, 'stop')}data: [DONE]\n\n`);
            return;
          }
          const message = { role: 'assistant', content: texts.join('') };
          const choices = [{ index: 0, message, finish_reason: 'stop' }];
          res.writeHead(200, { 'content-type': 'application/json' });
          res.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, choices }));
        });
        const thinkTags = [
          { models: 'closing/*', form: 'closing' },
          { models: 'text/*', form: 'none' },
        ];
        const models = Object.keys(pieces);
        const gateway = await startGatewayFor([
          createUpstreamConfig('other', upstream.baseUrl, { models, thinkTags }),
        ]);
        const read: Record<string, readonly string[]> = {};
        for (const model of models) {
          const body = createQuestion('Hi', { model, stream: isStreamed });
          const { reasoning, text, conclusion } = await readReply(
            await sendQuestion(gateway, caller, body),
            caller,
          );
          read[model] = [reasoning, text, conclusion.kind];
        }
        assert.deepEqual(read, {
          paired: ['Hm.', 'Hello', 'complete'],
          'closing/m': ['Hm.', 'Hello', 'complete'],
          'text/m': ['', '<think>Hm.</think>Hello', 'complete'],
        });
      });
    }
  }

  it('F111 is disconnected as soon as the caller disconnects', async () => {
    const disconnected = Promise.withResolvers<void>();
    const { gateway } = await serve((_, res) => {
      beginStream(res).write(createChunk({ content: 'Half' }));
      res.on('close', () => disconnected.resolve());
    });
    const caller = new AbortController();
    const body = messagesCaller.createBody(createQuestion('Hi', { model: 'm', stream: true }));
    const reply = await fetch(`${gateway.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': gateway.credential },
      body: JSON.stringify(body),
      signal: caller.signal,
    });
    assert.ok((await reply.body?.getReader().read())?.value);
    caller.abort();
    await disconnected.promise;
  });

  it('has a reply that is not in its format reported as an error in the caller’s format', async () => {
    for (const [body, expected] of [
      ['<html><title>Sign in</title></html>', 424],
      ['', 424],
      ['{"object":"list","data":[]}', 424],
    ] as const) {
      const { gateway } = await serve((_, res) => res.writeHead(200).end(body));
      const reply = await post(gateway, { path: '/v1/messages', body: message });
      assert.equal(reply.status, expected, body);
      assert.equal(((await reply.json()) as { type: string }).type, 'error');
    }
  });
});
