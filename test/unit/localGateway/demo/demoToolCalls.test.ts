import assert from 'node:assert/strict';
import { readDemoConversation } from '../../../../src/localGateway/demo/demoConversation.ts';
import type { ToolOffer } from '../../../../src/localGateway/demo/demoRequest.ts';
import { chooseCalls, requestsToolCall } from '../../../../src/localGateway/demo/demoToolCalls.ts';
import type { Message } from '../../../../src/wire/message.ts';
import { assertLinear } from '../../../support/linearCost.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const offered = ['get_weather', 'get_time'].map((name) => ({ name, parameters: schema }));

describe('the tool calls of a demo model', () => {
  function calls(question: string, offer: Partial<ToolOffer> = {}, more: readonly Message[] = []) {
    return callsAfter([{ role: 'user', parts: [{ type: 'text', text: question }] }, ...more], offer);
  }

  function callsAfter(messages: readonly Message[], offer: Partial<ToolOffer> = {}) {
    const conversation = readDemoConversation({ model: 'demo/chat', messages });
    return chooseCalls({ tools: offered, isRequired: false, isParallel: true, ...offer }, conversation).map(
      ({ name, arguments: tokens }) => `${name} ${JSON.parse(tokens.join('')).city}`,
    );
  }

  const questions: readonly (readonly [question: string, calls: readonly string[]])[] = [
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
    [`${'long '.repeat(100)} call the tool`, ['get_weather demo']],
    [`call the tool ${'long '.repeat(100)}`, []],
  ];
  for (const [question, expected] of questions) {
    it(`are ${expected.length} for: ${question.slice(0, 60)}`, () => {
      assert.deepEqual(calls(question), expected);
    });
  }

  describe('in a conversation with context from a program', () => {
    const context = 'We are setting up the context. You must not call a tool unless asked. '.repeat(20);
    const user = (...texts: readonly string[]): Message => ({
      role: 'user',
      parts: texts.map((text) => ({ type: 'text', text })),
    });
    const cases: readonly (readonly [program: string, ...messages: Message[]])[] = [
      [
        'Codex',
        user(
          `# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\n${context}\n</INSTRUCTIONS>`,
          `<environment_context>\n  <cwd>/x</cwd>\n${context}</environment_context>`,
        ),
        user('call get_time'),
      ],
      [
        'Codex, context last',
        user('call get_time'),
        user(`<environment_context>${context}</environment_context>`),
      ],
      [
        'Codex in an editor',
        user(`# Context from my IDE setup:\n${context}\n## My request for Codex:\ncall get_time\n`),
      ],
      [
        'Gemini CLI',
        user(context),
        { role: 'assistant', parts: [{ type: 'text', text: 'Got it.' }] },
        user('call get_time'),
      ],
      ['Gemini CLI, in one message', user(context, 'call get_time')],
      ['Gemini CLI, with tags', user(`<session_context>\n${context}\n</session_context>`, 'call get_time')],
      [
        'Gemini CLI, with a file',
        user(
          'call get_time',
          '\n--- Content from referenced files ---',
          '\nContent from @a.txt:\n',
          context,
          '\n--- End of content ---',
        ),
      ],
      ['Claude Code', user(`<system-reminder>\n${context}\n</system-reminder>\n`, 'call get_time')],
      [
        'Claude Code, with a reminder at the end',
        user('call get_time', `<system-reminder>${context}</system-reminder>`),
      ],
      ['in one text', user(`<user_instructions>\n${context}\n</user_instructions>\n\ncall get_time`)],
      ['without tags, in one text', user(`${context}\n\ncall get_time`)],
      [
        'Cline',
        user(
          `<task>\ncall get_time\n</task>\n\n# Progress\n${context}`,
          `<environment_details>\n${context}</environment_details>`,
        ),
      ],
      ['VS Code', user(`<context>${context}</context>\n<userRequest>\ncall get_time\n</userRequest>`)],
    ];
    for (const [program, ...messages] of cases) {
      it(`follow only the question: ${program}`, () => {
        assert.deepEqual(callsAfter(messages), ['get_time demo']);
        const { question } = readDemoConversation({ model: 'm', messages });
        assert.equal(question.slice(-13), 'call get_time');
        if (program !== 'without tags, in one text') assert.equal(question, 'call get_time');
      });
    }

    it('end after results, even if a program adds a reminder', () => {
      const call = { type: 'toolCall', id: 'c', name: 'get_time', arguments: '{}' } as const;
      const result = { type: 'toolResult', id: 'c', name: 'get_time', text: 'noon' } as const;
      const reminder = { type: 'text', text: '<system-reminder>call the tool</system-reminder>' } as const;
      const messages: readonly Message[] = [
        user('call get_time'),
        { role: 'assistant', parts: [call] },
        { role: 'user', parts: [result, reminder] },
      ];
      assert.deepEqual(callsAfter(messages), []);
      const { question, toolResults } = readDemoConversation({ model: 'm', messages });
      assert.deepEqual([question, toolResults], ['call get_time', [{ name: 'get_time', text: 'noon' }]]);
    });

    it('use the whole message if it is only context', () => {
      const only = `<environment_context>$context</environment_context>`;
      assert.equal(readDemoConversation({ model: 'm', messages: [user(only)] }).question, only);
    });

    it('P9 are found in linear time', () => {
      const hostile: readonly ((n: number) => string)[] = [
        (n) => '<a_b>\n'.repeat(n),
        (n) => Array.from({ length: n }, (_, nth) => `<a_${nth}>\n`).join(''),
        (n) => '<a_b></a_b>\n'.repeat(n),
        (n) => ' '.repeat(10 * n),
      ];
      const prepare = (text: (n: number) => string) => (n: number) => ({
        model: 'm',
        messages: [user(text(n))],
      });
      for (const text of hostile) assertLinear(prepare(text), readDemoConversation);
    });
  });

  it('are made if the request requires one, and only with allowed tools', () => {
    assert.deepEqual(calls('hello', { isRequired: true }), ['get_weather demo']);
    assert.deepEqual(calls('hello', { isRequired: true, tools: [] }), []);
    assert.deepEqual(calls('call the tool', { tools: offered.slice(1) }), ['get_time demo']);
  });

  it('are single if the request forbids parallel calls, and at most 8 otherwise', () => {
    assert.equal(calls('call all tools', { isParallel: false }).length, 1);
    assert.equal(calls('call all tools 9 times').length, 8);
  });

  it('stop after results until the next question', () => {
    const call = { type: 'toolCall', id: 'c', name: 'get_time', arguments: '{}' } as const;
    const result = { type: 'toolResult', id: 'c', name: 'get_time', text: 'noon' } as const;
    const callMessages: readonly Message[] = [{ role: 'assistant', parts: [call] }];
    const returned = [...callMessages, { role: 'user', parts: [result] } as const];
    assert.deepEqual(calls('call the tool', { isRequired: true }, returned), []);
    const again = { type: 'text', text: 'call the tool again' } as const;
    assert.deepEqual(
      calls('call the tool', {}, [...callMessages, { role: 'user', parts: [result, again] }]),
      ['get_weather demo'],
    );
  });

  it('are triggered only by a plain request for a tool', () => {
    for (const words of ['Call the tool', 'use one of the tools', 'invoke the function', '使用这个工具'])
      assert.ok(requestsToolCall(words), words);
    for (const words of ['what do tools do', 'callous tooling', 'a tool call failed'])
      assert.ok(!requestsToolCall(words), words);
  });
});
