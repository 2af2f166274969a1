import assert from 'node:assert/strict';
import fc from 'fast-check';
import { maxCompared } from '../../../src/conversations/conversation/comparison.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../src/conversations/conversation/reply.ts';
import type { ReplyResult, ReplySettings, Turn } from '../../../src/conversations/conversation/turn.ts';
import { assertLinear } from '../../support/linearCost.ts';

const result: ReplyResult = {
  outcome: { kind: 'complete' },
  requestId: 'request',
  requestedAt: new Date(0),
  totalMs: 1,
};

const createSettings = (model: string): ReplySettings => ({
  model,
  format: 'chatCompletions',
  parameters: {},
});
const three = ['a', 'b', 'c'].map(createSettings);
const prompt = (text: string) => ({ text, images: [] });

function addReplies(conversation: Conversation, turns: readonly Turn[]): readonly string[] {
  return turns.map(({ id, question }) => {
    conversation.appendEvents(id, [{ type: 'text', choice: 0, text: `${question.text} ${question.model}` }]);
    conversation.finish(id, result);
    return id;
  });
}

function compared(): { readonly conversation: Conversation; readonly ends: readonly string[] } {
  const conversation = new Conversation();
  const turns = conversation.comparison.addQuestion(prompt('one?'), three, conversation.tree.head);
  return { conversation, ends: addReplies(conversation, turns) };
}

function columns({ comparison }: Conversation): readonly (readonly string[])[] {
  return comparison.columns.map((turns) => turns.flatMap(({ replies }) => replies.map(replyText)));
}

function sent(conversation: Conversation, id: string): readonly string[] {
  return conversation.buildHistory(id).messages.map(({ parts }) => replyText({ parts, citations: [] }));
}

describe('compared replies', () => {
  it('are siblings below one question, and the first one is on the path', () => {
    const { conversation, ends } = compared();
    assert.deepEqual(columns(conversation), [['one? a'], ['one? b'], ['one? c']]);
    assert.deepEqual(conversation.tree.siblings(ends[0] ?? ''), ends);
    assert.equal(conversation.tree.head, ends[0]);
    assert.equal(conversation.comparison.trunkLength, 0);
    assert.equal(conversation.comparison.sharedQuestion, conversation.turns[0]?.questionId);
  });

  it('continue separately: a further question is sent with the messages of its column', () => {
    const { conversation } = compared();
    const further = addReplies(conversation, conversation.comparison.addFollowUps(prompt('two?'), three));
    assert.deepEqual(columns(conversation)[1], ['one? b', 'two? b']);
    assert.deepEqual(sent(conversation, further[2] ?? ''), ['one?', 'one? c', 'two?']);
    assert.deepEqual(conversation.comparison.ends, further);
  });

  it('are hidden when another branch is shown, and shown again when that is removed', () => {
    const { conversation, ends } = compared();
    const [other] = addReplies(conversation, [
      conversation.addQuestion({ ...prompt('alone?'), ...createSettings('a') }),
    ]);
    assert.equal(conversation.comparison.isShown, false);
    conversation.remove(conversation.tree.parent(other ?? '') ?? '');
    assert.deepEqual(conversation.comparison.ends, ends);
  });

  it('can lose a column without losing its reply, and become one path when one column is left', () => {
    const { conversation, ends } = compared();
    conversation.comparison.close(ends[0] ?? '');
    assert.deepEqual(columns(conversation), [['one? b'], ['one? c']]);
    conversation.comparison.close(ends[2] ?? '');
    assert.equal(conversation.comparison.isShown, false);
    assert.equal(conversation.tree.head, ends[1]);
    assert.deepEqual(conversation.tree.siblings(ends[1] ?? ''), ends);
    assert.equal(conversation.comparison.showAlternatives(ends[1] ?? ''), true);
    assert.equal(columns(conversation).length, 3);
  });

  it('have only replies of the same model as alternatives', () => {
    const { conversation, ends } = compared();
    const again = conversation.repeatQuestion(ends[1] ?? '', createSettings('b'))?.id ?? '';
    conversation.comparison.replaceEnd(ends[1] ?? '', again);
    const { comparison } = conversation;
    assert.deepEqual(comparison.listAlternatives(again), [ends[1], again]);
    assert.deepEqual(comparison.listAlternatives(ends[0] ?? ''), [ends[0]]);
    assert.equal(comparison.chooseColumn(ends[1] ?? ''), again);
  });

  it('are restored without missing replies, and not at all if only one is left', () => {
    const { conversation, ends } = compared();
    const {
      messages,
      tree: { head },
    } = conversation;
    const stored = [...ends.slice(0, 2), 'gone', messages[0]?.id ?? ''];
    const restored = Conversation.restore(messages, head, stored);
    assert.deepEqual(columns(restored), [['one? a'], ['one? b']]);
    const alone = Conversation.restore(messages, head, ['gone', ends[0] ?? '']);
    assert.equal(alone.comparison.isShown, false);
  });

  it('P9 have columns and alternatives that are found in linear time in a long chat', () => {
    assertLinear(
      (turns) => {
        const conversation = new Conversation();
        for (let nth = 0; nth < turns; nth += 1) {
          const turn = conversation.addQuestion({ ...prompt('?'), ...createSettings('a') });
          addReplies(conversation, [turn]);
          const again = conversation.repeatQuestion(turn.id, createSettings('a'));
          if (again) addReplies(conversation, [again]);
        }
        conversation.comparison.addQuestion(prompt('all?'), three, conversation.tree.head);
        return conversation;
      },
      (conversation) => {
        conversation.comparison.close('none');
        for (const { id, firstReplyId } of conversation.turns) {
          conversation.comparison.listAlternatives(firstReplyId);
          conversation.comparison.getColumnEnd(id);
        }
      },
      500,
    );
  });

  it('are restored with one column for each branch', () => {
    const { conversation, ends } = compared();
    const further = addReplies(conversation, conversation.comparison.addFollowUps(prompt('two?'), three));
    const {
      messages,
      tree: { head },
    } = conversation;
    const stored = [...ends, ...further, ...further];
    const restored = Conversation.restore(messages, head, stored);
    assert.deepEqual(restored.comparison.ends, further);
  });
});

