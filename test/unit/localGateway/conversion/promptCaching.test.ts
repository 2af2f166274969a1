import assert from 'node:assert/strict';
import { findCacheSupport } from '../../../../src/wire/apis/shared/promptCaching.ts';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { catchRefusal, convert, convertFields, directions, minimalRequests } from './conversions.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };
const schema = { type: 'object' as const, properties: {} };

/** A conversation with marks at each place where messages allow them. */
const marked = {
  ...minimalRequests.messages,
  system: [{ type: 'text', text: 'Be brief.', ...hour }],
  tools: [
    { name: 'look', input_schema: schema },
    { name: 'find', input_schema: schema, ...mark },
  ],
  messages: [
    { role: 'user', content: 'Look' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'found', ...mark }] },
        { type: 'text', text: 'And?', ...mark },
      ],
    },
  ],
};

type Server = Partial<Parameters<typeof findCacheSupport>[1]>;

function to(from: ConvertibleFormat, format: ConvertibleFormat, body: object, server: Server = {}) {
  const { host = '', model = 'm', promptCaching } = server;
  const caching = findCacheSupport(format, { host, model, promptCaching });
  const { body: written, dropped } = convert(from, format, body, { model, caching });
  return { body: JSON.parse(JSON.stringify(written)), dropped };
}

const openRouter = { host: 'openrouter.ai' };
const openAi = { host: 'api.openai.com', model: 'gpt-5.6' };

