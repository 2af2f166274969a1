import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CustomInputReader } from '../../../../src/wire/apis/shared/customTools.ts';
import { catchRefusal, convert, convertible, names } from './conversions.ts';

const definition = 'start: "*** Begin Patch" LF';
const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition },
};
const note = { type: 'custom', name: 'note' };
const target = { model: 'm', input: 'Hi', tools: [patch, note] };
const others = convertible.filter((format) => format !== 'responses');

const text = '*** Begin Patch\n"quoted" \\ é\n*** End Patch';

/** A stream of chat completions that calls tools with these arguments, in two pieces each. */
function calling(...called: readonly (readonly [name: string, input: string])[]): string {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'r', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const pieces = called.flatMap(([name, input], index) => {
    const [one, two] = [input.slice(0, 9), input.slice(9)];
    const first = { index, id: `c${index}`, type: 'function', function: { name, arguments: one } };
    const second = { index, function: { arguments: two } };
    return [chunk({ tool_calls: [first] }), chunk({ tool_calls: [second] })];
  });
  return `${pieces.join('')}${chunk({}, 'tool_calls')}data: [DONE]\n\n`;
}

describe('custom tools of responses, such as the patch tool of Codex', () => {
  it('become functions with one text parameter and the grammar in the description', () => {
    const { body, dropped } = convert('responses', 'chatCompletions', target);
    const { tools } = body as { tools: { type: string; function: Record<string, unknown> }[] };
    assert.deepEqual(
      tools.map(({ type, function: { name, strict } }) => [type, name, strict]),
      [
        ['function', 'apply_patch', undefined],
        ['function', 'note', undefined],
      ],
    );
    const [described] = tools.map((tool) => String(tool.function.description));
    assert.match(described ?? '', /^Edits files\.\n\nThe input has to follow this grammar \(lark\):\n\n/);
    assert.ok(described?.endsWith(definition));
    const parameters = tools[1]?.function.parameters as { properties: object; required: string[] };
    assert.deepEqual([Object.keys(parameters.properties), parameters.required], [['input'], ['input']]);
    assert.deepEqual(dropped, ['tools[].format'], 'functions do not support grammars');
  });

  it('are returned as calls with text input, streamed and whole', () => {
    const request = convert('responses', 'chatCompletions', target);
    const reply = calling(
      ['apply_patch', JSON.stringify({ input: text })],
      ['note', 'no JSON at all'],
      ['look', '{"input":"x"}'],
    );
    const stream = request.createStream(names);
    const written = stream.write(Buffer.from(reply)) + stream.end();
    const events = [...written.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
    const items = events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []));
    const ids = items.map(({ id }) => id);
    assert.deepEqual(items, [
      ...[
        { id: ids[0], type: 'custom_tool_call', call_id: 'c0', name: 'apply_patch', input: text },
        { id: ids[1], type: 'custom_tool_call', call_id: 'c1', name: 'note', input: 'no JSON at all' },
        { id: ids[2], type: 'function_call', call_id: 'c2', name: 'look', arguments: '{"input":"x"}' },
      ].map((item) => ({ ...item, status: 'completed' })),
    ]);
    const inputEvents = events.filter(({ type }) => /input\.(delta|done)$/.test(type));
    assert.deepEqual(
      inputEvents.map(({ type, item_id, delta, input }) => [type.slice(9), item_id, delta ?? input]),
      [
        ['custom_tool_call_input.delta', ids[0], text],
        ['custom_tool_call_input.done', ids[0], text],
        ['custom_tool_call_input.delta', ids[1], 'no JSON at all'],
        ['custom_tool_call_input.done', ids[1], 'no JSON at all'],
      ],
    );
    const { output } = request.convertReply(Buffer.from(reply), names) as { output: object[] };
    assert.deepEqual(output, items);
  });

  it('are converted with their results in earlier messages', () => {
    const input = [
      { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: text, id: 'ctc_1' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'Done.' },
    ];
    for (const format of others) {
      const { body } = convert('responses', format, { ...target, input });
      const written = JSON.stringify(body);
      // Arguments are JSON text in chat completions, an object elsewhere.
      const args = JSON.stringify({ input: text });
      assert.ok(written.includes(format === 'chatCompletions' ? JSON.stringify(args) : args), format);
      assert.match(written, /Done\./);
    }
  });

  it('can be chosen and can be in namespaces', () => {
    const chosen = { ...target, tool_choice: { type: 'custom', name: 'note' } };
    const { body } = convert('responses', 'messages', chosen);
    assert.deepEqual((body as { tool_choice: object }).tool_choice, { type: 'tool', name: 'note' });
    const tools = [{ type: 'namespace', name: 'files', tools: [patch] }];
    const request = convert('responses', 'chatCompletions', { ...target, tools });
    const reply = calling(['files__apply_patch', '{"input":"x"}']);
    const { output } = request.convertReply(Buffer.from(reply), names) as {
      output: Record<string, unknown>[];
    };
    assert.deepEqual(
      output.map(({ type, namespace, name, input }) => [type, namespace, name, input]),
      [['custom_tool_call', 'files', 'apply_patch', 'x']],
    );
  });

  it('are rejected with their field if their input format is unknown', () => {
    const tools = [{ ...patch, format: { type: 'picture' } }];
    const refusal = catchRefusal(() => convert('responses', 'chatCompletions', { ...target, tools }));
    assert.equal(refusal.param, 'tools[0].format');
  });
});

