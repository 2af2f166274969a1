import assert from 'node:assert/strict';
import {
  ChatCompletionsDecoder,
  ChatCompletionsRecorder,
} from '../../../src/wire/apis/chatCompletions/readReply.ts';
import { MessagesDecoder } from '../../../src/wire/apis/messages/readReply.ts';
import { ResponsesDecoder } from '../../../src/wire/apis/responses/readReply.ts';
import { weatherCall as a, timeCall as b, readCalls, stream, type ToolCall } from './calledTools.ts';

describe('tool calls in unusual forms', () => {
  const { id, name, arguments: args } = a;
  const value = JSON.parse(args) as object;

  it('are read in chat completions, and are sent back in the usual form', () => {
    const usual = { id, type: 'function', function: { name, arguments: args } };
    const messages: readonly object[] = [
      { tool_calls: [{ index: 0, id, name, arguments: args }] },
      { tool_calls: [{ id, type: 'function', name, arguments: value }] },
      { tool_calls: usual },
      { tool_calls: [{ id, type: 'function', function: { name, parameters: value } }] },
      { content: [{ type: 'tool_use', id, name, input: value }] },
    ];
    for (const message of messages) {
      const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
      assert.deepEqual(readCalls(new ChatCompletionsDecoder(), body), [a], body);
      assert.deepEqual(
        readCalls(new ChatCompletionsDecoder(), stream({ choices: [{ index: 0, delta: message }] })),
        [a],
      );
      const recorder = new ChatCompletionsRecorder();
      recorder.read(JSON.parse(body));
      assert.deepEqual(
        recorder.toVerbatim([id]),
        [{ role: 'assistant', content: null, tool_calls: [usual] }],
        body,
      );
    }
  });

  it('keep large integer ids in arguments that are not text', () => {
    const body = `{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":{"n":12345678901234567890}}}]},"finish_reason":"tool_calls"}]}`;
    const [call] = readCalls(new ChatCompletionsDecoder(), body);
    assert.equal(call?.arguments, '{"n":"12345678901234567890"}');
  });

  it('are two calls if both have the index 0, no id and complete arguments', () => {
    const unsplitCall = (called: ToolCall) => ({
      index: 0,
      function: { name: called.name, arguments: called.arguments },
    });
    const withoutId = (called: ToolCall) => ({ ...called, id: undefined });
    const delta = (...tool_calls: readonly object[]) => ({ choices: [{ index: 0, delta: { tool_calls } }] });
    const read = (...payloads: readonly object[]) =>
      readCalls(new ChatCompletionsDecoder(), stream(...payloads));
    assert.deepEqual(read(delta(unsplitCall(a), unsplitCall(b))), [withoutId(a), withoutId(b)]);
    assert.deepEqual(read(delta(unsplitCall(a)), delta(unsplitCall(a))), [withoutId(a), withoutId(a)]);
  });

  it('are read in responses from any event that contains them', () => {
    const item = { type: 'function_call', id: 'fc', call_id: id, name };
    const place = { output_index: 0, item_id: 'fc' };
    const end = { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } };
    const added = (more: object) => ({
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, ...more },
    });
    const streams: readonly (readonly object[])[] = [
      [
        added({ arguments: '' }),
        { type: 'response.function_call_arguments.done', ...place, arguments: args },
        end,
      ],
      [added({ arguments: args }), end],
      [
        added({ arguments: '' }),
        { ...end, response: { ...end.response, output: [{ ...item, arguments: args }] } },
      ],
      [
        { type: 'response.function_call_arguments.delta', ...place, delta: args },
        { type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: args } },
        end,
      ],
    ];
    for (const events of streams)
      assert.deepEqual(readCalls(new ResponsesDecoder(), stream(...events)), [a], JSON.stringify(events));
    const response = {
      id: 'r',
      object: 'response',
      status: 'completed',
      output: [{ ...item, arguments: value }],
    };
    assert.deepEqual(readCalls(new ResponsesDecoder(), JSON.stringify(response)), [a]);
  });

  it('are read in responses for a shell, a patch and a computer, unless the server runs them', () => {
    const action = { type: 'exec', command: ['ls'] };
    const read = (item: object) =>
      readCalls(
        new ResponsesDecoder(),
        JSON.stringify({ object: 'response', status: 'completed', output: [item] }),
      );
    for (const tool of ['local_shell', 'shell', 'computer']) {
      const expected = { id, name: tool, arguments: JSON.stringify(action) };
      assert.deepEqual(read({ type: `${tool}_call`, id: 'i', call_id: id, action }), [expected]);
    }
    const operation = { type: 'delete_file', path: 'x' };
    const patch = { id, name: 'apply_patch', arguments: JSON.stringify(operation) };
    assert.deepEqual(read({ type: 'apply_patch_call', call_id: id, operation }), [patch]);
    for (const item of [
      { type: 'web_search_call', id: 'w', action },
      { type: 'mcp_call', id: 'm', name, arguments: args },
    ])
      assert.deepEqual(read(item), []);
  });

  it('are read in messages with text input', () => {
    const content = [{ type: 'tool_use', id, name, input: args }];
    const message = { type: 'message', role: 'assistant', content, stop_reason: 'tool_use' };
    assert.deepEqual(readCalls(new MessagesDecoder(), JSON.stringify(message)), [a]);
  });
});
