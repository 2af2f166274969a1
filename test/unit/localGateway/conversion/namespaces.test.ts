import assert from 'node:assert/strict';
import { joinName } from '../../../../src/wire/apis/shared/functionTools.ts';
import { catchRefusal, convert, names } from './conversions.ts';

const close = { type: 'function', name: 'close', description: 'Closes an agent.', parameters: {} };
const list = { type: 'function', name: 'list', parameters: {} };
const agents = { type: 'namespace', name: 'agents', description: 'Other agents.', tools: [close, list] };
const look = { type: 'function', name: 'look', parameters: {} };

const target = { model: 'm', input: 'Hi', tools: [look, agents] };

/** A reply of chat completions that calls these tools. */
function calling(...called: readonly string[]): string {
  const tool_calls = called.map((name, index) => ({
    index,
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: '{}' },
  }));
  const choice = { index: 0, delta: { tool_calls }, finish_reason: 'tool_calls' };
  return `data: ${JSON.stringify({ id: 'r', model: 'm', choices: [choice] })}\n\ndata: [DONE]\n\n`;
}

describe('tools of responses in namespaces, as Codex sends them', () => {
  it('are offered under a joined name, with the namespace’s description on the first', () => {
    const { body, dropped } = convert('responses', 'chatCompletions', target);
    const { tools } = body as { tools: { function: { name: string; description?: string } }[] };
    assert.deepEqual(
      tools.map(({ function: { name, description } }) => [name, description]),
      [
        ['look', undefined],
        ['agents__close', 'agents: Other agents.\n\nCloses an agent.'],
        ['agents__list', undefined],
      ],
    );
    assert.deepEqual(dropped, []);
  });

  it('are called by their original names, whole and streamed', () => {
    const request = convert('responses', 'chatCompletions', target);
    const reply = calling('agents__list', 'look', 'unknown__tool');
    const streamed = request.createStream(names);
    const events = streamed.write(Buffer.from(reply)) + streamed.end();
    const called = [...events.matchAll(/^data: (.*)$/gm)]
      .map(([, data = '']) => JSON.parse(data))
      .flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []))
      .map(({ name, namespace }) => [namespace, name]);
    const expected = [
      ['agents', 'list'],
      [undefined, 'look'],
      [undefined, 'unknown__tool'],
    ];
    assert.deepEqual(called, expected);
    const { output } = request.convertReply(Buffer.from(reply), names) as {
      output: { name: string; namespace?: string }[];
    };
    assert.deepEqual(
      output.map(({ name, namespace }) => [namespace, name]),
      expected,
    );
  });

  it('have the same joined name in earlier messages and in the tool choice', () => {
    const input = [
      { type: 'function_call', call_id: 'c', namespace: 'agents', name: 'list', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'none' },
    ];
    const tool_choice = { type: 'function', namespace: 'agents', name: 'close' };
    const { body, dropped } = convert('responses', 'messages', { ...target, input, tool_choice });
    assert.match(JSON.stringify(body), /"type":"tool_use","id":"c","name":"agents__list"/);
    assert.deepEqual((body as { tool_choice: object }).tool_choice, { type: 'tool', name: 'agents__close' });
    assert.deepEqual(dropped, []);
  });

  it('get different names of at most 64 characters, and are rejected if two names are the same', () => {
    const namespace = 'n'.repeat(60);
    const [one, other] = ['first', 'second'].map((name) => joinName({ namespace, name }));
    assert.notEqual(one, other);
    for (const name of [one, other]) assert.equal(name?.length, 64);
    assert.equal(joinName({ namespace: 'mcp__files__', name: 'read' }), 'mcp__files__read');
    const twice = { ...target, tools: [{ ...look, name: 'agents__list' }, agents] };
    assert.equal(catchRefusal(() => convert('responses', 'chatCompletions', twice)).param, 'tools[1]');
  });

  it('are rejected with their position if they are not functions', () => {
    const tools = [{ ...agents, tools: [close, { type: 'web_search', name: 'patch' }] }];
    const refusal = catchRefusal(() => convert('responses', 'chatCompletions', { ...target, tools }));
    assert.equal(refusal.param, 'tools[0].tools[1]');
    assert.match(refusal.message, /no tool of kind web_search/);
  });
});
