import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ChatResult } from '../../../src/client/types.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../src/conversations/conversation/reply.ts';
import type { Question, Turn } from '../../../src/conversations/conversation/turn.ts';
import type { ChatEvent } from '../../../src/wire/chatEvent.ts';
import type { Message } from '../../../src/wire/message.ts';

const choice = 0;
const settings = { model: 'model', format: 'chatCompletions', parameters: {} } as const;

/** The events of a reply before it ends. */
const arriving = fc.constantFrom<readonly ChatEvent[]>(
  [],
  [{ type: 'text', choice, text: 'Text.' }],
  [{ type: 'text', choice, text: '' }],
  [{ type: 'text', choice: 1, text: 'Only the second choice.' }],
  [{ type: 'refusal', choice, text: 'No.' }],
  [{ type: 'reasoning', choice, text: 'Hm' }],
  [{ type: 'toolCall', choice, index: 0, id: 'call', name: 'look', arguments: '{}' }],
  [{ type: 'media', choice, mimeType: 'image/png', data: 'AAAA' }],
  [
    { type: 'reasoning', choice, text: 'Hm' },
    { type: 'text', choice, text: 'Both.' },
  ],
);

const outcome = fc.constantFrom<ChatResult['outcome']>(
  { kind: 'complete' },
  { kind: 'truncated' },
  { kind: 'cancelled' },
);

/** A user action: a new question, or a repetition of an earlier turn. */
interface Step {
  readonly arriving: readonly ChatEvent[];
  readonly outcome: ChatResult['outcome'];
  readonly again: number | null;
}

const step: fc.Arbitrary<Step> = fc.record({ arriving, outcome, again: fc.option(fc.nat(20)) });

describe('the messages of a chat that are shown as sent', () => {
  it('are exactly the messages of the next request, after any questions, retries, stops and cuts', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const conversation = new Conversation();
        for (const [at, each] of steps.entries()) play(conversation, each, `question ${at}`);
        assert.deepEqual(shownAsSent(conversation), sentNext(conversation));
      }),
    );
  });

  it('are copied into a fork with the other messages up to its turn', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(20), (steps, chosen) => {
        const conversation = new Conversation();
        for (const [at, each] of steps.entries()) play(conversation, each, `question ${at}`);
        const { turns } = conversation;
        const at = chosen % turns.length;
        const fork = conversation.forkAt(turns[at]?.id ?? '');
        assert.ok(fork);
        assert.deepEqual(fork.turns.map(listTexts), turns.slice(0, at + 1).map(listTexts));
        assert.deepEqual(conversation.turns, turns, 'the other chat is untouched');
      }),
    );
  });
});

describe('attempts at a reply', () => {
  it('are replaced in place by a retry if they are empty', () => {
    const conversation = new Conversation();
    const { id } = conversation.addQuestion(question('?'));
    conversation.finish(id, result({ kind: 'cancelled' }));
    const again = conversation.repeatQuestion(id, { ...settings, model: 'other' });
    assert.ok(again);
    assert.equal(conversation.turn(id), undefined);
    assert.deepEqual(conversation.tree.siblings(again.id), [again.id]);
    assert.equal(again.result, undefined);
    assert.deepEqual(
      conversation.turns.map((turn) => turn.question.model),
      ['other'],
    );
  });

  it('are not replaced by a retry if a part arrived', () => {
    const conversation = new Conversation();
    const { id } = conversation.addQuestion(question('?'));
    conversation.appendEvents(id, [{ type: 'text', choice, text: 'Half' }]);
    conversation.finish(id, result({ kind: 'cancelled' }));
    const again = conversation.repeatQuestion(id, settings);
    assert.ok(again);
    assert.deepEqual(conversation.tree.siblings(again.id), [id, again.id]);
    assert.deepEqual(conversation.omittedTurns, []);
  });

  it('are not listed as omitted while they arrive', () => {
    const conversation = new Conversation();
    conversation.addQuestion(question('?'));
    assert.deepEqual(conversation.omittedTurns, []);
  });
});

function play(conversation: Conversation, { arriving, outcome, again }: Step, text: string) {
  const { turns } = conversation;
  const earlier = again === null ? undefined : turns[again % Math.max(1, turns.length)];
  const turn = earlier
    ? conversation.repeatQuestion(earlier.id, settings)
    : conversation.addQuestion(question(text));
  assert.ok(turn);
  conversation.appendEvents(turn.id, arriving);
  conversation.finish(turn.id, result(outcome));
}

function shownAsSent(conversation: Conversation): readonly string[] {
  const omitted = new Set(conversation.omittedTurns.map(({ id }) => id));
  return conversation.turns
    .filter(({ id }) => !omitted.has(id))
    .flatMap(({ question, replies: [reply] }) => [question.text, reply ? replyText(reply) : '']);
}

function sentNext(conversation: Conversation): readonly string[] {
  return conversation.buildHistoryForNext(question('next')).messages.slice(0, -1).map(readText);
}

function listTexts({ question, replies }: Turn): readonly string[] {
  return [question.text, ...replies.map(replyText)];
}

function readText({ parts }: Message): string {
  return replyText({ parts, citations: [] });
}

function question(text: string): Question {
  return { text, images: [], ...settings };
}

function result(outcome: ChatResult['outcome']): ChatResult {
  return { outcome, requestId: 'request', requestedAt: new Date(0), totalMs: 1 };
}
