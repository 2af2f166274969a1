import assert from 'node:assert/strict';
import { HttpError } from '../../../../src/localGateway/http/httpError.ts';
import { joinPieces } from '../../../../src/localGateway/json/bodyPieces.ts';
import { limitBody, limitHeaders, limitQuery } from '../../../../src/localGateway/server/limitedRequest.ts';
import { mainRoutes } from '../../../../src/localGateway/server/servedRoutes.ts';

interface More {
  readonly type?: string;
  /** In the path. */
  readonly model?: string;
}

function limitRequest(route: string, body: string | Uint8Array, more: More = {}) {
  const found = mainRoutes.find(({ name }) => name === route) ?? assert.fail(route);
  const { type = 'application/json', ...about } = more;
  return limitBody([Buffer.from(body)], type, { route: found, ...about });
}

function writeLimited(route: string, body: string | Uint8Array, more?: More): string {
  return joinPieces(limitRequest(route, body, more).pieces).toString();
}

/** The models that a request may need besides its own, or the error code if it is refused immediately. */
function listFurtherModels(route: string, body: object, more?: More): readonly string[] | string {
  try {
    return limitRequest(route, JSON.stringify(body), more).furtherModels.map(({ id }) => id);
  } catch (error) {
    if (error instanceof HttpError) return error.code;
    throw error;
  }
}

