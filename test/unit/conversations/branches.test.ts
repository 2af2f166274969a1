import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { sumChatCost } from '../../../src/conversations/conversation/cost.ts';
import { joinResults } from '../../../src/conversations/conversation/joinedResult.ts';
import { replyText } from '../../../src/conversations/conversation/reply.ts';
import type { Question, ReplyResult, Turn } from '../../../src/conversations/conversation/turn.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../src/wire/failures/gatewayError.ts';

const settings = { model: 'model', format: 'chatCompletions', parameters: {} } as const;
const other = { model: 'other', format: 'messages', parameters: {} } as const;

function question(text: string): Question {
  return { text, images: [], ...settings };
}

function answered(conversation: Conversation, turn: Turn | undefined, text: string): string {
  assert.ok(turn);
  if (text !== '') conversation.appendEvents(turn.id, [{ type: 'text', choice: 0, text }]);
  conversation.finish(turn.id, ended('complete'));
  return turn.id;
}

function ended(kind: 'complete' | 'truncated' | 'cancelled'): ChatResult {
  return { outcome: { kind }, requestId: 'request', requestedAt: new Date(0), totalMs: 1 };
}

function shown(conversation: Conversation): readonly string[] {
  return conversation.turns.flatMap((turn) => [turn.question.text, ...turn.replies.map(replyText)]);
}

function sent(conversation: Conversation, id: string): readonly string[] {
  return conversation.buildHistory(id).messages.map(({ parts }) => replyText({ parts, citations: [] }));
}

