import assert from 'node:assert/strict';
import { readConversation } from '../../../../src/localGateway/demo/conversation.ts';
import type { ToolOffer } from '../../../../src/localGateway/demo/prompt.ts';
import { asksForTool, chooseCalls } from '../../../../src/localGateway/demo/toolCalls.ts';
import type { Message } from '../../../../src/wire/message.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const offered = ['get_weather', 'get_time'].map((name) => ({ name, schema }));

describe('the tool calls of a demo model', () => {
  function calls(question: string, offer: Partial<ToolOffer> = {}, more: readonly Message[] = []) {
    const messages: readonly Message[] = [
      { role: 'user', parts: [{ type: 'text', text: question }] },
      ...more,
    ];
    const conversation = readConversation({ model: 'demo/chat', messages });
    return chooseCalls({ tools: offered, required: false, parallel: true, ...offer }, conversation).map(
      ({ name, arguments: tokens }) => `${name} ${JSON.parse(tokens.join('')).city}`,
    );
  }

  const asked: readonly (readonly [question: string, calls: readonly string[]])[] = [
    ['call the tool', ['get_weather demo']],
    ['Please call a tool for Paris', ['get_weather Paris']],
    ['use get_time', ['get_time demo']],
    ['call get_time about New York now', ['get_time New York']],
    ['call the tools', ['get_weather demo', 'get_time demo']],
    ['call all tools', ['get_weather demo', 'get_time demo']],
    ['call both functions', ['get_weather demo', 'get_time demo']],
    ['call the tool twice', ['get_weather demo', 'get_weather demo']],
    ['call get_time in parallel', ['get_time parallel', 'get_time parallel']],
    ['call the tool twice, for "Rome" and “Oslo”', ['get_weather Rome', 'get_weather Oslo']],
    ['请调用工具', ['get_weather demo']],
    ['what is a tool?', []],
    ['what is get_weather?', []],
    ['call get_weather_later', []],
    [`${'long '.repeat(100)} call the tool`, []],
  ];
  for (const [question, expected] of asked) {
    it(`are ${expected.length} for: ${question.slice(0, 60)}`, () => {
      assert.deepEqual(calls(question), expected);
    });
  }

  it('are made whatever the words where the request wants one, of the tools it allows', () => {
    assert.deepEqual(calls('hello', { required: true }), ['get_weather demo']);
    assert.deepEqual(calls('hello', { required: true, tools: [] }), []);
    assert.deepEqual(calls('call the tool', { tools: offered.slice(1) }), ['get_time demo']);
  });

  it('are one at a time where the request wants that, and never very many', () => {
    assert.equal(calls('call all tools', { parallel: false }).length, 1);
    assert.equal(calls('call all tools 9 times').length, 8);
  });

  it('end once there are results, so that no conversation turns in a circle', () => {
    const call = { type: 'toolCall', id: 'c', name: 'get_time', arguments: '{}' } as const;
    const result = { type: 'toolResult', id: 'c', name: 'get_time', text: 'noon' } as const;
    const spoken: readonly Message[] = [{ role: 'assistant', parts: [call] }];
    const returned = [...spoken, { role: 'user', parts: [result] } as const];
    assert.deepEqual(calls('call the tool', { required: true }, returned), []);
    const again = { type: 'text', text: 'call the tool again' } as const;
    assert.deepEqual(calls('call the tool', {}, [...spoken, { role: 'user', parts: [result, again] }]), [
      'get_weather demo',
    ]);
  });

  it('are asked for by plain words alone', () => {
    for (const words of ['Call the tool', 'use one of the tools', 'invoke the function', '使用这个工具'])
      assert.ok(asksForTool(words), words);
    for (const words of ['what do tools do', 'callous tooling', 'a tool call failed'])
      assert.ok(!asksForTool(words), words);
  });
});