describe('cache marks in a converted request', () => {
  it('arrive in chat completions of servers that accept them, in parts', () => {
    for (const server of [openRouter, { promptCaching: true }, { host: 'dashscope.aliyuncs.com' }]) {
      const { body, dropped } = to('messages', 'chatCompletions', marked, server);
      assert.deepEqual(dropped, []);
      assert.deepEqual(body.messages, [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...hour }] },
        { role: 'user', content: [{ type: 'text', text: 'Look' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'found', ...mark }] },
        { role: 'user', content: [{ type: 'text', text: 'And?', ...mark }] },
      ]);
      assert.deepEqual(
        body.tools.map(({ cache_control }: { cache_control?: object }) => cache_control),
        [undefined, mark.cache_control],
      );
      assert.equal(JSON.stringify(body).includes('cacheMark'), false);
    }
  });

  it('are not sent to other servers, which refuse them, and are reported', () => {
    const names = ['system[].cache_control', 'tools[].cache_control', 'messages[].content[].cache_control'];
    const inResult = 'messages[].content[].content[].cache_control';
    for (const format of ['chatCompletions', 'responses', 'contentGeneration'] as const) {
      const { body, dropped } = to('messages', format, marked);
      assert.deepEqual(new Set(dropped), new Set([...names, inResult]), format);
      assert.doesNotMatch(JSON.stringify(body), /cache|ephemeral/i);
    }
    const off = to('messages', 'chatCompletions', marked, { ...openRouter, promptCaching: false });
    assert.deepEqual(new Set(off.dropped), new Set([...names, inResult]));
    assert.equal(off.body.messages[1].content, 'Look');
  });

  it('become breakpoints for models of OpenAI that accept them', () => {
    for (const format of ['chatCompletions', 'responses'] as const) {
      const { body, dropped } = to('messages', format, marked, openAi);
      const json = JSON.stringify(body);
      assert.equal(json.split('"prompt_cache_breakpoint":{"mode":"explicit"}').length - 1, 3);
      assert.doesNotMatch(json, /cache_control/);
      assert.deepEqual(dropped, ['system[].cache_control.ttl', 'tools[].cache_control']);
      assert.match(
        JSON.stringify(to('messages', format, marked, { ...openAi, model: 'gpt-5.5' }).dropped),
        /system/,
      );
    }
  });

  it('arrive in messages from chat completions, as LiteLLM and OpenRouter accept them', () => {
    const part = { type: 'text', text: 'Be brief.', ...hour };
    const body = {
      model: 'm',
      tools: [
        { type: 'function', function: { name: 'look', parameters: schema }, ...mark },
        { type: 'function', function: { name: 'find', parameters: schema, ...mark } },
      ],
      messages: [
        { role: 'system', content: [part] },
        { role: 'user', content: 'Look', ...mark },
        {
          role: 'assistant',
          content: 'Yes',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'found', ...mark }] },
      ],
    };
    const { body: messages, dropped } = to('chatCompletions', 'messages', body);
    assert.deepEqual(dropped, []);
    assert.deepEqual(messages.system, [part]);
    assert.deepEqual(messages.messages[0].content, [{ type: 'text', text: 'Look', ...mark }]);
    assert.deepEqual(messages.messages[2].content, [
      { type: 'tool_result', tool_use_id: 'c1', content: 'found', ...mark },
    ]);
    assert.deepEqual(
      messages.tools.map((tool: object) => ({ ...tool, input_schema: undefined })),
      ['look', 'find'].map((name) => ({ name, input_schema: undefined, ...mark })),
    );
  });

  it('of messages and calls of chat completions arrive in messages, also without a text', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
    const ask = { role: 'user', content: 'Look' };
    const result = { role: 'tool', tool_call_id: 'c1', content: '' };
    for (const [messages, index] of [
      [[ask, { role: 'assistant', content: null, tool_calls: [call], ...mark }, result], 1],
      [[ask, { role: 'assistant', content: null, tool_calls: [{ ...call, ...mark }] }, result], 1],
      [[ask, { role: 'assistant', content: null, tool_calls: [call] }, { ...result, ...mark }], 2],
    ] as const) {
      const { body, dropped } = to('chatCompletions', 'messages', { model: 'm', messages });
      assert.deepEqual(dropped, []);
      assert.deepEqual(body.messages[index].content[0].cache_control, mark.cache_control);
      const elsewhere = to('chatCompletions', 'responses', { model: 'm', messages }, openAi);
      assert.equal(elsewhere.dropped.length, 1, JSON.stringify(messages));
    }
  });

  it('of empty contents and of pictures in results are reported and marked elsewhere, or belong to the result', () => {
    const ask = (content: unknown) => ({ role: 'user', content });
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] };
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const createResult = (fields: object) => ask([{ type: 'tool_result', tool_use_id: 'c1', ...fields }]);
    for (const [messages, inResponses] of [
      [[ask('Look'), use, createResult(mark)], 0],
      [
        [
          ask([
            { type: 'text', text: '', ...mark },
            { type: 'text', text: 'Look' },
          ]),
        ],
        0,
      ],
      [[ask('Look'), use, createResult({ content: [{ type: 'image', source, ...mark }] })], 1],
    ] as const) {
      const body = { ...minimalRequests.messages, messages };
      for (const [format, count] of [
        ['chatCompletions', 0],
        ['responses', inResponses],
      ] as const) {
        const { body: written, dropped } = to('messages', format, body, openAi);
        const json = JSON.stringify(written);
        assert.doesNotMatch(json, /cache_control/);
        assert.equal(json.split('prompt_cache_breakpoint').length - 1, 1, json);
        assert.equal(dropped.length, 1 - count, json);
        assert.doesNotMatch(JSON.stringify(to('messages', format, body).body), /cache/);
      }
    }
  });

  it('that move to the next turn do not change the form of the turns before it', () => {
    const call = (nth: number) => ({ type: 'tool_use', id: `c${nth}`, name: 'look', input: {} });
    const createResult = (content: string) => (nth: number, fields: object) => [
      { role: 'assistant', content: [call(nth)] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${nth}`, content, ...fields }] },
    ];
    const markedReply = (nth: number, fields: object) => [
      { role: 'assistant', content: [{ type: 'text', text: 'I look.', ...fields }, call(nth)] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${nth}`, content: 'found' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Done', ...fields }] },
      { role: 'user', content: [{ type: 'text', text: 'And?', ...fields }] },
    ];
    const ask = { role: 'user', content: 'Look' };
    const found = createResult('found');
    for (const [format, turn, next] of (['chatCompletions', 'responses'] as const).flatMap((each) => [
      [each, found, found] as const,
      [each, found, createResult('')] as const,
      [each, markedReply, markedReply] as const,
    ])) {
      const [first, second] = [
        [ask, ...turn(1, mark)],
        [ask, ...turn(1, {}), ...next(2, mark)],
      ].map((messages) => {
        const { body } = to('messages', format, { ...minimalRequests.messages, messages }, openAi);
        const list = JSON.stringify(body.messages ?? body.input);
        return list.replaceAll(',"prompt_cache_breakpoint":{"mode":"explicit"}', '');
      });
      assert.ok(first && second?.startsWith(first.slice(0, -1)), second);
    }
  });

  it('of OpenAI arrive in its other format at any server, and in messages', () => {
    const parts = [
      { type: 'input_text', text: 'Long', ...breakpoint },
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA', ...breakpoint },
    ];
    const body = { model: 'm', input: [{ role: 'user', content: parts }] };
    const chat = to('responses', 'chatCompletions', body);
    assert.deepEqual(chat.dropped, []);
    assert.deepEqual(
      chat.body.messages[0].content.map((part: object) => 'prompt_cache_breakpoint' in part),
      [true, true],
    );
    const back = to('chatCompletions', 'responses', { model: 'm', messages: chat.body.messages });
    assert.deepEqual(back.body.input[0].content, parts);
    const messages = to('responses', 'messages', body);
    assert.deepEqual(messages.dropped, []);
    assert.deepEqual(
      messages.body.messages[0].content.map((block: Record<string, unknown>) => block.cache_control),
      [{ type: 'ephemeral' }, { type: 'ephemeral' }],
    );
    const off = to('responses', 'chatCompletions', body, { promptCaching: false });
    assert.deepEqual(off.dropped, ['input[].content[].prompt_cache_breakpoint']);
  });

  it('of the whole request mark its last part that can have one where the format has no such field', () => {
    const body = { ...minimalRequests.messages, ...hour };
    const chat = to('messages', 'chatCompletions', body, openRouter);
    assert.deepEqual(chat.body.messages, [
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...hour }] },
    ]);
    assert.deepEqual(chat.dropped, []);
    assert.deepEqual(to('messages', 'chatCompletions', body).dropped, ['cache_control']);
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] };
    const emptyResult = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '' }] };
    const hello = { role: 'user', content: 'Hi' };
    const turns = { ...body, messages: [hello, call, emptyResult] };
    const later = to('messages', 'chatCompletions', turns, openRouter);
    assert.deepEqual([later.body.messages[0], later.dropped], [chat.body.messages[0], []]);
    const messages = to('chatCompletions', 'messages', { ...minimalRequests.chatCompletions, ...hour });
    assert.deepEqual(messages.body.cache_control, hour.cache_control);
    assert.deepEqual(messages.dropped, []);
  });

  it('never change the conversation', () => {
    const texts = (body: object) => JSON.stringify(body).match(/Be brief\.|Look|found|And\?/g);
    for (const { from, to: target } of directions.filter((each) => each.from === 'messages')) {
      const plain = JSON.parse(
        JSON.stringify(marked, (name, value) => (name === 'cache_control' ? undefined : value)),
      );
      assert.deepEqual(texts(to(from, target, marked).body), texts(to(from, target, plain).body), target);
      assert.deepEqual(to(from, target, marked).body, to(from, target, plain).body, target);
    }
  });
});