describe('the text input of a custom tool', () => {
  const readInput = (pieces: readonly string[]) => {
    const reader = new CustomInputReader();
    const parts = pieces.map((piece) => reader.add(piece));
    return { parts, rest: reader.end(pieces.join('')) };
  };

  it('is the same for any split of its arguments', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(text, '', '"', '\\u00e9', '{"input":"'),
    );
    const written = fc.constantFrom(
      (text: string) => JSON.stringify({ input: text }),
      (text: string) => ` { "input" :\n "${JSON.stringify(text).slice(1, -1).replaceAll('é', '\\u00e9')}" } `,
      (text: string) => JSON.stringify({ note: 1, input: text }),
    );
    fc.assert(
      fc.property(texts, written, fc.array(fc.nat(), { maxLength: 8 }), (text, write, offsets) => {
        const json = write(text);
        const ends = [...offsets.map((offset) => offset % (json.length + 1)), json.length].toSorted(
          (a, b) => a - b,
        );
        const { parts, rest } = readInput(ends.map((end, nth) => json.slice(ends[nth - 1] ?? 0, end)));
        assert.equal(parts.join('') + rest, text);
      }),
      { numRuns: 500 },
    );
  });

  it('is passed on while it arrives', () => {
    assert.deepEqual(readInput(['{"inp', 'ut": "one ', 'two \\u00', 'e9"', '}']), {
      parts: ['', 'one ', 'two ', 'é', ''],
      rest: '',
    });
    assert.deepEqual(readInput(['no ', 'JSON']), { parts: ['', ''], rest: 'no JSON' });
  });
});

describe('custom tools of chat completions', () => {
  const grammar = { type: 'grammar', grammar: { syntax: 'lark', definition } };
  const nested = {
    type: 'custom',
    custom: { name: 'apply_patch', description: 'Edits files.', format: grammar },
  };
  const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [nested] };
  const reply = (input: object) =>
    Buffer.from(
      JSON.stringify({
        id: 'r',
        type: 'message',
        role: 'assistant',
        model: 'm',
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', id: 'c0', name: 'apply_patch', input }],
      }),
    );

  it('become functions with one text parameter, can be chosen, and are called with text', () => {
    const request = convert('chatCompletions', 'messages', {
      ...chat,
      tool_choice: { type: 'custom', custom: { name: 'apply_patch' } },
    });
    const { tools, tool_choice } = request.body as {
      tools: { name: string; description: string; input_schema: { required: unknown } }[];
      tool_choice: object;
    };
    assert.deepEqual([tools[0]?.name, tools[0]?.input_schema.required], ['apply_patch', ['input']]);
    assert.ok(tools[0]?.description.endsWith(definition));
    assert.deepEqual(tool_choice, { type: 'tool', name: 'apply_patch' });
    assert.deepEqual(request.dropped, ['tools[].custom.format']);
    const { choices } = request.convertReply(reply({ input: text }), names) as {
      choices: { message: { tool_calls: object[] } }[];
    };
    const called = { id: 'c0', type: 'custom', custom: { name: 'apply_patch', input: text } };
    assert.deepEqual(choices[0]?.message.tool_calls, [called]);
  });

  it('are streamed as calls with text input', () => {
    const stream = convert('chatCompletions', 'messages', chat).createStream(names);
    const event = (type: string, data: object) => `data: ${JSON.stringify({ type, index: 0, ...data })}\n\n`;
    const pieces = ['{"input":"one ', 'two\\n', 'three"}'];
    const written =
      stream.write(
        Buffer.from(
          event('message_start', { message: { id: 'r', model: 'm', usage: {} } }) +
            event('content_block_start', {
              content_block: { type: 'tool_use', id: 'c0', name: 'apply_patch' },
            }) +
            pieces
              .map((partial_json) =>
                event('content_block_delta', { delta: { type: 'input_json_delta', partial_json } }),
              )
              .join('') +
            event('content_block_stop', {}) +
            event('message_delta', { delta: { stop_reason: 'tool_use' } }) +
            event('message_stop', {}),
        ),
      ) + stream.end();
    const calls = [...written.matchAll(/^data: (\{.*)$/gm)].flatMap(
      ([, data = '']) => JSON.parse(data).choices[0]?.delta.tool_calls ?? [],
    );
    assert.deepEqual(calls, [
      { index: 0, id: 'c0', type: 'custom', custom: { name: 'apply_patch', input: '' } },
      { index: 0, custom: { input: 'one ' } },
      { index: 0, custom: { input: 'two\n' } },
      { index: 0, custom: { input: 'three' } },
    ]);
  });

  it('are converted with their results in earlier messages', () => {
    const called = { id: 'c', type: 'custom', custom: { name: 'apply_patch', input: text } };
    const messages = [
      ...chat.messages,
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: 'c', content: 'Done.' },
    ];
    for (const format of ['messages', 'contentGeneration', 'responses'] as const) {
      const written = JSON.stringify(convert('chatCompletions', format, { ...chat, messages }).body);
      const args = JSON.stringify({ input: text });
      assert.ok(written.includes(format === 'responses' ? JSON.stringify(args) : args), format);
      assert.match(written, /Done\./);
    }
    const nameless = [{ role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'custom' }] }];
    const refusal = catchRefusal(() =>
      convert('chatCompletions', 'messages', { ...chat, messages: nameless }),
    );
    assert.equal(refusal.param, 'messages[0].tool_calls[0].type');
  });
});

