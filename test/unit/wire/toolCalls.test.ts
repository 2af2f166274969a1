import assert from 'node:assert/strict';
import {
  ChatCompletionsDecoder,
  ChatCompletionsRecorder,
} from '../../../src/wire/apis/chatCompletions/readReply.ts';
import { ContentGenerationDecoder } from '../../../src/wire/apis/contentGeneration/readReply.ts';
import { InteractionsDecoder } from '../../../src/wire/apis/interactions/readReply.ts';
import { MessagesDecoder } from '../../../src/wire/apis/messages/readReply.ts';
import { ResponsesDecoder } from '../../../src/wire/apis/responses/readReply.ts';
import { weatherCall as a, timeCall as b, readCalls, stream } from './calledTools.ts';
import { decodeConversation } from './conversations.ts';
import { decodeWith } from './streamFixtures.ts';

const splitInTwo = (text: string) => [text.slice(0, 7), text.slice(7)] as const;

describe('two tool calls with the same index and different ids', () => {
  describe('in chat completions', () => {
    type Fragment = {
      readonly index?: number;
      readonly id?: string;
      readonly name?: string;
      readonly args?: string;
    };
    const fragment = ({ index, id, name, args }: Fragment) => ({
      ...(index !== undefined && { index }),
      ...(id !== undefined && { id }),
      function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
    });
    const chunks = (...fragments: readonly Fragment[]) =>
      stream(
        ...fragments.map((each) => ({ choices: [{ index: 0, delta: { tool_calls: [fragment(each)] } }] })),
      );
    const read = (body: string) => readCalls(new ChatCompletionsDecoder(), body);
    const [a1, a2] = splitInTwo(a.arguments);
    const [b1, b2] = splitInTwo(b.arguments);

    it('are separate when streamed whole', () => {
      const body = chunks(
        { index: 0, id: a.id, name: a.name, args: a.arguments },
        { index: 0, id: b.id, name: b.name, args: b.arguments },
      );
      assert.deepEqual(read(body), [a, b]);
    });

    it('are separate when streamed in pieces with only the index', () => {
      const body = chunks(
        { index: 0, id: a.id, name: a.name, args: a1 },
        { index: 0, args: a2 },
        { index: 0, id: b.id, name: b.name, args: b1 },
        { index: 0, args: b2 },
      );
      assert.deepEqual(read(body), [a, b]);
    });

    it('are separate when streamed in alternating pieces with ids', () => {
      const body = chunks(
        { index: 0, id: a.id, name: a.name, args: a1 },
        { index: 0, id: b.id, name: b.name, args: b1 },
        { index: 0, id: a.id, args: a2 },
        { index: 0, id: b.id, args: b2 },
      );
      assert.deepEqual(read(body), [a, b]);
    });

    it('are separate in one chunk and in a whole message', () => {
      const tool_calls = [a, b].map(({ id, name, arguments: args }) =>
        fragment({ index: 0, id, name, args }),
      );
      assert.deepEqual(read(stream({ choices: [{ index: 0, delta: { tool_calls } }] })), [a, b]);
      const completion = { choices: [{ index: 0, message: { tool_calls }, finish_reason: 'tool_calls' }] };
      assert.deepEqual(read(JSON.stringify(completion)), [a, b]);
    });

    it('are separate also with the same id and different indices', () => {
      const same = { ...b, id: a.id };
      const body = chunks(
        { index: 0, id: a.id, name: a.name, args: a.arguments },
        { index: 1, id: a.id, name: b.name, args: b1 },
        { index: 1, args: b2 },
      );
      assert.deepEqual(read(body), [a, same]);
    });

    it('are one call if the id arrives late or is repeated', () => {
      const late = chunks({ index: 0, name: a.name, args: a1 }, { index: 0, id: a.id, args: a2 });
      assert.deepEqual(read(late), [a]);
      const again = chunks(
        { index: 0, id: a.id, name: a.name, args: a1 },
        { index: 0, id: a.id, name: a.name, args: a2 },
      );
      assert.deepEqual(read(again), [a]);
      const noIndex = chunks(
        { id: a.id, name: a.name, args: a1 },
        { id: a.id, args: a2 },
        { id: b.id, name: b.name, args: b.arguments },
      );
      assert.deepEqual(read(noIndex), [a, b]);
    });
  });

  describe('in messages', () => {
    const events = (...calls: readonly (typeof a)[]) =>
      stream(
        ...calls.flatMap(({ id, name, arguments: partial_json }) => [
          { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id, name, input: {} } },
          { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } },
        ]),
        { type: 'message_stop' },
      );
    it('are separate when streamed', () =>
      assert.deepEqual(readCalls(new MessagesDecoder(), events(a, b)), [a, b]));
  });

  describe('in responses', () => {
    const added = ({ id, name }: typeof a, item: string) => ({
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'function_call', id: item, call_id: id, name, arguments: '' },
    });
    const delta = (text: string, item: string) => ({
      type: 'response.function_call_arguments.delta',
      output_index: 0,
      item_id: item,
      delta: text,
    });
    const done = ({ id, name, arguments: args }: typeof a, item: string) => ({
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'function_call', id: item, call_id: id, name, arguments: args },
    });
    const read = (...events: readonly object[]) => readCalls(new ResponsesDecoder(), stream(...events));

    it('are separate when streamed one after the other', () => {
      const events = [a, b].flatMap((call) => [
        added(call, call.id),
        delta(call.arguments, call.id),
        done(call, call.id),
      ]);
      assert.deepEqual(read(...events), [a, b]);
    });

    it('are separate when streamed alternately', () => {
      const [a1, a2] = splitInTwo(a.arguments);
      const [b1, b2] = splitInTwo(b.arguments);
      const events = [
        added(a, 'fc_a'),
        added(b, 'fc_b'),
        delta(a1, 'fc_a'),
        delta(b1, 'fc_b'),
        delta(a2, 'fc_a'),
        delta(b2, 'fc_b'),
      ];
      assert.deepEqual(read(...events, done(b, 'fc_b'), done(a, 'fc_a')), [a, b]);
    });

    it('are separate as whole items', () => assert.deepEqual(read(done(a, 'fc_a'), done(b, 'fc_b')), [a, b]));

    it('are one call if a relay writes a new item id into every event', () => {
      assert.deepEqual(read(added(a, 'x1'), delta(a.arguments, 'x2'), done(a, 'x3')), [a]);
    });

    it('are separate by position if their items have the same id', () => {
      const at = (place: number, event: object) => ({ ...event, output_index: place });
      const events = [
        at(0, added(a, 'x')),
        at(1, added(b, 'x')),
        at(0, delta(a.arguments, 'x')),
        at(1, delta(b.arguments, 'x')),
      ];
      assert.deepEqual(read(...events), [a, b]);
    });
  });

  describe('in interactions', () => {
    const start = ({ id, name }: typeof a) => ({
      event_type: 'step.start',
      index: 0,
      step: { type: 'function_call', id, name, arguments: {} },
    });
    const piece = (text: string) => ({
      event_type: 'step.delta',
      index: 0,
      delta: { type: 'arguments_delta', arguments: text },
    });
    const unsplitCall = ({ id, name, arguments: args }: typeof a) => ({
      event_type: 'content.delta',
      index: 0,
      delta: { type: 'function_call', id, name, arguments: JSON.parse(args) },
    });
    const read = (...events: readonly object[]) => readCalls(new InteractionsDecoder(), stream(...events));

    it('are separate when streamed in pieces', () => {
      assert.deepEqual(read(start(a), piece(a.arguments), start(b), piece(b.arguments)), [a, b]);
    });
    it('are separate when streamed whole', () =>
      assert.deepEqual(read(unsplitCall(a), unsplitCall(b)), [a, b]));
  });

  describe('in content generation', () => {
    const part = (call: object) => ({ candidates: [{ content: { parts: [{ functionCall: call }] } }] });
    const piece = (text: string) => ({
      partialArgs: [{ jsonPath: '$.city', stringValue: text }],
      willContinue: true,
    });
    const read = (...events: readonly object[]) =>
      readCalls(new ContentGenerationDecoder(), stream(...events));

    it('are separate when streamed value by value', () => {
      const events = [
        part({ id: a.id, name: a.name, ...piece('U') }),
        part({ id: a.id, ...piece('lm') }),
        part({ id: b.id, ...piece('Bonn') }),
        part({ id: b.id }),
      ];
      const second = { ...b, name: undefined, arguments: '{"city":"Bonn"}' };
      assert.deepEqual(read(...events), [a, second]);
    });

    it('are one call if the name is repeated with every piece', () => {
      const events = [
        part({ id: a.id, name: a.name, ...piece('U') }),
        part({ id: a.id, name: a.name, ...piece('lm') }),
        part({ id: a.id, name: a.name }),
      ];
      assert.deepEqual(read(...events), [a]);
    });

    it('T24 F56 do not allocate memory for a far position in a list', () => {
      const far = { partialArgs: [{ jsonPath: '$.a[9999]', numberValue: 1 }] };
      assert.deepEqual(read(part({ id: a.id, name: a.name, ...far })), [{ ...a, arguments: '{"a":[]}' }]);
    });
  });
});

