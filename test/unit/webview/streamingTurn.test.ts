import assert from 'node:assert/strict';
import type { ReplyView, TurnView } from '../../../src/protocol/chatTurn.ts';
import { StreamingTurn } from '../../../src/webview/chat/turns/streamingTurn.ts';

const reply: ReplyView = { text: '', reasoning: '', toolCalls: [], images: [], citations: [] };

function createTurn(state: TurnView['state'], ...replies: readonly Partial<ReplyView>[]): TurnView {
  return {
    id: 't',
    question: 'q',
    images: [],
    model: 'm',
    state,
    figures: {},
    omitted: [],
    replies: replies.map((each) => ({ ...reply, ...each })),
  };
}

describe('a turn that streams', () => {
  it('appends deltas to one copy of its text', () => {
    const streaming = new StreamingTurn(createTurn('waiting'));
    assert.ok(streaming.applyDelta({ choice: 0, text: 'Hel', reasoning: '' }));
    const text = streaming.replies[0]?.text;
    assert.ok(!streaming.applyDelta({ choice: 0, text: 'lo', reasoning: 'why' }));
    assert.equal(streaming.view.state, 'streaming');
    assert.equal(streaming.replies[0]?.text, text);
    assert.equal(text?.readFrom(0), 'Hello');
    assert.equal(streaming.replies[0]?.reasoning.readFrom(0), 'why');
  });

  it('keeps a text that the complete turn continues, and replaces a text that differs', () => {
    const call = (args: string) => ({ toolCalls: [{ name: 'find', arguments: args }] });
    const streaming = new StreamingTurn(
      createTurn('streaming', { text: 'Hello', ...call('{"a"') }, { text: 'Hi' }),
    );
    const [first, second] = streaming.replies;
    streaming.replace(createTurn('done', { text: 'Hello there', ...call('{"a":1}') }, { text: 'Ho' }));
    assert.equal(streaming.replies[0]?.text, first?.text);
    assert.equal(first?.text.readFrom(5), ' there');
    assert.equal(streaming.replies[0]?.toolCalls[0]?.arguments, first?.toolCalls[0]?.arguments);
    assert.notEqual(streaming.replies[1]?.text, second?.text);
    assert.equal(streaming.replies[1]?.text.readFrom(0), 'Ho');
  });

  it('stores reply text in its replies only', () => {
    const streaming = new StreamingTurn(createTurn('done', { text: 'said' }));
    assert.ok(!JSON.stringify(streaming.view).includes('said'));
  });

  it('appends arguments to a tool call by its position', () => {
    const streaming = new StreamingTurn(createTurn('waiting'));
    const add = (position: number, args: string, name?: string) =>
      streaming.applyDelta({
        choice: 0,
        text: '',
        reasoning: '',
        toolCalls: [{ position, arguments: args, ...(name !== undefined && { name }) }],
      });
    add(0, '{', 'find');
    add(1, '[', 'list');
    add(0, '}');
    const calls = streaming.replies[0]?.toolCalls.map(({ name, arguments: args }) => [
      name,
      args.readFrom(0),
    ]);
    assert.deepEqual(calls, [
      ['find', '{}'],
      ['list', '['],
    ]);
  });
});
