import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { joinedResult } from '../../../src/conversations/conversation/joinedResult.ts';
import { textOf } from '../../../src/conversations/conversation/reply.ts';
import type { Question, ReplyResult, Turn } from '../../../src/conversations/conversation/turn.ts';
import { chatCost } from '../../../src/conversations/cost/chatCost.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../src/wire/failure.ts';

const how = { model: 'model', format: 'chatCompletions', parameters: {} } as const;
const other = { model: 'other', format: 'messages', parameters: {} } as const;

function question(text: string): Question {
  return { text, images: [], ...how };
}

function answered(conversation: Conversation, turn: Turn | undefined, text: string): string {
  assert.ok(turn);
  if (text !== '') conversation.apply(turn.id, [{ type: 'text', choice: 0, text }]);
  conversation.finish(turn.id, ended('complete'));
  return turn.id;
}

function ended(kind: 'complete' | 'truncated' | 'cancelled'): ChatResult {
  return { outcome: { kind }, requestId: 'request', requestedAt: new Date(0), totalMs: 1 };
}

function shown(conversation: Conversation): readonly string[] {
  return conversation.turns.flatMap((turn) => [turn.question.text, ...turn.replies.map(textOf)]);
}

function sent(conversation: Conversation, id: string): readonly string[] {
  return conversation.historyFor(id).messages.map(({ parts }) => textOf({ parts, citations: [] }));
}