describe('the branches of a conversation', () => {
  it('start at a retried reply, whose later messages stay on their own branch', () => {
    const conversation = new Conversation();
    const one = answered(conversation, conversation.addQuestion(question('one?')), 'One.');
    answered(conversation, conversation.addQuestion(question('two?')), 'Two.');
    const again = answered(conversation, conversation.repeatQuestion(one, other), 'Uno.');
    assert.deepEqual(shown(conversation), ['one?', 'Uno.']);
    conversation.show(one);
    assert.deepEqual(shown(conversation), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(conversation.tree.siblings(one), [one, again]);
  });

  it('start at an edited question, even the first one', () => {
    const conversation = new Conversation();
    const one = answered(conversation, conversation.addQuestion(question('one?')), 'One.');
    const edited = answered(conversation, conversation.editQuestion(one, question('eins?')), 'Eins.');
    assert.deepEqual(shown(conversation), ['eins?', 'Eins.']);
    assert.deepEqual(sent(conversation, edited), ['eins?']);
    const questions = conversation.tree.siblings(conversation.turn(edited)?.questionId ?? '');
    assert.deepEqual(questions, [conversation.turn(one)?.questionId, conversation.turn(edited)?.questionId]);
    conversation.show(questions[0] ?? '');
    assert.deepEqual(shown(conversation), ['one?', 'One.']);
  });

  it('start at an edited reply, and the chat continues with it', () => {
    const conversation = new Conversation();
    const one = answered(conversation, conversation.addQuestion(question('one?')), 'One.');
    const edited = conversation.editReply(one, 'Mine.');
    assert.deepEqual(conversation.tree.siblings(one), [one, edited?.id]);
    const next = conversation.addQuestion(question('two?'));
    assert.deepEqual(sent(conversation, next.id), ['one?', 'Mine.', 'two?']);
    assert.equal(conversation.editReply(next.id, 'Too early.'), undefined);
  });

  it('are removed with all later messages, and a sibling is shown', () => {
    const conversation = new Conversation();
    const one = answered(conversation, conversation.addQuestion(question('one?')), 'One.');
    answered(conversation, conversation.repeatQuestion(one, other), 'Uno.');
    const next = answered(conversation, conversation.addQuestion(question('two?')), 'Two.');
    const second = conversation.tree.siblings(one)[1] ?? '';
    assert.equal(conversation.remove(second).length, 3);
    assert.deepEqual(shown(conversation), ['one?', 'One.']);
    assert.equal(conversation.turn(next), undefined);
  });
});

describe('a continued reply', () => {
  it('is shown and sent as one message, but stored as two', () => {
    const conversation = new Conversation();
    const { id } = conversation.addQuestion(question('one?'));
    conversation.appendEvents(id, [{ type: 'text', choice: 0, text: 'Hal' }]);
    conversation.finish(id, ended('truncated'));
    const more = conversation.continueReply(id, other);
    assert.ok(more);
    assert.deepEqual(sent(conversation, more.id).slice(0, 2), ['one?', 'Hal']);
    answered(conversation, more, 'f.');
    assert.deepEqual(shown(conversation), ['one?', 'Half.']);
    assert.equal(conversation.turns.length, 1);
    assert.equal(conversation.turn(id)?.result?.outcome.kind, 'truncated');
    assert.deepEqual(
      conversation.buildHistory(more.id, 'prefix').messages.map(({ role }) => role),
      ['user', 'assistant'],
    );
    assert.equal(conversation.readContinuedText(more.id), 'Hal');
    assert.equal(conversation.readContinuedText(id), undefined);
    const next = conversation.addQuestion(question('two?'));
    assert.deepEqual(sent(conversation, next.id), ['one?', 'Half.', 'two?']);
  });

  it('has the sums of the figures of its parts', () => {
    const conversation = new Conversation();
    const part = (kind: 'complete' | 'truncated' | 'cancelled', more: Partial<ReplyResult> = {}) => ({
      ...ended(kind),
      totalMs: 100,
      firstTokenMs: 20,
      usage: { inputTokens: 10, outputTokens: 5 },
      ...more,
    });
    const { id } = conversation.addQuestion(question('one?'));
    conversation.appendEvents(id, [{ type: 'text', choice: 0, text: 'Ha' }]);
    conversation.finish(id, part('truncated', { cost: { usd: 1, source: 'gateway' } }));
    const second = conversation.continueReply(id, settings) ?? assert.fail();
    assert.equal(conversation.turn(second.id)?.result, undefined);
    conversation.appendEvents(second.id, [{ type: 'text', choice: 0, text: 'l' }]);
    conversation.finish(second.id, part('truncated', { cost: { usd: 2, source: 'listed-price' } }));
    const third = conversation.continueReply(second.id, other) ?? assert.fail();
    conversation.appendEvents(third.id, [{ type: 'text', choice: 0, text: 'f' }]);
    conversation.finish(
      third.id,
      part('complete', { cost: { usd: 4, source: 'gateway' }, firstTokenMs: 50 }),
    );
    const { result } = conversation.turn(third.id) ?? assert.fail();
    assert.deepEqual(result, {
      ...ended('complete'),
      totalMs: 300,
      firstTokenMs: 20,
      writingMs: 210,
      usage: { inputTokens: 30, outputTokens: 15 },
      cost: { usd: 7, source: 'listed-price' },
    });
    assert.deepEqual(shown(conversation), ['one?', 'Half']);
    assert.equal(sumChatCost(conversation.messages).usd, 7);
  });

  it('has figures that are a lower limit if a part has none, and ignores refused parts', () => {
    const known = { ...ended('complete'), usage: { outputTokens: 5 } };
    const { isLowerBound, usage } = joinResults([ended('cancelled'), known]) ?? {};
    assert.deepEqual([isLowerBound, usage], [true, { outputTokens: 5 }]);
    const error = new GatewayError({
      kind: 'invalid-parameters',
      explanation: explain('gateway-failed', { httpStatus: 400 }),
      status: 400,
      requestId: 'r',
      requestedAt: new Date(0),
    });
    const refused = { ...ended('complete'), outcome: { kind: 'failed', error } } as const;
    const joined = joinResults([known, refused, known]);
    assert.deepEqual([joined?.isLowerBound, joined?.usage], [undefined, { outputTokens: 10 }]);
    assert.equal(joinResults([known, undefined]), undefined);
    assert.equal(joinResults([known]), known);
    const instant = { ...known, firstTokenMs: 0, totalMs: 4 };
    assert.equal(joinResults([instant, instant])?.writingMs, 8);
    const flex = { ...known, serviceTier: 'flex' };
    assert.equal(joinResults([flex, refused, flex])?.serviceTier, 'flex');
    assert.equal(
      joinResults([known, flex])?.serviceTier,
      undefined,
      'the parts have different service tiers',
    );
  });

  it('is retried from its question', () => {
    const conversation = new Conversation();
    const id = answered(conversation, conversation.addQuestion(question('one?')), 'Hal');
    const more = answered(conversation, conversation.continueReply(id, settings), 'f.');
    const again = conversation.repeatQuestion(more, settings);
    assert.ok(again);
    assert.deepEqual(conversation.tree.siblings(again.id), [id, again.id]);
    assert.deepEqual(sent(conversation, again.id), ['one?']);
  });

  it('is continued again in place if the continuation is empty', () => {
    const conversation = new Conversation();
    const id = answered(conversation, conversation.addQuestion(question('one?')), 'Hal');
    const more = answered(conversation, conversation.continueReply(id, settings), '');
    const again = conversation.repeatQuestion(more, settings);
    assert.deepEqual(conversation.tree.siblings(again?.id ?? ''), [again?.id]);
    assert.deepEqual(sent(conversation, again?.id ?? '').slice(0, 2), ['one?', 'Hal']);
    assert.deepEqual(shown(conversation), ['one?', 'Hal']);
  });

  it('is not created for a reply without text', () => {
    const conversation = new Conversation();
    const id = answered(conversation, conversation.addQuestion(question('one?')), '');
    assert.equal(conversation.continueReply(id, settings), undefined);
  });
});
