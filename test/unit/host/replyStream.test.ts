import assert from 'node:assert/strict';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { ReplyStream } from '../../../src/host/chat/session/replyStream.ts';
import { createReplyView } from '../../../src/host/chat/view/replyView.ts';
import type { ReplyDelta } from '../../../src/protocol/chatTurn.ts';
import type { ChatEvent } from '../../../src/wire/chatEvent.ts';

const choice = 0;

/** The deltas for these events when each element of `frames` is a separate frame. */
function readDeltas(...frames: readonly (readonly ChatEvent[])[]): readonly ReplyDelta[] {
  const deltas: ReplyDelta[] = [];
  const stream = new ReplyStream((news) => deltas.push(...news));
  for (const events of frames) {
    stream.add(events);
    stream.flush();
  }
  return deltas;
}

describe('the updates of an arriving reply for the page', () => {
  it('P9 contain only the new text of a frame', () => {
    const long = 'word '.repeat(1000);
    const deltas = readDeltas(
      [{ type: 'text', choice, text: long }],
      [
        { type: 'citation', choice, url: 'https://example.com/a' },
        { type: 'reasoning', choice, text: 'Hm' },
        { type: 'toolCall', choice, index: 0, name: 'look', arguments: '{' },
        { type: 'toolCall', choice, index: 0, arguments: '}' },
      ],
      [{ type: 'media', choice, mimeType: 'image/png', data: 'AAAA' }],
    );
    assert.deepEqual(deltas, [
      { choice, text: long, reasoning: '' },
      {
        choice,
        text: '',
        reasoning: 'Hm',
        toolCalls: [{ position: 0, name: 'look', arguments: '{}' }],
        citations: [{ title: 'https://example.com/a', url: 'https://example.com/a' }],
      },
      { choice, text: '', reasoning: '', images: [{ mimeType: 'image/png', data: 'AAAA' }] },
    ]);
  });

  it('number tool calls as the conversation does, not as the gateway does', () => {
    const events: readonly ChatEvent[] = [
      { type: 'toolCall', choice, index: 7, id: 'a', name: 'first', arguments: '1' },
      { type: 'toolCall', choice, index: 2, id: 'b', name: 'second', arguments: '2' },
      { type: 'toolCall', choice, index: 7, arguments: '1' },
    ];
    const calls: { name: string; arguments: string }[] = [];
    for (const { toolCalls } of readDeltas(...events.map((event) => [event]))) {
      for (const { position, name, arguments: added } of toolCalls ?? []) {
        const call = calls[position] ?? { name: '', arguments: '' };
        calls[position] = { name: name ?? call.name, arguments: call.arguments + added };
      }
    }
    const conversation = new Conversation();
    const request = {
      text: '?',
      images: [],
      model: 'model',
      format: 'chatCompletions',
      parameters: {},
    } as const;
    const { id } = conversation.addQuestion(request);
    conversation.appendEvents(id, events);
    assert.deepEqual(
      conversation.turn(id)?.replies.map((reply) => createReplyView(reply).toolCalls),
      [calls],
    );
  });

  it('omit choices that the conversation does not store', () => {
    assert.deepEqual(readDeltas([{ type: 'text', choice: 4_000_000_000, text: 'far' }]), []);
  });
});
