import assert from 'node:assert/strict';
import type { ChatResult } from '../../src/client/types.ts';
import { Conversation } from '../../src/conversations/conversation/conversation.ts';
import type { Question } from '../../src/conversations/conversation/turn.ts';
import { createTurnViews } from '../../src/host/chat/view/turnViews.ts';
import { explain } from '../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../src/wire/failures/gatewayError.ts';

const question: Question = {
  text: '?',
  images: [],
  model: 'model',
  format: 'chatCompletions',
  parameters: {},
};

describe('the notice and the figures under a reply', () => {
  it('name a content filter, and offer to edit the question or to choose another model', () => {
    const { notice, figures } = createView('Half', { endReason: 'content-filter', finishReason: 'SAFETY' });
    assert.equal(notice?.title, 'Stopped by the provider’s content filter');
    assert.deepEqual(
      notice?.buttons.map(({ action }) => action),
      ['edit', 'choose-model', 'again'],
    );
    assert.deepEqual([figures.end, figures.finishReason], ['content filter', 'SAFETY']);
  });

  it('offer to retry any failure, after the remedies', () => {
    const error = new GatewayError({
      kind: 'model-unavailable',
      explanation: explain('model-unavailable', { httpStatus: 404 }),
      requestedAt: new Date(0),
      requestId: 'r',
    });
    const { notice } = createView('', { outcome: { kind: 'failed', error } });
    assert.deepEqual(
      notice?.buttons.map(({ action }) => action),
      [
        'choose-model',
        'again',
        'choose-format',
        'refresh-models',
        'open-request',
        'copy-details',
        'open-help',
      ],
    );
  });

  it('offer to continue if there is text, otherwise the parameters with the limit', () => {
    const cut = (text: string) => createView(text, { outcome: { kind: 'truncated' } }).notice;
    const offered = (text: string) => cut(text)?.buttons.map(({ action }) => action);
    assert.deepEqual(offered('Half'), ['continue', 'again']);
    assert.deepEqual(offered(''), ['open-parameters', 'again']);
    assert.match(cut('')?.detail ?? '', /Raise the output limit/);
  });

  it('show in a word how the reply ended', () => {
    const end = (result: Partial<ChatResult>) => createView('Text', result).figures.end;
    assert.equal(end({}), 'complete');
    assert.equal(end({ endReason: 'tool-calls' }), 'tool call');
    assert.equal(end({ outcome: { kind: 'truncated' } }), 'output limit');
    assert.equal(end({ outcome: { kind: 'cancelled' } }), 'stopped');
  });

  it('do not show a speed for a reply that is too short or was stopped', () => {
    const speed = (tokens: number, result: Partial<ChatResult> = {}) =>
      createView('Text', { usage: { outputTokens: tokens }, firstTokenMs: 500, totalMs: 2500, ...result })
        .figures.tokensPerSecond;
    assert.equal(speed(100), 50);
    assert.equal(speed(1), undefined);
    assert.equal(speed(100, { totalMs: 510 }), undefined);
    assert.equal(speed(100, { outcome: { kind: 'cancelled' } }), undefined);
  });

  it('do not show a duration for an imported reply of unknown duration', () => {
    assert.equal(createView('Text', { totalMs: 0 }).figures.totalMs, undefined);
    assert.equal(createView('Text', { totalMs: 7 }).figures.totalMs, 7);
  });

  it('mark the tokens of a stopped reply as partial', () => {
    const partial = (result: Partial<ChatResult>) =>
      createView('Text', { usage: { outputTokens: 1 }, ...result }).figures.isOutputPartial;
    assert.equal(partial({ outcome: { kind: 'cancelled' } }), true);
    assert.equal(partial({ outcome: { kind: 'truncated' } }), undefined);
    assert.equal(partial({}), undefined);
  });

  it('list the omitted content once, and again when it changes', () => {
    const conversation = new Conversation();
    const call = explain('omitted-unanswered-call');
    const reasoning = explain('omitted-reasoning-of-another');
    for (const omitted of [[call], [call], [call, reasoning], [], [call]]) {
      conversation.setOmitted(conversation.addQuestion(question).id, omitted);
    }
    assert.deepEqual(
      createTurnViews(conversation).map(({ omitted }) => omitted.length),
      [1, 0, 2, 0, 1],
    );
  });
});

function createView(text: string, result: Partial<ChatResult>) {
  const conversation = new Conversation();
  const { id } = conversation.addQuestion(question);
  conversation.appendEvents(id, [{ type: 'text', choice: 0, text }]);
  const end = {
    outcome: { kind: 'complete' },
    requestId: 'r',
    requestedAt: new Date(0),
    totalMs: 1,
  } as const;
  conversation.finish(id, { ...end, ...result });
  const [turn] = createTurnViews(conversation);
  assert.ok(turn);
  return turn;
}