describe('calls of custom tools with text input', () => {
  const patch = { id: 'call_a', name: 'apply_patch', arguments: '*** Begin Patch "x"\n' };
  const time = { id: 'call_b', name: 'time', arguments: '{}' };
  const { id: call_id, name, arguments: input } = patch;
  const [one, two] = splitInTwo(input);

  it('are read in chat completions, streamed and whole', () => {
    const delta = (...tool_calls: readonly object[]) => ({ choices: [{ index: 0, delta: { tool_calls } }] });
    const called = { index: 1, id: time.id, type: 'function', function: { name: 'time', arguments: '{}' } };
    const streamed = stream(
      delta({ index: 0, id: call_id, type: 'custom', custom: { name, input: '' } }),
      delta({ index: 0, custom: { input: one } }, called),
      delta({ index: 0, custom: { input: two } }),
    );
    const tool_calls = [{ id: call_id, type: 'custom', custom: { name, input } }, called];
    const document = JSON.stringify({
      choices: [{ index: 0, message: { tool_calls }, finish_reason: 'tool_calls' }],
    });
    for (const body of [streamed, document])
      assert.deepEqual(readCalls(new ChatCompletionsDecoder(), body), [patch, time]);

    const recorder = new ChatCompletionsRecorder();
    for (const line of streamed.split('\n\n').filter(Boolean)) recorder.read(JSON.parse(line.slice(6)));
    assert.deepEqual(recorder.toVerbatim([call_id, undefined]), [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: call_id, type: 'custom', custom: { name, input } }],
      },
    ]);
  });

  it('are read in responses, streamed and whole', () => {
    const item = { type: 'custom_tool_call', id: 'ctc_1', call_id, name };
    const place = { item_id: 'ctc_1', output_index: 0 };
    const done = { ...item, input };
    const response = { id: 'r', object: 'response', status: 'completed', output: [done] };
    const streamed = stream(
      { type: 'response.output_item.added', output_index: 0, item: { ...item, input: '' } },
      { type: 'response.custom_tool_call_input.delta', ...place, delta: one },
      { type: 'response.custom_tool_call_input.delta', ...place, delta: two },
      { type: 'response.custom_tool_call_input.done', ...place, input },
      { type: 'response.output_item.done', output_index: 0, item: done },
      { type: 'response.completed', response },
    );
    const itemAlone = stream({ type: 'response.output_item.done', output_index: 0, item: done });
    for (const body of [streamed, itemAlone, JSON.stringify(response)])
      assert.deepEqual(readCalls(new ResponsesDecoder(), body), [patch], body);
    const { events } = decodeWith(new ResponsesDecoder(), Buffer.from(streamed));
    assert.ok(events.some((event) => event.type === 'finish' && event.reason === 'tool-calls'));
  });

  it('are read in requests that contain them', () => {
    const call = { type: 'toolCall', id: call_id, name, arguments: JSON.stringify({ input }) } as const;
    const result = { type: 'toolResult', id: call_id, name, text: 'Done.' } as const;
    const expected = [
      { role: 'assistant', parts: [call] },
      { role: 'user', parts: [result] },
    ];
    const items = [
      { type: 'custom_tool_call', call_id, name, input },
      { type: 'custom_tool_call_output', call_id, output: 'Done.' },
    ];
    assert.deepEqual(decodeConversation('responses', { input: items }), expected);
    const messages = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: call_id, type: 'custom', custom: { name, input } }],
      },
      { role: 'tool', tool_call_id: call_id, content: 'Done.' },
    ];
    assert.deepEqual(decodeConversation('chatCompletions', { messages }), expected);
  });
});
