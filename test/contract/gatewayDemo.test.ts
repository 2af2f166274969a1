import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { writeContinuationRequest } from '../../src/wire/continuationRequest.ts';
import {
  createChatBody,
  getModels,
  joinChunkTexts,
  parseChunks,
  postChat,
  readCompletion,
  splitEvents,
} from '../support/chatCompletionsCalls.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';

describe('the demo models of the local gateway', function () {
  this.timeout(20_000);
  let gateway: RunningGateway;

  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  const send = (body: object | string) => postChat(gateway, { body });
  const stream = async (body: object) => (await send({ ...body, stream: true })).text();

  it('are listed and labelled as a demo', async () => {
    const response = await getModels(gateway);
    assert.deepEqual(await response.json(), {
      object: 'list',
      data: ['demo/chat', 'demo/reasoning', 'demo/video'].map((id) => ({
        id,
        object: 'model',
        created: 1_767_225_600,
        owned_by: 'demo',
        upstream: 'demo',
        ...(id !== 'demo/video' && { supports_assistant_prefill: true }),
      })),
    });
  });

  it('stream a reply that is marked as a demo, quotes the question and ends with the end mark', async () => {
    const response = await send(createChatBody('Why is the sky blue?', { stream: true }));
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    const text = await response.text();
    assert.equal(splitEvents(text).at(-1), '[DONE]');
    assert.match(joinChunkTexts(text), /^\*Demo reply from the local gateway/);
    assert.ok(joinChunkTexts(text).includes('> Why is the sky blue?'));
    const [first, ...others] = parseChunks(text);
    assert.deepEqual(first?.choices[0]?.delta, { role: 'assistant', content: '' });
    assert.equal(others.at(-1)?.choices[0]?.finish_reason, 'stop');
    assert.equal(new Set(parseChunks(text).map(({ id, model }) => `${id} ${model}`)).size, 1);
    assert.equal(first?.model, 'demo/chat');
  });

  it('send the same reply each time, whole and streamed', async () => {
    const streamed = await stream(createChatBody('code in python and a table'));
    const completion = await readCompletion(await send(createChatBody('code in python and a table')));
    assert.equal(completion.choices[0]?.message.content, joinChunkTexts(streamed));
    const steady = (text: string) => text.replaceAll(/"id":"[^"]*","created":\d+/g, '');
    assert.equal(steady(await stream(createChatBody('code in python and a table'))), steady(streamed));
  });

  it('continue a reply that was cut, by its prefix and on a continuation request', async () => {
    const question = { role: 'user', content: 'code in python and a table' };
    const first = await readCompletion(
      await send({ model: 'demo/chat', messages: [question], max_tokens: 60 }),
    );
    const replyText = first.choices[0]?.message.content ?? '';
    assert.equal(first.choices[0]?.finish_reason, 'length');
    const completion = await readCompletion(await send({ model: 'demo/chat', messages: [question] }));
    const rest = completion.choices[0]?.message.content?.slice(replyText.length);
    const cut = [question, { role: 'assistant', content: replyText, prefix: true }];
    const asking = { role: 'user', content: writeContinuationRequest(replyText) };
    for (const messages of [cut, [...cut, asking]]) {
      const { choices } = await readCompletion(await send({ model: 'demo/chat', messages }));
      assert.equal(choices[0]?.message.content, rest);
      assert.equal(choices[0]?.finish_reason, 'stop');
    }
  });

  it('use the earlier questions and the system prompt', async () => {
    const messages = [
      { role: 'system', content: 'Answer briefly.' },
      { role: 'user', content: 'What is a token?' },
      { role: 'assistant', content: 'A piece of text.' },
      { role: 'user', content: [{ type: 'text', text: 'And a model?' }] },
    ];
    const { choices } = await readCompletion(await send({ model: 'demo/chat', messages }));
    const content = choices[0]?.message.content ?? '';
    assert.ok(content.includes('> And a model?'));
    assert.match(content, /question 2 of our conversation[^>]*> What is a token\?/);
    assert.match(content, /system prompt of 2 words/);
  });

  it('send reasoning before the text with demo/reasoning', async () => {
    const text = await stream(createChatBody('Why?', { model: 'demo/reasoning' }));
    const kinds = parseChunks(text)
      .flatMap(({ choices }) => choices)
      .flatMap(({ delta }) => (delta.reasoning_content ? 'r' : delta.content ? 'c' : []))
      .join('');
    assert.match(kinds, /^r+c+$/);
  });

  it('stop at the token limit and at stop sequences', async () => {
    const short = parseChunks(await stream(createChatBody('long', { max_tokens: 5 })));
    assert.equal(short.filter(({ choices }) => choices[0]?.delta.content).length, 5);
    assert.equal(short.at(-1)?.choices[0]?.finish_reason, 'length');

    const stopped = await readCompletion(await send(createChatBody('hello', { stop: ['No model', '##'] })));
    assert.equal(stopped.choices[0]?.message.content, '*Demo reply from the local gateway. ');
    assert.equal(stopped.choices[0]?.finish_reason, 'stop');
  });

  it('interleave several choices, and count their tokens', async () => {
    const text = await stream(createChatBody('hello', { n: 2, stream_options: { include_usage: true } }));
    const chunks = parseChunks(text);
    assert.deepEqual(
      chunks.slice(0, 6).map(({ choices }) => choices[0]?.index),
      [0, 1, 0, 1, 0, 1],
    );
    const counted = chunks.at(-1);
    assert.deepEqual(counted?.choices, []);
    const written = chunks.filter(({ choices }) => choices[0]?.delta.content).length;
    assert.equal(counted?.usage?.completion_tokens, written);
    assert.ok(chunks.slice(0, -1).every(({ usage }) => usage === null));
    assert.ok(joinChunkTexts(text, 1).includes('> hello'));
  });

  it('reply in JSON if the request requires it', async () => {
    const body = createChatBody('"quoted"', { response_format: { type: 'json_object' } });
    const { choices } = await readCompletion(await send(body));
    const parsedReply = JSON.parse(choices[0]?.message.content ?? '');
    assert.equal(parsedReply.demo, true);
    assert.equal(parsedReply.question, '"quoted"');
  });

  it('produce failures on request', async () => {
    const refused = await send(createChatBody('please fail with 429'));
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '2');

    const broken = splitEvents(await stream(createChatBody('error in the middle')));
    assert.match(broken.at(-1) ?? '', /^\{"error":\{"message":"The demo model broke off/);
    assert.ok(broken.length > 10);

    const endless = splitEvents(await stream(createChatBody('leave out the end')));
    assert.equal(endless.includes('[DONE]'), false);
    assert.equal(
      parseChunks(await stream(createChatBody('leave out the end'))).some(
        (it) => it.choices[0]?.finish_reason,
      ),
      false,
    );

    await assert.rejects(stream(createChatBody('cut the stream')));
    await assert.rejects(send(createChatBody('cut the stream')).then((response) => response.text()));
  });

  it('return the request id of the caller, or a new one if that is not usable', async () => {
    const withCallerId = await postChat(gateway, {
      body: createChatBody('hi'),
      headers: { 'x-request-id': 'trace-7' },
    });
    assert.equal(withCallerId.headers.get('x-request-id'), 'trace-7');
    const withInvalidId = await postChat(gateway, {
      body: createChatBody('hi'),
      headers: { 'x-request-id': 'two words' },
    });
    assert.match(withInvalidId.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  });

  it('T21 do not repeat a request id that contains the credential, whether or not the request is admitted', async () => {
    const { credential, baseUrl } = gateway;
    for (const authorization of [`Bearer ${credential}`, 'Bearer wrong']) {
      const headers = { authorization, 'x-request-id': `id:${credential}` };
      const reply = await fetch(`${baseUrl}/v1/models`, { headers });
      assert.equal(reply.status, authorization === 'Bearer wrong' ? 401 : 200);
      assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
      assert.ok(!(await reply.text()).includes(credential));
    }
  });

  it('reject an invalid body with the field, the expected value and the received value', async () => {
    const wrong: readonly (readonly [body: object | string, param: string | null, pattern: RegExp])[] = [
      ['', null, /body is empty/],
      ['{"model":', null, /expected a JSON object in UTF-8/],
      ['[]', null, /expected a JSON object/],
      [{ messages: [] }, 'model', /expected the id of a model; it is missing/],
      [{ model: 'demo/chat' }, 'messages', /expected an array; it is missing/],
      [{ model: 'demo/chat', messages: [] }, 'messages', /at least 1 element; got an empty array/],
      [
        createChatBody('', { messages: [{ role: 'robot', content: 'x' }] }),
        'messages[0].role',
        /one of "developer".*got "robot"/,
      ],
      [createChatBody('', { messages: [{ role: 'user' }] }), 'messages[0].content', /content must be/],
      [
        createChatBody('', { messages: [{ role: 'user', content: 7 }] }),
        'messages[0].content',
        /a string or an array; got 7/,
      ],
      [
        createChatBody('', { messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] }),
        'messages[0].content[0].text',
        /expected a string; got 5/,
      ],
      [createChatBody('hi', { temperature: 'warm' }), 'temperature', /expected a number; got a string/],
      [createChatBody('hi', { n: 99 }), 'n', /at most 8 choices/],
      [
        createChatBody('hi', { response_format: { type: 'json_schema' } }),
        'response_format.json_schema.schema',
        /the JSON schema is missing/,
      ],
    ];
    for (const [body, param, pattern] of wrong) {
      const response = await send(body);
      const { error } = (await response.json()) as { error: { message: string; param: string | null } };
      assert.equal(response.status, 400, error.message);
      assert.equal(error.param, param, error.message);
      assert.match(error.message, pattern);
    }
  });

  it('name the route of the model list when a model is unknown', async () => {
    for (const model of ['demo/none', 'elsewhere']) {
      const response = await send(createChatBody('hi', { model }));
      assert.equal(response.status, 404);
      assert.match(
        await response.text(),
        /"message":"This local gateway has no model .*GET \/v1\/models.*model_not_found/,
      );
    }
  });

  it('stop writing when the caller disconnects', async () => {
    const caller = new AbortController();
    const body = createChatBody('go silent', { stream: true });
    const headers = { 'x-request-id': 'left-early' };
    const response = await postChat(gateway, { body, headers, signal: caller.signal });
    await response.body?.getReader().read();
    caller.abort();
    const logged = /POST \/v1\/chat\/completions 200, \d+ ms, left-early, cut off/;
    while (!logged.test(gateway.stderr())) await once(gateway.process.stderr ?? process.stderr, 'data');
  });
});

describe('a caller of the local gateway that disconnects before the reply', function () {
  this.timeout(20_000);

  it('is logged as cut off, without an unexpected error', async () => {
    const gateway = await startGateway();
    const { port, host } = new URL(gateway.baseUrl);
    const body = JSON.stringify(createChatBody('answer slowly'));
    const lines = [
      'POST /v1/chat/completions HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${gateway.credential}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    socket.write(body, () => socket.destroy());
    await once(socket, 'close');
    while (!/cut off/.test(gateway.stderr())) await once(gateway.process.stderr ?? process.stderr, 'data');
    await gateway.stop();
    assert.doesNotMatch(gateway.stderr(), /unexpected/);
  });
});

describe('the local gateway on shutdown', function () {
  this.timeout(20_000);

  it('ends an open stream with an error event, and exits with 0', async () => {
    const gateway = await startGateway({ pace: 'real' });
    const response = await postChat(gateway, { body: createChatBody('2000 words', { stream: true }) });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';
    const stopped = gateway.stop();
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value;
    assert.match(splitEvents(text).at(-1) ?? '', /"code":"gateway_shutting_down"/);
    assert.equal(await stopped, 0);
  });
});
