import assert from 'node:assert/strict';
import { Credentials } from '../../../../src/localGateway/config/access.ts';
import { HttpError } from '../../../../src/localGateway/httpError.ts';
import { joined } from '../../../../src/localGateway/pieces.ts';
import { mainRoutes } from '../../../../src/localGateway/servedRoutes.ts';
import {
  limitedBody,
  limitedHeaders,
  limitedQuery,
} from '../../../../src/localGateway/server/limitedRequest.ts';

const credentials = new Credentials('own', () => 0);
const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
credentials.setNamed([{ name: 'ci', sha256, models: ['small*'] }]);
const access = credentials.find('') ?? assert.fail('the credential is not known');

function written(
  route: string,
  body: string | Uint8Array,
  more: { type?: string; model?: string } = {},
): string {
  const found = mainRoutes.find(({ name }) => name === route) ?? assert.fail(route);
  const { type = 'application/json', ...about } = more;
  const { pieces } = limitedBody([Buffer.from(body)], type, { route: found, access, ...about });
  return joined(pieces).toString();
}

function refusal(
  route: string,
  body: object | string,
  more: { type?: string; model?: string } = {},
): HttpError {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    const passed = written(route, text, more);
    assert.fail(`passed on: ${passed}`);
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

const chat = { model: 'small', messages: [] };

describe('a request whose credential is limited to some models', () => {
  it('has each member once in the body that passes on, with the value that was checked', () => {
    const passed = written(
      'chatCompletions',
      '{"mod\\u0065l":"large","messages":[],"seed":12345678901234567890,"model":"small"}',
    );
    assert.equal(passed, '{"model":"small","messages":[],"seed":12345678901234567890}');
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(chat))]);
    assert.equal(written('chatCompletions', marked), JSON.stringify(chat));
  });

  it('passes on no member that is not known, whatever its case', () => {
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
        refusal('chatCompletions', `{"model":"small","messages":[],${JSON.stringify(name)}:["large"]}`).code,
        'field_not_allowed',
        name,
      );
    assert.equal(
      written('chatCompletions', JSON.stringify({ ...chat, unknown: null })),
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
      assert.equal(refusal(route, body).code, 'field_not_allowed', route);
  });

  it('names no other model anywhere in the body', () => {
    for (const more of [
      { tools: [{ type: 'image_generation', model: 'large' }] },
      { tools: [{ type: 'subagent', name: 'x', parameters: { model: 'large' } }] },
      { web_search_options: { search_model: 'large' } },
      { metadata: { model_group: 'large' } },
      { stream_options: { ｍodel: 'large' } },
      { extra_body: { google: { fallbacks: ['large'] } } },
      { fallbacks: [{ small: ['large'] }] },
      { fallbacks: [{ model: 'small', api_base: 'https://other.example' }] },
    ])
      assert.equal(
        refusal('chatCompletions', { ...chat, ...more }).code,
        'model_not_allowed',
        JSON.stringify(more),
      );
    const routing = {
      contents: [],
      generationConfig: { routingConfig: { manualMode: { modelName: 'large' } } },
    };
    assert.equal(refusal('generateContent', routing, { model: 'small' }).code, 'model_not_allowed');
    const counted = { generateContentRequest: { model: 'models/large', contents: [] } };
    assert.equal(refusal('countGenerationTokens', counted, { model: 'small' }).code, 'model_not_allowed');
    assert.equal(
      refusal('generateContent', { contents: [], model: 'small-2' }, { model: 'small' }).code,
      'model_not_allowed',
    );
  });

  it('keeps what is data: schemas, arguments and results of tools', () => {
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
      ['chatCompletions', { ...chat, models: ['small'], fallbacks: [{ model: 'small' }] }],
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
    ] as const)
      assert.equal(written(route, JSON.stringify(body), { model: 'small' }), JSON.stringify(body));
  });

  it('is one JSON object in UTF-8, and nothing behind it', () => {
    for (const body of [
      '[]',
      '{"model":"small"}{"model":"large"}',
      '{"model":"small"}\0',
      '{"model":NaN}',
      `{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
    ])
      assert.equal(refusal('chatCompletions', body).code, 'invalid_json', body.slice(0, 40));
    const wide = Buffer.from(JSON.stringify(chat), 'utf16le');
    assert.throws(() => written('chatCompletions', wide), HttpError);
  });

  it('is a form that every reader understands alike, with a boundary of its own', async () => {
    const type = 'multipart/form-data; boundary=b';
    const field = (head: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const start = `${field('name="model"', 'small')}${field('name="prompt"', 'a cat')}`;
    const file =
      '--b\r\ncontent-disposition: form-data; name="input_reference"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx--b\r\r\n';
    const route = mainRoutes.find(({ name }) => name === 'createVideo') ?? assert.fail();
    const { pieces, type: newType } = limitedBody([Buffer.from(`${start}${file}--b--\r\n`)], type, {
      route,
      access,
    });
    const form = await new Response(new Uint8Array(joined(pieces)), {
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
      const error = refusal('createVideo', body, { type });
      assert.ok([400, 403].includes(error.status), problem);
    }
  });

  it('has only headers and parameters that are known to choose no model', () => {
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
    const kept = {
      'anthropic-beta': 'b',
      'user-agent': 'sdk',
      'idempotency-key': 'k',
      authorization: 'Bearer c',
    };
    assert.deepEqual(limitedHeaders({ ...headers, ...kept }), kept);
    assert.equal(limitedQuery('alt=sse&model=large&beta=true&%6dodel=large'), 'alt=sse&beta=true');
    assert.equal(limitedQuery('alt=sse;model=large&beta=true%26model%3Dlarge'), '');
  });
});