describe('the other fields for prompt caching in a converted request', () => {
  const fields = {
    prompt_cache_key: 'k',
    prompt_cache_retention: '24h',
    prompt_cache_options: { mode: 'explicit' },
  };

  it('arrive between the formats of OpenAI, and are reported elsewhere', () => {
    for (const [from, format] of [
      ['chatCompletions', 'responses'],
      ['responses', 'chatCompletions'],
    ] as const) {
      const { fields: written, dropped } = convertFields(from, format, fields);
      assert.partialDeepStrictEqual(written, fields);
      assert.deepEqual(dropped, []);
      const request = { ...minimalRequests[from], ...fields };
      for (const server of [{ promptCaching: false }, { host: 'generativelanguage.googleapis.com' }]) {
        const { body, dropped: droppedFields } = to(from, format, request, server);
        assert.doesNotMatch(JSON.stringify(body), /prompt_cache/);
        assert.deepEqual(droppedFields, Object.keys(fields));
      }
    }
    for (const format of ['messages', 'contentGeneration'] as const)
      assert.deepEqual(convertFields('chatCompletions', format, fields).dropped, Object.keys(fields));
  });

  it('name cached content only for the provider that stores it', () => {
    const extra = { extra_body: { google: { cached_content: 'cachedContents/a' } } };
    const { fields: written } = convertFields('chatCompletions', 'contentGeneration', extra);
    assert.equal(written.cachedContent, 'cachedContents/a');
    const lost = { ...minimalRequests.contentGeneration, cachedContent: 'cachedContents/a' };
    assert.equal(catchRefusal(() => convert('contentGeneration', 'messages', lost)).param, 'cachedContent');
    assert.match(
      catchRefusal(() => convertFields('chatCompletions', 'responses', extra)).message,
      /does not store/,
    );
  });
});
