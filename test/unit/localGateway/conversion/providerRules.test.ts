import assert from 'node:assert/strict';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { catchRefusal, convert, convertFields, fieldsSent, names as replyNames } from './conversions.ts';

describe('the thinking text', () => {
  const encrypted = { include: ['reasoning.encrypted_content'] };

  it('is requested with its signature if the caller wants it', () => {
    const adaptive = { thinking: { type: 'adaptive' } };
    const shown = { generationConfig: { thinkingConfig: { includeThoughts: true } } };
    const target = { model: 'gpt-5.2' };
    const summary = { reasoning: { summary: 'auto' }, ...encrypted };
    assert.partialDeepStrictEqual(fieldsSent('messages', 'responses', adaptive, target), summary);
    assert.partialDeepStrictEqual(fieldsSent('contentGeneration', 'responses', shown, target), summary);
    assert.partialDeepStrictEqual(fieldsSent('messages', 'contentGeneration', adaptive), shown);
    assert.partialDeepStrictEqual(
      fieldsSent('responses', 'contentGeneration', { reasoning: { summary: 'auto' } }),
      shown,
    );
    assert.deepEqual(
      fieldsSent('contentGeneration', 'messages', shown, { model: 'claude-opus-5' }).thinking,
      {
        type: 'adaptive',
        display: 'summarized',
      },
    );
    const effort = { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } };
    assert.deepEqual(fieldsSent('messages', 'responses', effort, target).reasoning, {
      effort: 'low',
      summary: 'auto',
    });
  });

  it('is not requested if the caller does not want it, and reported as dropped if the model has none', () => {
    const omitted = { thinking: { type: 'adaptive', display: 'omitted' } };
    assert.equal(fieldsSent('messages', 'responses', omitted, { model: 'gpt-5.2' }).reasoning, undefined);
    assert.equal(
      fieldsSent('messages', 'responses', { output_config: { effort: 'low' } }).reasoning instanceof Object,
      true,
    );
    const shown = { generationConfig: { thinkingConfig: { includeThoughts: true } } };
    for (const [to, model] of [
      ['responses', 'gpt-4o'],
      ['messages', 'claude-sonnet-4-5'],
    ] as const)
      assert.deepEqual(convertFields('contentGeneration', to, shown, { model }).dropped, [
        'generationConfig.thinkingConfig.includeThoughts',
      ]);
  });
});