type Step = { readonly do: string; readonly which: number; readonly count: number };

const steps = fc.array(
  fc.record({
    do: fc.constantFrom(
      'ask',
      'compare',
      'followUp',
      'addReplies',
      'retry',
      'close',
      'showOnly',
      'showAlternatives',
      'show',
      'remove',
    ),
    which: fc.nat(20),
    count: fc.integer({ min: 2, max: maxCompared }),
  }),
  { maxLength: 40 },
);

describe('compared replies after any sequence of actions', () => {
  it('are complete, with siblings in order and one path for each column', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const conversation = new Conversation();
        const added: string[] = [];
        for (const each of all) {
          for (const id of conversation.messages.map((message) => message.id)) {
            if (!added.includes(id)) added.push(id);
          }
          const removed = performStep(conversation, each);
          check(
            conversation,
            added.filter((id) => !removed.includes(id)),
          );
          for (const id of removed) added.splice(added.indexOf(id), 1);
        }
      }),
    );
  });
});

/** @returns the ids of the removed messages */
function performStep(conversation: Conversation, { do: action, which, count }: Step): readonly string[] {
  const { comparison, turns } = conversation;
  const shown = [...turns, ...comparison.columns.flat()];
  const turn = shown[which % Math.max(1, shown.length)];
  const models = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, count).map(createSettings);
  const column = turn && comparison.getColumnEnd(turn.id);
  if (action === 'compare')
    addReplies(conversation, comparison.addQuestion(prompt('x?'), models, conversation.tree.head));
  else if (action === 'ask')
    addReplies(conversation, [conversation.addQuestion({ ...prompt('y?'), ...createSettings('a') })]);
  else if (action === 'followUp' && comparison.isShown) {
    addReplies(conversation, comparison.addFollowUps(prompt('z?'), comparison.models.map(createSettings)));
  } else if (!turn) return [];
  else if (action === 'addReplies' && comparison.ends.length < maxCompared) {
    addReplies(
      conversation,
      comparison.addReplies(turn.id, models.slice(0, maxCompared - Math.max(1, comparison.ends.length))),
    );
  } else if (action === 'retry') {
    const again = conversation.repeatQuestion(turn.id, createSettings(turn.question.model));
    if (again && column !== undefined) comparison.replaceEnd(column, again.id);
    addReplies(conversation, again ? [again] : []);
  } else if (action === 'close' && column !== undefined) comparison.close(column);
  else if (action === 'showOnly' && column !== undefined) comparison.showOnly(column);
  else if (action === 'showAlternatives') comparison.showAlternatives(turn.firstReplyId);
  else if (action === 'show') {
    const replies = conversation.tree.siblings(turn.firstReplyId);
    const other = replies[which % replies.length] ?? '';
    const into = comparison.chooseColumn(other);
    if (into === undefined) conversation.show(other);
    else comparison.show(into, other);
  } else if (action === 'remove') return conversation.remove(turn.questionId);
  return [];
}

function check(conversation: Conversation, there: readonly string[]): void {
  for (const id of there) assert.ok(conversation.tree.has(id), 'no message is lost');
  const order = conversation.messages.map(({ id }) => id);
  for (const id of order) {
    const places = conversation.tree.siblings(id).map((each) => order.indexOf(each));
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
    );
  }
  const { comparison } = conversation;
  const { ends, columns: shown, trunkLength } = comparison;
  assert.ok(ends.length === 0 || (ends.length > 1 && ends.length <= maxCompared));
  if (ends.length === 0) return;
  assert.ok(ends.includes(conversation.tree.head ?? ''));
  assert.equal(new Set(ends).size, ends.length);
  for (const [at, turns] of shown.entries()) {
    assert.equal(turns.at(-1)?.id, ends[at]);
    const allTurns = [...conversation.turns.slice(0, trunkLength), ...turns];
    const texts = allTurns.flatMap(({ question, replies }) => [question.text, ...replies.map(replyText)]);
    assert.deepEqual(sent(conversation, ends[at] ?? ''), texts.slice(0, -1));
  }
  assert.equal(new Set(shown.map((turns) => turns.map(({ id }) => id).join())).size, shown.length);
  const restored = Conversation.restore(conversation.messages, conversation.tree.head, ends);
  assert.deepEqual(restored.comparison.ends, ends);
}
