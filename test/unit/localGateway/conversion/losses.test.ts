import assert from 'node:assert/strict';
import { sealSignature } from '../../../../src/localGateway/conversion/admittedMessages.ts';
import { findConversion } from '../../../../src/localGateway/conversion/conversion.ts';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { catchRefusal, convert, directions, minimalRequests } from './conversions.ts';

describe('the conversion of a request', () => {
  const pdf = 'data:application/pdf;base64,AAAA';
  const cases: readonly {
    readonly from: ConvertibleFormat;
    readonly to: ConvertibleFormat;
    readonly fields: object;
    readonly param: string;
  }[] = [
    { from: 'chatCompletions', to: 'messages', fields: { seed: 1 }, param: 'seed' },
    { from: 'chatCompletions', to: 'messages', fields: { n: 2 }, param: 'n' },
    { from: 'chatCompletions', to: 'messages', fields: { temperature: 1.5 }, param: 'temperature' },
    { from: 'chatCompletions', to: 'responses', fields: { stop: ['a'] }, param: 'stop' },
    { from: 'chatCompletions', to: 'responses', fields: { logit_bias: { 1: 5 } }, param: 'logit_bias' },
    { from: 'chatCompletions', to: 'contentGeneration', fields: { logprobs: true }, param: 'logprobs' },
    {
      from: 'chatCompletions',
      to: 'messages',
      fields: { modalities: ['text', 'audio'] },
      param: 'modalities',
    },
    { from: 'chatCompletions', to: 'messages', fields: { unheard_of: 1 }, param: 'unheard_of' },
    {
      from: 'chatCompletions',
      to: 'messages',
      fields: { web_search_options: {} },
      param: 'web_search_options',
    },
    { from: 'chatCompletions', to: 'messages', fields: { tools: [{ type: 'custom' }] }, param: 'tools[0]' },
    {
      from: 'chatCompletions',
      to: 'messages',
      fields: { response_format: { type: 'json_object' } },
      param: 'response_format',
    },
    {
      from: 'chatCompletions',
      to: 'contentGeneration',
      fields: { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      param: 'messages[0].content[0].type',
    },
    {
      from: 'chatCompletions',
      to: 'messages',
      fields: {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AAAA' } }],
          },
        ],
      },
      param: 'messages[0].content[0]',
    },
    {
      from: 'chatCompletions',
      to: 'contentGeneration',
      fields: { messages: [{ role: 'tool', tool_call_id: 'lost', content: 'x' }] },
      param: 'messages[0].tool_call_id',
    },
    {
      from: 'messages',
      to: 'chatCompletions',
      fields: { messages: [{ role: 'user', content: [{ type: 'search_result' }] }] },
      param: 'messages[0].content[0].type',
    },
    {
      from: 'messages',
      to: 'responses',
      fields: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      param: 'tools[0]',
    },
    { from: 'messages', to: 'responses', fields: { container: 'c' }, param: 'container' },
    {
      from: 'messages',
      to: 'responses',
      fields: { output_config: { format: { type: 'grammar' } } },
      param: 'output_config.format.type',
    },
    { from: 'contentGeneration', to: 'messages', fields: { cachedContent: 'x' }, param: 'cachedContent' },
    {
      from: 'contentGeneration',
      to: 'messages',
      fields: { generationConfig: { speechConfig: { languageCode: 'en' } } },
      param: 'generationConfig.speechConfig',
    },
    {
      from: 'contentGeneration',
      to: 'messages',
      fields: { safetySettings: [{ category: 'x', threshold: 'BLOCK_LOW_AND_ABOVE' }] },
      param: 'safetySettings',
    },
    {
      from: 'contentGeneration',
      to: 'responses',
      fields: { tools: [{ googleSearch: {} }] },
      param: 'tools[0].googleSearch',
    },
    {
      from: 'contentGeneration',
      to: 'chatCompletions',
      fields: {
        contents: [{ role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }] }],
      },
      param: 'contents[0].parts[0]',
    },
    { from: 'responses', to: 'messages', fields: { background: true }, param: 'background' },
    {
      from: 'responses',
      to: 'messages',
      fields: { previous_response_id: 'r' },
      param: 'previous_response_id',
    },
    {
      from: 'responses',
      to: 'chatCompletions',
      fields: { input: [{ type: 'item_reference', id: 'x' }] },
      param: 'input[0].id',
    },
    {
      from: 'responses',
      to: 'messages',
      fields: { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
      param: 'input[0].content[0]',
    },
    {
      from: 'responses',
      to: 'messages',
      fields: { input: [{ type: 'function_call', call_id: 'c', name: 'look', arguments: '{' }] },
      param: 'input[0]',
    },
  ];

  for (const { from, to, fields, param } of cases) {
    it(`rejects ${param} of ${from}, for ${to}`, () => {
      const refusal = catchRefusal(() => convert(from, to, { ...minimalRequests[from], ...fields }));
      assert.equal(refusal.status, 400);
      assert.equal(refusal.param, param);
      assert.match(refusal.message, /the model "m" is served in/);
    });
  }

  it('names the missing field of an invalid request', () => {
    assert.equal(catchRefusal(() => convert('messages', 'responses', { model: 'm' })).param, 'messages');
  });

  it('keeps documents, pictures in results, and the text of failed results', () => {
    const results = [
      {
        type: 'tool_result',
        tool_use_id: 'c',
        is_error: true,
        content: [
          { type: 'text', text: 'broken' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
    ];
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'look', input: {} }] },
      { role: 'user', content: results },
    ];
    const request = { ...minimalRequests.messages, messages };
    const picture = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    assert.deepEqual(convert('messages', 'contentGeneration', request).body, {
      contents: [
        { role: 'model', parts: [{ functionCall: { id: 'c', name: 'look', args: {} } }] },
        {
          role: 'user',
          parts: [
            {
              functionResponse: { id: 'c', name: 'look', response: { error: 'broken' }, parts: [picture] },
            },
            { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
          ],
        },
      ],
      generationConfig: { maxOutputTokens: 100 },
    });
    const chat = convert('messages', 'chatCompletions', request);
    assert.deepEqual(chat.dropped, ['messages[].content[].is_error']);
    assert.deepEqual((chat.body as { messages: unknown[] }).messages.slice(1), [
      { role: 'tool', tool_call_id: 'c', content: 'broken' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Pictures from the result of look:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'file', file: { filename: 'document', file_data: pdf } },
        ],
      },
    ]);
  });

  it('moves pictures out of results for a model that rejects them there', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
    const results = ['a', 'b'].map((id) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: [
        { type: 'text', text: id },
        { type: 'image', source },
      ],
    }));
    const messages = [
      { role: 'assistant', content: [call('a'), call('b')] },
      { role: 'user', content: [...results, { type: 'text', text: 'And?' }] },
    ];
    const request = { ...minimalRequests.messages, messages };
    const { body } = convert('messages', 'contentGeneration', request, { model: 'gemini-2.5-flash' });
    const [, user] = (body as { contents: { parts: object[] }[] }).contents;
    const result = (id: string) => ({ functionResponse: { id, name: 'look', response: { output: id } } });
    const pictures = [
      { text: 'Pictures from the result of look:' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    ];
    assert.deepEqual(user?.parts, [result('a'), result('b'), ...pictures, ...pictures, { text: 'And?' }]);
  });

  it('reports dropped cache marks of pictures and files', () => {
    const mark = { prompt_cache_breakpoint: { mode: 'explicit' } };
    const content = [
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA', ...mark },
      { type: 'input_file', filename: 'a.pdf', file_data: pdf, ...mark },
    ];
    const request = { ...minimalRequests.responses, input: [{ role: 'user', content }] };
    assert.deepEqual(convert('responses', 'contentGeneration', request).dropped, [
      'input[].content[].prompt_cache_breakpoint',
    ]);
  });

  it('keeps pictures that are given by address', () => {
    const url = 'https://pictures.example/cat.png?size=2';
    const content = [{ type: 'image_url', image_url: { url, detail: 'low' } }];
    const request = { ...minimalRequests.chatCompletions, messages: [{ role: 'user', content }] };
    const partsSent = (to: ConvertibleFormat) => JSON.stringify(convert('chatCompletions', to, request).body);
    assert.match(partsSent('messages'), /"source":\{"type":"url","url":"https:\/\/pictures\.example/);
    assert.match(partsSent('contentGeneration'), /"fileData":\{"fileUri":"[^"]+","mimeType":"image\/png"\}/);
    assert.match(partsSent('responses'), /"image_url":"https:\/\/pictures\.example/);
    assert.deepEqual(convert('chatCompletions', 'messages', request).dropped, [
      'messages[].content[].image_url.detail',
    ]);
  });

  it('replaces unsafe field names in the list of dropped fields', () => {
    const messages = [{ role: 'user', content: 'Hi', 'evil\r\nset-cookie: a': 1 }];
    assert.deepEqual(
      convert('chatCompletions', 'messages', { ...minimalRequests.chatCompletions, messages }).dropped,
      ['(other)'],
    );
  });
});

describe('the ids and signatures of calls', () => {
  it('are encoded for messages, and stay unique', () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [call('look:0'), call('look.0')] },
      { role: 'tool', tool_call_id: 'look:0', content: 'a' },
      { role: 'tool', tool_call_id: 'look.0', content: 'b' },
    ];
    const { body } = convert('chatCompletions', 'messages', { ...minimalRequests.chatCompletions, messages });
    const ids = [...JSON.stringify(body).matchAll(/"(?:id|tool_use_id)":"([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(ids, ['look_3a_0', 'look_2e_0', 'look_3a_0', 'look_2e_0']);
  });

  it('are generated for content generation, in the order of calls and results', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: ['a', 'b', 'a'].map((name) => ({ functionCall: { name, args: {} } })) },
      {
        role: 'user',
        parts: ['a', 'a', 'b'].map((name, nth) => ({
          functionResponse: { name, response: { output: String(nth) } },
        })),
      },
    ];
    const { body } = convert('contentGeneration', 'chatCompletions', { contents });
    const { messages } = body as { messages: { tool_call_id?: string; content: string }[] };
    assert.deepEqual(
      messages.slice(2).map(({ tool_call_id, content }) => [tool_call_id, content]),
      [
        ['call_0', '0'],
        ['call_2', '1'],
        ['call_1', '2'],
      ],
    );
  });

  it('are returned to content generation if they came from it, or are replaced if it requires one', () => {
    const call = (signature?: string) => ({
      id: 'c',
      type: 'function',
      function: { name: 'look', arguments: '{}' },
      ...(signature && { extra_content: { google: { thought_signature: signature } } }),
    });
    const signatureSent = (model: string, signature?: string) => {
      const messages = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [call(signature)] },
      ];
      const request = { ...minimalRequests.chatCompletions, messages };
      const { body } = convert('chatCompletions', 'contentGeneration', request, { model });
      return /"thoughtSignature":"([^"]+)"/.exec(JSON.stringify(body))?.[1];
    };
    assert.equal(signatureSent('gemini-3-pro', sealSignature('contentGeneration', 'proof', 'call')), 'proof');
    assert.equal(
      signatureSent('gemini-3-pro', sealSignature('messages', 'proof', 'call')),
      'skip_thought_signature_validator',
    );
    assert.equal(signatureSent('gemini-2.5-pro'), undefined);
  });
});

describe('a conversion', () => {
  it('exists between any two of the four formats, with a unique name', () => {
    assert.equal(directions.length, 12);
    const names = directions.map(({ from, to }) => findConversion(from, to)?.name);
    assert.ok(names.includes('messages->chat-completions'));
    assert.equal(new Set(names).size, 12);
    assert.equal(findConversion('messages', 'messages'), undefined);
    assert.equal(findConversion('messages', 'interactions'), undefined);
  });
});