describe('rules of providers', () => {
  it('add an empty schema to a function without one, for responses', () => {
    const tools = [{ type: 'function', function: { name: 'now' } }];
    const empty = { type: 'object', properties: {}, required: [], additionalProperties: false };
    assert.deepEqual(fieldsSent('chatCompletions', 'responses', { tools }).tools, [
      { type: 'function', strict: false, name: 'now', parameters: empty },
    ]);
  });

  it('complete a schema without a type or properties, for OpenAI', () => {
    const schemas = [{}, { type: 'object' }, { properties: null }, { type: ['object', 'null'], title: 'T' }];
    const functionDeclarations = schemas.map((parametersJsonSchema, nth) => ({
      name: `f${nth}`,
      parametersJsonSchema,
    }));
    const tools = [{ functionDeclarations }];
    const plain = { type: 'object', properties: {} };
    const expected = [plain, plain, plain, { ...plain, title: 'T' }];
    const chat = fieldsSent('contentGeneration', 'chatCompletions', { tools }).tools;
    const functions = (chat as readonly { function: { parameters: object } }[]).map((tool) => tool.function);
    for (const list of [functions, fieldsSent('contentGeneration', 'responses', { tools }).tools])
      assert.deepEqual(
        (list as readonly { parameters: object }[]).map(({ parameters }) => parameters),
        expected,
      );
  });

  it('reduce a schema type to object for messages, and omit an empty schema for content generation', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: ['object', 'null'] } } }];
    assert.deepEqual(fieldsSent('chatCompletions', 'messages', { tools }).tools, [
      { name: 'f', input_schema: { type: 'object' } },
    ]);
    const empty = [{ type: 'function', function: { name: 'f', parameters: {} } }];
    assert.deepEqual(fieldsSent('chatCompletions', 'contentGeneration', { tools: empty }).tools, [
      { functionDeclarations: [{ name: 'f' }] },
    ]);
  });

  it('shorten long call ids for OpenAI, and replace empty arguments with an object', () => {
    const ids = ['a', 'b'].map((end) => `${'x'.repeat(70)}${end}`);
    const messages = [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })),
      },
      {
        role: 'user',
        content: ids.map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content: '' })),
      },
    ];
    const idsIn = (to: ConvertibleFormat) =>
      JSON.stringify(convert('messages', to, { model: 'm', max_tokens: 9, messages }).body).match(
        /x{20,}\w*/g,
      );
    for (const [to, most] of [
      ['chatCompletions', 40],
      ['responses', 64],
    ] as const) {
      const [first = '', second = '', ...results] = idsIn(to) ?? [];
      assert.deepEqual(results, [first, second]);
      assert.notEqual(first, second);
      assert.ok(first.length <= most, first);
    }
    const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '' };
    const result = { type: 'function_call_output', call_id: 'c', output: 'x' };
    const { body } = convert('responses', 'chatCompletions', { model: 'm', input: [call, result] });
    assert.match(JSON.stringify(body), /"arguments":"\{\}"/);
  });

  it('limit the number of stop sequences, and replace an unknown effort', () => {
    const stop_sequences = ['1', '2', '3', '4', '5', '6'];
    const fewer = convertFields('messages', 'chatCompletions', {
      stop_sequences,
      output_config: { effort: 'max' },
    });
    assert.deepEqual(fewer.fields.stop, stop_sequences.slice(0, 4));
    assert.equal(fewer.fields.reasoning_effort, 'high');
    assert.deepEqual(fewer.dropped, ['output_config.effort', 'stop_sequences']);
    const { generationConfig } = fieldsSent('messages', 'contentGeneration', { stop_sequences });
    assert.deepEqual(
      (generationConfig as { stopSequences: object }).stopSequences,
      stop_sequences.slice(0, 5),
    );
  });

  it('turn instructions without other messages into a user message', () => {
    const system = { role: 'system', content: 'Write a poem.' };
    const body = (to: ConvertibleFormat) =>
      convert('chatCompletions', to, { model: 'm', messages: [system] });
    assert.partialDeepStrictEqual(body('messages').body, {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Write a poem.' }] }],
    });
    assert.deepEqual(body('contentGeneration').body, {
      contents: [{ role: 'user', parts: [{ text: 'Write a poem.' }] }],
    });
    assert.deepEqual(body('messages').dropped, ['messages[]']);
    assert.deepEqual(body('responses').dropped, []);
    assert.partialDeepStrictEqual(body('responses').body, {
      input: [{ role: 'system', content: [{ type: 'input_text', text: 'Write a poem.' }] }],
    });
  });

  it('drop blank messages, and reject a conversation of only blank messages', () => {
    const system = { role: 'system', content: 'Write a poem.' };
    const body = (to: ConvertibleFormat, messages: readonly object[]) =>
      convert('chatCompletions', to, { model: 'm', messages });
    const blank = body('messages', [system, { role: 'user', content: ' \n' }]);
    assert.partialDeepStrictEqual(blank.body, {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Write a poem.' }] }],
    });
    for (const to of ['messages', 'contentGeneration', 'responses'] as const)
      for (const content of ['', []]) {
        const refusal = catchRefusal(() => body(to, [{ role: 'user', content }]));
        assert.deepEqual([refusal.status, refusal.param], [400, 'messages[0]']);
      }
  });

  it('replace dots in tool names, and restore them for the caller', () => {
    const functionDeclarations = [{ name: 'fs.read' }, { name: 'fs_read' }, { name: 'x'.repeat(64) }];
    const request = {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'fs.read', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'fs.read', response: { output: 'a' } } }] },
      ],
      tools: [{ functionDeclarations }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['fs.read'] } },
    };
    for (const to of ['chatCompletions', 'messages', 'responses'] as const) {
      const { body, dropped, convertReply } = convert('contentGeneration', to, request);
      const json = JSON.stringify(body);
      assert.doesNotMatch(json, /fs\.read/);
      const names = [...new Set(json.match(/fs_read\w*/g))];
      assert.equal(names.length, 2, json);
      assert.deepEqual(dropped, ['tools[].name']);
      const [plain = ''] = names.filter((name) => name !== 'fs_read');
      const common = {
        id: 'r',
        model: 'm',
        object: 'response',
        status: 'completed',
        stop_reason: 'tool_use',
      };
      const call = { id: 'c', call_id: 'c', name: plain, input: {}, arguments: '{}' };
      const replies = {
        chatCompletions: {
          choices: [{ index: 0, message: { tool_calls: [{ id: 'c', type: 'function', function: call }] } }],
        },
        messages: { ...common, type: 'message', content: [{ ...call, type: 'tool_use' }] },
        responses: { ...common, output: [{ ...call, type: 'function_call' }] },
      }[to];
      const finished = JSON.stringify(replies).replace(
        '"index":0,',
        '"index":0,"finish_reason":"tool_calls",',
      );
      assert.match(JSON.stringify(convertReply(Buffer.from(finished), replyNames)), /"name":"fs\.read"/);
    }
  });
});