describe('the branches of a conversation', () => {
  it('begin at an earlier answer that is asked for again: what followed it is kept on its own branch', () => {
    const conversation = new Conversation();
    const one = answered(conversation, conversation.ask(question('one?')), 'One.');
    answered(conversation, conversation.ask(question('two?')), 'Two.');
    const again = answered(conversation, conversation.askAgain(one, other), 'Uno.');
    assert.deepEqual(shown(conversation), ['one?', 'Uno.']);
    conversation.show(one);
    assert.deepEqual(shown(conversation), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(conversation.siblings(one), [one, again]);
  });

  it('begin at a question that is edited, from the very first one too', () => {
    const conversation = new Conversation();
    const one = answered(conversation, conversation.ask(question('one?')), 'One.');
    const edited = answered(conversation, conversation.editQuestion(one, question('eins?')), 'Eins.');
    assert.deepEqual(shown(conversation), ['eins?', 'Eins.']);
    assert.deepEqual(sent(conversation, edited), ['eins?']);
    const questions = conversation.siblings(conversation.turn(edited)?.questionId ?? '');
    assert.deepEqual(questions, [conversation.turn(one)?.questionId, conversation.turn(edited)?.questionId]);
    conversation.show(questions[0] ?? '');
    assert.deepEqual(shown(conversation), ['one?', 'One.']);
  });

  it('begin at an answer that is edited, with which the chat goes on', () => {
    const conversation = new Conversation();
    const one = answered(conversation, conversation.ask(question('one?')), 'One.');
    const edited = conversation.editAnswer(one, 'Mine.');
    assert.deepEqual(conversation.siblings(one), [one, edited?.id]);
    const next = conversation.ask(question('two?'));
    assert.deepEqual(sent(conversation, next.id), ['one?', 'Mine.', 'two?']);
    assert.equal(conversation.editAnswer(next.id, 'Too early.'), undefined);
  });

  it('are removed with all that follows, and a sibling is shown', () => {
    const conversation = new Conversation();
    const one = answered(conversation, conversation.ask(question('one?')), 'One.');
    answered(conversation, conversation.askAgain(one, other), 'Uno.');
    const next = answered(conversation, conversation.ask(question('two?')), 'Two.');
    const second = conversation.siblings(one)[1] ?? '';
    assert.equal(conversation.remove(second).length, 3);
    assert.deepEqual(shown(conversation), ['one?', 'One.']);
    assert.equal(conversation.turn(next), undefined);
  });
});

describe('an answer that is continued', () => {
  it('is read as one and kept as two, and goes along as one message', () => {
    const conversation = new Conversation();
    const { id } = conversation.ask(question('one?'));
    conversation.apply(id, [{ type: 'text', choice: 0, text: 'Hal' }]);
    conversation.finish(id, ended('truncated'));
    const more = conversation.continueAnswer(id, other);
    assert.ok(more);
    assert.deepEqual(sent(conversation, more.id).slice(0, 2), ['one?', 'Hal']);
    answered(conversation, more, 'f.');
    assert.deepEqual(shown(conversation), ['one?', 'Half.']);
    assert.equal(conversation.turns.length, 1);
    assert.equal(conversation.turn(id)?.result?.outcome.kind, 'truncated');
    assert.deepEqual(
      conversation.historyFor(more.id, 'prefix').messages.map(({ role }) => role),
      ['user', 'assistant'],
    );
    assert.equal(conversation.continuedText(more.id), 'Hal');
    assert.equal(conversation.continuedText(id), undefined);
    const next = conversation.ask(question('two?'));
    assert.deepEqual(sent(conversation, next.id), ['one?', 'Half.', 'two?']);
  });

  it('has the figures of all its parts together', () => {
    const conversation = new Conversation();
    const part = (kind: 'complete' | 'truncated' | 'cancelled', more: Partial<ReplyResult> = {}) => ({
      ...ended(kind),
      ...{ totalMs: 100, firstTokenMs: 20, usage: { inputTokens: 10, outputTokens: 5 } },
      ...more,
    });
    const { id } = conversation.ask(question('one?'));
    conversation.apply(id, [{ type: 'text', choice: 0, text: 'Ha' }]);
    conversation.finish(id, part('truncated', { cost: { usd: 1, source: 'gateway' } }));
    const second = conversation.continueAnswer(id, how) ?? assert.fail();
    assert.equal(conversation.turn(second.id)?.result, undefined);
    conversation.apply(second.id, [{ type: 'text', choice: 0, text: 'l' }]);
    conversation.finish(second.id, part('truncated', { cost: { usd: 2, source: 'listed-price' } }));
    const third = conversation.continueAnswer(second.id, other) ?? assert.fail();
    conversation.apply(third.id, [{ type: 'text', choice: 0, text: 'f' }]);
    conversation.finish(
      third.id,
      part('complete', { cost: { usd: 4, source: 'gateway' }, firstTokenMs: 50 }),
    );
    const { result } = conversation.turn(third.id) ?? assert.fail();
    assert.deepEqual(result, {
      ...ended('complete'),
      ...{ totalMs: 300, firstTokenMs: 20, writingMs: 210 },
      usage: { inputTokens: 30, outputTokens: 15 },
      cost: { usd: 7, source: 'listed-price' },
    });
    assert.deepEqual(shown(conversation), ['one?', 'Half']);
    assert.equal(chatCost(conversation.messages).usd, 7);
  });

  it('has at least the figures of those parts that told theirs, and none of what was refused', () => {
    const known = { ...ended('complete'), usage: { outputTokens: 5 } };
    const { isLeast, usage } = joinedResult([ended('cancelled'), known]) ?? {};
    assert.deepEqual([isLeast, usage], [true, { outputTokens: 5 }]);
    const error = new GatewayError({
      ...{ kind: 'invalid-parameters', explanation: explain('gateway-failed', { httpStatus: 400 }) },
      ...{ status: 400, requestId: 'r', requestedAt: new Date(0) },
    });
    const refused = { ...ended('complete'), outcome: { kind: 'failed', error } } as const;
    const whole = joinedResult([known, refused, known]);
    assert.deepEqual([whole?.isLeast, whole?.usage], [undefined, { outputTokens: 10 }]);
    assert.equal(joinedResult([known, undefined]), undefined);
    assert.equal(joinedResult([known]), known);
    const flex = { ...known, serviceTier: 'flex' };
    assert.equal(joinedResult([flex, refused, flex])?.serviceTier, 'flex');
    assert.equal(
      joinedResult([known, flex])?.serviceTier,
      undefined,
      'which is not how all of it was processed',
    );
  });

  it('is asked for again from its question', () => {
    const conversation = new Conversation();
    const id = answered(conversation, conversation.ask(question('one?')), 'Hal');
    const more = answered(conversation, conversation.continueAnswer(id, how), 'f.');
    const again = conversation.askAgain(more, how);
    assert.ok(again);
    assert.deepEqual(conversation.siblings(again.id), [id, again.id]);
    assert.deepEqual(sent(conversation, again.id), ['one?']);
  });

  it('goes on again in place when nothing of the continuation came', () => {
    const conversation = new Conversation();
    const id = answered(conversation, conversation.ask(question('one?')), 'Hal');
    const more = answered(conversation, conversation.continueAnswer(id, how), '');
    const again = conversation.askAgain(more, how);
    assert.deepEqual(conversation.siblings(again?.id ?? ''), [again?.id]);
    assert.deepEqual(sent(conversation, again?.id ?? '').slice(0, 2), ['one?', 'Hal']);
    assert.deepEqual(shown(conversation), ['one?', 'Hal']);
  });

  it('is none without text to go on from', () => {
    const conversation = new Conversation();
    const id = answered(conversation, conversation.ask(question('one?')), '');
    assert.equal(conversation.continueAnswer(id, how), undefined);
  });
});