const look = { type: 'function', name: 'look', parameters: {} };
const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: {} };

describe('tools in the conversation of responses, as Codex sends them', () => {
  it('are merged with the other tools, and the last of a name replaces the first', () => {
    const again = { ...look, description: 'Looks well.' };
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [look, patch] },
      { type: 'message', role: 'user', content: 'Hi' },
      { type: 'additional_tools', role: 'developer', tools: [again] },
    ];
    const request = convert('responses', 'chatCompletions', { model: 'm', input });
    const { tools, messages } = request.body as {
      tools: { function: { name: string; description?: string } }[];
      messages: object[];
    };
    assert.deepEqual(
      tools.map(({ function: { name, description } }) => [name, description?.slice(0, 11)]),
      [
        ['look', 'Looks well.'],
        ['apply_patch', 'Edits files'],
      ],
    );
    assert.equal(messages.length, 1);
    const { output } = request.convertReply(
      Buffer.from(calling(['apply_patch', '{"input":"x"}'])),
      names,
    ) as {
      output: { type: string }[];
    };
    assert.equal(output[0]?.type, 'custom_tool_call');
  });

  it('are found by a search of the caller, which becomes a function', () => {
    const request = convert('responses', 'chatCompletions', { ...target, tools: [search] });
    const stream = request.createStream(names);
    const reply = calling(['tool_search', '{"query":"cats"}']);
    const written = stream.write(Buffer.from(reply)) + stream.end();
    const events = [...written.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
    const done = events.find(({ type }) => type === 'response.output_item.done');
    const { id, ...item } = done.item;
    assert.match(id, /^tsc_/);
    assert.deepEqual(item, {
      type: 'tool_search_call',
      call_id: 'c0',
      execution: 'client',
      status: 'completed',
      arguments: { query: 'cats' },
    });
    assert.equal(written.includes('arguments.d'), false, 'no events of functions');
  });

  it('are reported as found, and offered from then on', () => {
    const input = [
      { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'cats' } },
      { type: 'tool_search_output', call_id: 'c', execution: 'client', tools: [look] },
    ];
    for (const format of others) {
      const { body } = convert('responses', format, { model: 'm', input, tools: [search] });
      const written = JSON.stringify(body);
      assert.match(written, /These tools can be called now: look/, format);
      assert.match(written, /"name":"look"/);
      assert.match(written, /cats/);
    }
  });

  it('are rejected with their place in the request if they are tools of the provider', () => {
    const input = [
      { type: 'message', role: 'user', content: 'Find cats.' },
      { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'cats' } },
      {
        type: 'tool_search_output',
        call_id: 'c',
        execution: 'client',
        tools: [look, { type: 'web_search' }],
      },
    ];
    const refusal = catchRefusal(() =>
      convert('responses', 'messages', { model: 'm', input, tools: [search] }),
    );
    assert.equal(refusal.param, 'input[2].tools[1]');
  });

  it('are rejected if the provider itself searches', () => {
    const server = { ...search, execution: 'server' };
    const refusal = catchRefusal(() => convert('responses', 'messages', { ...target, tools: [server] }));
    assert.equal(refusal.param, 'tools[0]');
    const input = [{ type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} }];
    const item = catchRefusal(() => convert('responses', 'messages', { ...target, input }));
    assert.equal(item.param, 'input[0].execution');
  });
});
