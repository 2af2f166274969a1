import assert from 'node:assert/strict';
import {
  createQuestion,
  generationEventsCaller,
  interactionsCaller,
  messagesCaller,
  post,
  readReply,
  responsesCaller,
  type SentPost,
} from '../support/formatCallers.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';

const hello = { contents: [{ parts: [{ text: 'hello' }] }] };
const generate = '/v1beta/models/demo%2Fchat:generateContent';
const message = { model: 'demo/chat', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] };
const interaction = { model: 'demo/chat', input: 'hello' };
const response = { model: 'demo/chat', input: 'hello' };

describe('a client of any format', function () {
  this.timeout(20_000);
  let gateway: RunningGateway;

  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  const send = async (sent: SentPost) => {
    const reply = await post(gateway, sent);
    return { status: reply.status, body: await reply.text() };
  };

  it('may send the credential in every known header, and in several at once if all are right', async () => {
    const headers = ['authorization', 'api-key', 'x-api-key', 'x-vendor-api-key', 'x-goog-api-key'];
    const cases: readonly (readonly [path: string, body: object])[] = [
      ['/v1/chat/completions', message],
      [generate, hello],
      ['/v1beta/interactions', interaction],
      ['/v1/messages', message],
      ['/v1/responses', response],
    ];
    for (const [path, body] of cases) {
      for (const credentialHeader of headers) {
        assert.equal((await send({ path, body, credentialHeader })).status, 200, path);
      }
      const two = { path, body, headers: { 'x-api-key': gateway.credential } };
      assert.equal((await send(two)).status, 200, path);
    }
  });

  it('gets the same 401 in the format of its route for every kind of wrong credential', async () => {
    const forms: readonly (readonly [path: string, error: object])[] = [
      [
        '/v1/chat/completions',
        {
          error: {
            message: /missing or wrong/,
            type: 'invalid_request_error',
            param: null,
            code: 'invalid_api_key',
          },
        },
      ],
      [generate, { error: { code: 401, message: /missing or wrong/, status: 'UNAUTHENTICATED' } }],
      ['/v1beta/interactions', { error: { code: 'authentication', message: /missing or wrong/ } }],
      [
        '/v1/messages',
        {
          type: 'error',
          error: {
            type: 'authentication_error',
            message: /missing or wrong/,
            details: { error_code: /^invalid_api_key$/ },
          },
          request_id: /^trace-1$/,
        },
      ],
      [
        '/api/v1/services/aigc/video-generation/video-synthesis',
        { code: 'InvalidApiKey', message: /missing or wrong/, request_id: /^trace-1$/ },
      ],
    ];
    const wrong: readonly Record<string, string>[] = [
      {},
      { authorization: 'Bearer other' },
      { authorization: `Basic ${gateway.credential}` },
      { authorization: `Bearer ${gateway.credential}x` },
      { 'x-api-key': gateway.credential, 'api-key': 'other' },
    ];
    for (const [path, form] of forms) {
      const bodies = new Set<string>();
      for (const credentials of wrong) {
        const headers = { 'content-type': 'application/json', 'x-request-id': 'trace-1', ...credentials };
        const url = `${gateway.baseUrl}${path}?key=${gateway.credential}`;
        const reply = await fetch(url, { method: 'POST', headers, body: '{"any":"thing"}' });
        assert.equal(reply.status, 401, path);
        assert.equal(reply.headers.get('content-type'), 'application/json');
        assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
        bodies.add(await reply.text());
      }
      assert.equal(bodies.size, 1, path);
      for (const body of bodies) assertLike(JSON.parse(body), form, path);
    }
  });

  it('does not need a Content-Type for a request without a body', async () => {
    const path = '/v1/tasks/task_none/cancel';
    const types: readonly Record<string, string>[] = [
      {},
      { 'content-type': 'application/x-www-form-urlencoded' },
    ];
    for (const headers of types) {
      const authorization = `Bearer ${gateway.credential}`;
      const sent = { method: 'POST', headers: { ...headers, authorization } };
      for (const body of [undefined, '']) {
        const reply = await fetch(gateway.baseUrl + path, { ...sent, body });
        assert.equal(reply.status, 404);
        assert.match(await reply.text(), /no such task/);
      }
      const bodiless = await fetch(`${gateway.baseUrl}/v1/chat/completions`, sent);
      assert.equal(bodiless.status, 400);
      assert.match(await bodiless.text(), /body is empty/);
    }
  });

  it('may send the version headers of the messages format in either spelling', async () => {
    for (const name of ['vendor', 'anthropic']) {
      const headers = { [`${name}-version`]: '2023-06-01', [`${name}-beta`]: 'some-feature-2025-01-01' };
      const sent = { path: '/v1/messages?beta=true', body: message, credentialHeader: 'x-api-key', headers };
      assert.equal((await send(sent)).status, 200);
    }
  });

  it('may write the model in the path encoded, plain or after models/, with v1 or v1beta', async () => {
    for (const version of ['v1', 'v1beta']) {
      for (const model of ['demo%2Fchat', 'demo/chat', 'models%2Fdemo%2Fchat', 'models/demo/chat']) {
        const path = `/${version}/models/${model}:generateContent`;
        const reply = await send({ path, body: hello, credentialHeader: 'x-goog-api-key' });
        assert.equal(reply.status, 200, path);
        assert.equal(JSON.parse(reply.body).modelVersion, 'demo/chat');
      }
    }
    const body = { ...interaction, model: 'models/demo/chat' };
    const sent = { path: '/v1/interactions', body, credentialHeader: 'x-goog-api-key' };
    assert.equal((await send(sent)).status, 200);
  });

  it('T7 has its model looked up by exactly the id in its path, with any characters', async () => {
    const ids = [
      'a:b',
      'a%2Fb',
      'a%b',
      'a?b#c',
      'a b+c',
      '模型',
      'x\'"<>',
      'a;b,c=d&e',
      'x:generateContent',
      '@1',
    ];
    for (const id of ids) {
      const path = `/v1beta/models/${encodeURIComponent(id)}:generateContent`;
      const reply = await send({ path, body: hello, credentialHeader: 'x-goog-api-key' });
      assert.equal(reply.status, 404, id);
      assert.ok(JSON.parse(reply.body).error.message.includes(`no model "${id}".`), reply.body);
    }
  });

  it('gets errors in the format of its route', async () => {
    const long = 'x'.repeat(3_000);
    const mistakes: readonly (readonly [sent: SentPost, status: number, error: object])[] = [
      [
        { path: `/v1beta/models/${long}:generateContent`, body: hello },
        404,
        { error: { code: 404, message: /no model "x{100}"/, status: 'NOT_FOUND' } },
      ],
      [
        { path: generate, body: {} },
        400,
        { error: { code: 400, message: /^contents: expected an array/, status: 'INVALID_ARGUMENT' } },
      ],
      [
        { path: '/v1beta/models/demo%2Fchat:embedContent', body: hello },
        404,
        { error: { code: 404, message: /no such route/, status: 'NOT_FOUND' } },
      ],
      [
        { path: generate, body: { contents: [{ parts: [{ text: 'fail with 429' }] }] } },
        429,
        { error: { code: 429, message: /fails with 429/, status: 'RESOURCE_EXHAUSTED' } },
      ],
      [
        { path: generate, body: hello, headers: { 'content-type': 'text/plain' } },
        415,
        { error: { code: 415, message: /Content-Type must be/, status: 'INVALID_ARGUMENT' } },
      ],
      [
        { path: '/v1beta/interactions', body: { ...interaction, model: 'none' } },
        404,
        { error: { code: 'model_not_found', message: /no model "none"/ } },
      ],
      [
        { path: '/v1beta/interactions', body: { input: 'hello' } },
        400,
        { error: { code: 'invalid_request', message: /^model: expected the id of a model/ } },
      ],
      [
        { path: '/v1beta/interactions/x/y', body: {} },
        404,
        { error: { code: 'not_found', message: /no such route/ } },
      ],
      [
        { path: '/v1beta/interactions/x/cancel', body: {} },
        404,
        { error: { code: 'not_found', message: /no such task/ } },
      ],
      [
        { path: '/api/v1/tasks/x/cancel', body: {} },
        404,
        { code: 'NotFound', message: /no such task/, request_id: /^trace-1$/ },
      ],
      [
        { path: '/v1/messages', body: { ...message, model: 'none' } },
        404,
        {
          type: 'error',
          error: {
            type: 'not_found_error',
            message: /no model/,
            details: { error_code: 'model_not_found' },
          },
          request_id: /^trace-1$/,
        },
      ],
      [
        { path: '/v1/messages', body: { ...message, max_tokens: 'many' } },
        400,
        {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: /^max_tokens: expected a .*number; got a string/,
            details: { error_code: 'invalid_value' },
          },
          request_id: /^trace-1$/,
        },
      ],
      [
        { path: '/v1/messages/batches', body: message },
        404,
        {
          type: 'error',
          error: { type: 'not_found_error', message: /no such/, details: { error_code: /^\w+$/ } },
          request_id: /^trace-1$/,
        },
      ],
      [
        { path: '/v1/responses', body: { ...response, model: 'none' } },
        404,
        {
          error: {
            message: /no model/,
            type: 'invalid_request_error',
            param: 'model',
            code: 'model_not_found',
          },
        },
      ],
    ];
    for (const [sent, status, error] of mistakes) {
      const ownHeader = /^\/v1beta/.test(sent.path) ? 'x-goog-api-key' : 'authorization';
      const headers = { 'x-request-id': 'trace-1', ...sent.headers };
      const reply = await post(gateway, { credentialHeader: ownHeader, ...sent, headers });
      assert.equal(reply.status, status, sent.path);
      assertLike(await reply.json(), error, sent.path);
    }
  });

  it('gets an error that names the field that no demo model supports', async () => {
    const refused: readonly (readonly [path: string, body: object, field: string])[] = [
      [generate, { ...hello, generationConfig: { candidateCount: 9 } }, 'generationConfig.candidateCount'],
      ['/v1beta/interactions', { ...interaction, background: true }, 'background'],
      ['/v1beta/interactions', { ...interaction, previous_interaction_id: 'x' }, 'previous_interaction_id'],
      ['/v1beta/interactions', { ...interaction, continuation_token: 'x' }, 'continuation_token'],
      [
        '/v1beta/interactions',
        { ...interaction, response_format: { type: 'audio' } },
        'response_format.type',
      ],
      ['/v1beta/interactions', { agent: 'x', input: 'hello' }, 'agent'],
      ['/v1/responses', { ...response, background: true }, 'background'],
      ['/v1/responses', { ...response, previous_response_id: 'x' }, 'previous_response_id'],
      ['/v1/responses', { ...response, conversation: 'x' }, 'conversation'],
      ['/v1/responses', { ...response, prompt: { id: 'x' } }, 'prompt'],
      ['/v1/responses', { ...response, text: { format: { type: 'json_schema' } } }, 'text.format.schema'],
    ];
    for (const [path, body, field] of refused) {
      const credentialHeader = path.startsWith('/v1beta') ? 'x-goog-api-key' : 'authorization';
      const reply = await send({ path, body, credentialHeader });
      assert.equal(reply.status, 400, field);
      assert.ok(JSON.parse(reply.body).error.message.startsWith(`${field}: `), reply.body);
    }
  });

  it('gets JSON, or no reasoning, on request', async () => {
    const model = 'demo/reasoning';
    const reasoning = generate.replace('chat', 'reasoning');
    const thinkingConfig = { thinkingBudget: 0 };
    const format = { type: 'text', mime_type: 'application/json' };
    const plain: readonly (readonly [path: string, body: object])[] = [
      [reasoning, { ...hello, generationConfig: { responseMimeType: 'application/json', thinkingConfig } }],
      [
        '/v1beta/interactions',
        { ...interaction, model, response_format: format, generation_config: { thinking_summaries: 'none' } },
      ],
      [
        '/v1/responses',
        { ...response, model, text: { format: { type: 'json_object' } }, reasoning: { effort: 'none' } },
      ],
    ];
    for (const [path, body] of plain) {
      const credentialHeader = path.startsWith('/v1beta') ? 'x-goog-api-key' : 'authorization';
      const caller = [generationEventsCaller, interactionsCaller, responsesCaller].find((it) =>
        it.getPath(createQuestion('', { model })).startsWith(path),
      );
      assert.ok(caller, path);
      const reply = await readReply(await post(gateway, { path, body, credentialHeader }), caller);
      assert.equal(JSON.parse(reply.text).question, 'hello');
      assert.equal(reply.reasoning, '');
    }
    const body = { ...message, model, max_tokens: 900, thinking: { type: 'disabled' } };
    const quiet = await post(gateway, { path: '/v1/messages', body });
    assert.equal((await readReply(quiet, messagesCaller)).reasoning, '');
  });

  it('cannot make the gateway fail with a hostile conversation', async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const odd = '{"toString":1,"valueOf":1}';
    const hostile: readonly (readonly [path: string, body: string])[] = [
      [generate, `{"contents":[{"parts":[{"functionCall":{"name":"f","args":${deep}}}]}]}`],
      [
        '/v1/messages',
        `{"model":"demo/chat","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":${odd},"name":${odd},"input":${deep}}]}]}`,
      ],
      [
        '/v1/responses',
        `{"model":"demo/chat","input":[{"type":"function_call","call_id":${odd},"name":${odd}}],"tools":[${deep}]}`,
      ],
      [
        '/v1/chat/completions',
        `{"model":"demo/chat","messages":[{"role":"user","content":"call the tool"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"const":${deep}}}}],"tool_choice":{"type":${odd}}}`,
      ],
      [
        '/v1beta/interactions',
        `{"model":"demo/chat","input":[{"type":"function_result","call_id":"x","result":${odd},"arguments":${deep}},{"type":"text","__proto__":{"text":"x"}}]}`,
      ],
    ];
    for (const [path, body] of hostile) {
      const credentialHeader = path.startsWith('/v1beta') ? 'x-goog-api-key' : 'authorization';
      const reply = await send({ path, body, credentialHeader });
      assert.ok(reply.status === 200 || reply.status === 400, `${path}: ${reply.status} ${reply.body}`);
    }
    assert.doesNotMatch(gateway.stderr(), /unexpected/);
  });
});

/** Deep equality; a pattern matches any suitable text. */
function assertLike(value: unknown, expected: unknown, what: string): void {
  if (expected instanceof RegExp) {
    assert.match(String(value), expected, what);
  } else if (typeof expected === 'object' && expected !== null) {
    assert.deepEqual(Object.keys(value as object), Object.keys(expected), what);
    for (const [key, each] of Object.entries(expected))
      assertLike(Reflect.get(value as object, key), each, what);
  } else {
    assert.equal(value, expected, what);
  }
}