function catchRefusal(route: string, body: object | string, more?: More): HttpError {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    const passed = writeLimited(route, text, more);
    assert.fail(`passed on: ${passed}`);
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

const chat = { model: 'small', messages: [] };

describe('a request with a credential limited to some models', () => {
  it('is forwarded with each member once, with the value that was checked', () => {
    const passed = writeLimited(
      'chatCompletions',
      '{"mod\\u0065l":"large","messages":[],"seed":12345678901234567890,"model":"small"}',
    );
    assert.equal(passed, '{"model":"small","messages":[],"seed":12345678901234567890}');
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(chat))]);
    assert.equal(writeLimited('chatCompletions', marked), JSON.stringify(chat));
  });

  it('is rejected if it has an unknown member, in any spelling', () => {
    const members = [
      'Model',
      'MODEL',
      'model ',
      'mod\u212Al',
      'modelſ',
      'engine',
      'route',
      'providerOptions',
    ];
    for (const name of [...members, 'context_window_fallbacks', 'plugins', '__proto__'])
      assert.equal(
        catchRefusal('chatCompletions', `{"model":"small","messages":[],${JSON.stringify(name)}:["large"]}`)
          .code,
        'field_not_allowed',
        name,
      );
    assert.equal(
      writeLimited('chatCompletions', JSON.stringify({ ...chat, unknown: null })),
      JSON.stringify(chat),
    );
    for (const [route, body] of [
      ['messages', { ...chat, max_tokens: 1, model_id: 'large' }],
      ['responses', { model: 'small', input: '', prompt: { id: 'names-a-model' } }],
      ['interactions', { model: 'small', agent: 'large', input: '' }],
      ['videoSynthesis', { model: 'small', input: {}, Model: 'large' }],
      ['createVideo', { model: 'small', prompt: '', extra_body: { model: 'large' } }],
      ['remixVideo', { prompt: '', model: 'large' }],
      ['countMessagesTokens', { ...chat, fallback_models: ['large'] }],
      ['cancelTask', { model: 'large' }],
    ] as const)
      assert.equal(catchRefusal(route, body).code, 'field_not_allowed', route);
  });

  it('is checked for every model that its body names', () => {
    for (const more of [
      { models: ['large'] },
      { models: 'large' },
      { fallbacks: [{ model: 'large' }] },
      { tools: [{ type: 'image_generation', model: 'large' }] },
      { tools: [{ type: 'subtask', name: 'x', parameters: { model: 'large' } }] },
      { tools: [{ name: 'x', parameters: { model: 'large' } }] },
      { tools: [{ type: 'function', function: { name: 'x', strict: { model: 'large' } } }] },
      { web_search_options: { search_model: 'large' } },
      { metadata: { model_group: 'large' } },
      { metadata: { args: { schema: { model: 'large' } } } },
      { prediction: { type: 'x_call', input: { model: 'large' } } },
      { messages: [{ role: 'user', content: 'hi', model: 'large' }] },
      { stream_options: { ｍodel: 'large' } },
      { extra_body: { google: { thinking_config: { model: 'large' } } } },
      { response_format: { type: 'json_schema', engine: 'large' } },
    ])
      assert.deepEqual(
        listFurtherModels('chatCompletions', { ...chat, ...more }),
        ['large'],
        JSON.stringify(more),
      );
    const manual = { routingConfig: { manualMode: { modelName: 'large' } } };
    const routed = { contents: [], generationConfig: manual };
    assert.deepEqual(listFurtherModels('generateContent', routed, { model: 'small' }), ['large']);
    const counted = { generateContentRequest: { contents: [], generationConfig: manual } };
    assert.deepEqual(listFurtherModels('countGenerationTokens', counted, { model: 'small' }), ['large']);
    assert.deepEqual(listFurtherModels('countMessagesTokens', { ...chat, models: ['large'] }), ['large']);
    // The request's own model has its upstream name only in the member `model`.
    const tools = [{ type: 'advisor_20260301', name: 'advisor', model: 'small' }];
    assert.deepEqual(listFurtherModels('messages', { ...chat, max_tokens: 1, tools }), ['small']);
  });

  it('is rejected if a member can choose a model without naming it', () => {
    for (const more of [
      { fallbacks: [{ small: ['large'] }] },
      { fallbacks: [{ model: 'small', api_base: 'https://other.example' }] },
      { models: { large: true } },
      { reasoning: { router: true } },
      { reasoning: { model: 1 } },
      { thinking: { route: {} } },
      { tools: [{ type: 'openrouter:fusion' }] },
      { tools: [{ type: 'openrouter:subagent', parameters: {} }] },
      { tools: [{ type: 'agent', name: 'x' }] },
      { tools: { type: 'agent' } },
    ]) {
      const body = JSON.stringify({ ...chat, ...more });
      assert.equal(catchRefusal('chatCompletions', body).code, 'model_not_allowed', body);
    }
    for (const strange of [{ toString: 1 }, [[]], 5, '']) {
      const body = { contents: [], model: strange };
      assert.equal(catchRefusal('generateContent', body, { model: 'small' }).status, 403);
    }
    for (const extra of [
      { model: 'small' },
      { prompt: { id: 'names-a-model' } },
      { plugins: [{ id: 'auto-router' }] },
      { google: { plugins: [] } },
    ])
      assert.equal(catchRefusal('chatCompletions', { ...chat, extra_body: extra }).code, 'field_not_allowed');
    const routed = { contents: [], generationConfig: { routingConfig: { autoMode: {} } } };
    assert.equal(catchRefusal('generateContent', routed, { model: 'small' }).code, 'model_not_allowed');
    for (const counted of [
      { generateContentRequest: { model: 'models/large', contents: [] } },
      { generate_content_request: { model: 'models/large', contents: [] } },
    ])
      assert.equal(
        catchRefusal('countGenerationTokens', counted, { model: 'small' }).code,
        'model_not_allowed',
      );
    const nested = { generateContentRequest: { contents: [], generateContentRequest: { contents: [] } } };
    assert.equal(catchRefusal('countGenerationTokens', nested, { model: 'small' }).code, 'field_not_allowed');
    assert.equal(
      catchRefusal('generateContent', { contents: [], model: 'small-2' }, { model: 'small' }).code,
      'model_not_allowed',
    );
  });

  it('is not checked for model names inside schemas, arguments and results of tools', () => {
    const properties = { model: { type: 'string' } };
    for (const [route, body] of [
      [
        'chatCompletions',
        { ...chat, tools: [{ type: 'function', function: { name: 'f', parameters: { properties } } }] },
      ],
      [
        'chatCompletions',
        { ...chat, response_format: { type: 'json_schema', json_schema: { schema: { properties } } } },
      ],
      ['chatCompletions', { ...chat, tools: [{ type: 'openrouter:web_search' }] }],
      ['chatCompletions', { ...chat, extra_body: { google: { thinking_config: { thinking_budget: 1 } } } }],
      ['chatCompletions', { ...chat, functions: [{ name: 'f', parameters: { properties } }] }],
      [
        'generateContent',
        { contents: [], tools: [{ functionDeclarations: [{ name: 'f', parameters: { properties } }] }] },
      ],
      ['generateContent', { contents: [], generationConfig: { responseSchema: { properties } } }],
      [
        'interactions',
        { model: 'small', input: [], tools: [{ type: 'function', name: 'f', parameters: { properties } }] },
      ],
      ['messages', { ...chat, max_tokens: 1, output_config: { format: { schema: { properties } } } }],
      ['responses', { model: 'small', input: '', text: { format: { schema: { properties } } } }],
      ['messages', { ...chat, max_tokens: 1, tools: [{ name: 'f', input_schema: { properties } }] }],
      [
        'messages',
        {
          ...chat,
          max_tokens: 1,
          messages: [
            { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: { model: 'x' } }] },
          ],
        },
      ],
      [
        'responses',
        { model: 'small', input: [], tools: [{ type: 'function', name: 'f', parameters: { properties } }] },
      ],
      [
        'generateContent',
        { contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args: { model: 'x' } } }] }] },
      ],
      [
        'generateContent',
        {
          contents: [
            { role: 'user', parts: [{ functionResponse: { name: 'f', response: { model: 'x' } } }] },
          ],
        },
      ],
      ['countGenerationTokens', { generateContentRequest: { model: 'models/small', contents: [] } }],
    ] as const) {
      const about = route.startsWith('chat') || 'model' in body ? {} : { model: 'small' };
      assert.equal(writeLimited(route, JSON.stringify(body), about), JSON.stringify(body));
      assert.deepEqual(listFurtherModels(route, body, about), [], JSON.stringify(body));
    }
  });

  it('is rejected if it is not one JSON object in UTF-8', () => {
    for (const body of [
      '[]',
      '{"model":"small"}{"model":"large"}',
      '{"model":"small"}\0',
      '{"model":NaN}',
      `{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
    ])
      assert.equal(catchRefusal('chatCompletions', body).code, 'invalid_json', body.slice(0, 40));
    const wide = Buffer.from(JSON.stringify(chat), 'utf16le');
    assert.throws(() => writeLimited('chatCompletions', wide), HttpError);
  });

  it('is rewritten as an unambiguous form with its own boundary', async () => {
    const type = 'multipart/form-data; boundary=b';
    const field = (head: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const start = `${field('name="model"', 'small')}${field('name="prompt"', 'a cat')}`;
    const file =
      '--b\r\ncontent-disposition: form-data; name="input_reference"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx--b\r\r\n';
    const { pieces, type: newType } = limitRequest('createVideo', `${start}${file}--b--\r\n`, { type });
    const form = await new Response(new Uint8Array(joinPieces(pieces)), {
      headers: { 'content-type': newType },
    }).formData();
    assert.deepEqual([...form.keys()], ['model', 'prompt', 'input_reference']);
    assert.equal(form.get('model'), 'small');
    assert.equal(await (form.get('input_reference') as File).text(), 'x--b\r');
    for (const [problem, body] of Object.entries({
      'named twice': `${start}${field('name="model"', 'large')}--b--`,
      'a file': `${start}${field('name="model"; filename="x"', 'large')}--b--`,
      'other case': `${start}${field('name="Model"', 'large')}--b--`,
      'extended name': `${start}${field(`name*=utf-8''model`, 'large')}--b--`,
      'without quotes': `${start}${field('name=model', 'large')}--b--`,
      'escaped name': `${start}${field('name="mod\\el"', 'large')}--b--`,
      'two names': `${start}${field('name="seed"; name="model"', 'large')}--b--`,
      'two dispositions': `${start}${field('name="seed"\r\nContent-Disposition: form-data; name="model"', 'large')}--b--`,
      'another encoding': `${start}${field('name="seed"\r\nContent-Transfer-Encoding: base64', 'bGFyZ2U=')}--b--`,
      'bare line feeds': `--b\ncontent-disposition: form-data; name="model"\n\nlarge\n${start}--b--`,
      'words before': `${field('name="model"', 'large').replace('--b', '--b ')}${start}--b--`,
      'parts behind the end': `${start}--b--\r\n${field('name="model"', 'large')}--b--`,
      'no end': start,
    })) {
      const error = catchRefusal('createVideo', body, { type });
      assert.ok([400, 403].includes(error.status), problem);
    }
  });

  it('is forwarded with only those headers and parameters that cannot choose a model', () => {
    const routing = [
      'x-model',
      'x-portkey-config',
      'helicone-fallbacks',
      'cf-aig-fallback',
      'x-http-method-override',
      'x-litellm-model',
      'x-stainless-model',
    ];
    const headers = Object.fromEntries(routing.map((name) => [name, 'large']));
    const others = {
      'anthropic-beta': 'b',
      'user-agent': 'sdk',
      'idempotency-key': 'k',
      authorization: 'Bearer c',
    };
    assert.deepEqual(limitHeaders({ ...headers, ...others }), others);
    assert.equal(limitQuery('alt=sse&model=large&beta=true&%6dodel=large'), 'alt=sse&beta=true');
    assert.equal(limitQuery('alt=sse;model=large&beta=true%26model%3Dlarge'), '');
  });
});
