import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import type { RestoredMessage } from '../../../src/conversations/conversation/messages.ts';
import { createOutline, type OutlineItem } from '../../../src/conversations/conversation/outline.ts';
import type { Turn } from '../../../src/conversations/conversation/turn.ts';
import { assertLinear } from '../../support/linearCost.ts';

const replySettings = { model: 'model', format: 'messages', parameters: {} } as const;
const complete: ChatResult = {
  outcome: { kind: 'complete' },
  requestId: 'r',
  requestedAt: new Date(7),
  totalMs: 3,
};

describe('the outline of a conversation', () => {
  let chat: Conversation;

  beforeEach(() => {
    chat = new Conversation();
  });

  function question(text: string) {
    return { ...replySettings, text, images: [] };
  }

  function answered(turn: Turn | undefined, text: string): string {
    assert.ok(turn);
    chat.appendEvents(turn.id, [{ type: 'text', choice: 0, text }]);
    chat.finish(turn.id, complete);
    return turn.id;
  }

  function ask(text: string): string {
    return answered(chat.addQuestion(question(text)), text.toUpperCase());
  }

  /** Each item as a line: `*` on the path, its place among alternatives, its words. */
  function lines(items = createOutline(chat), indent = ''): readonly string[] {
    return items.flatMap((item) => [
      `${indent}${item.isShown ? '*' : ' '} ${item.count > 1 ? `${item.number}/${item.count} ` : ''}${item.excerpt}`,
      ...lines(item.items, `${indent}  `),
    ]);
  }

  it('is one list of questions with their replies if there are no branches', () => {
    ask('one');
    ask('two');
    assert.deepEqual(lines(), ['* one', '  * ONE', '* two', '  * TWO']);
  });

  it('is limited for deeply nested branches, which only a file can have', () => {
    const messages: RestoredMessage[] = [];
    let parent: string | undefined;
    for (let nth = 0; nth < 6000; nth += 1) {
      messages.push(
        { id: `leaf ${nth}`, parent, content: { text: 'leaf', images: [] } },
        { id: `question ${nth}`, parent, content: { text: 'on', images: [] } },
        {
          id: `answer ${nth}`,
          parent: `question ${nth}`,
          content: { settings: replySettings, result: complete, replies: [] },
        },
      );
      parent = `answer ${nth}`;
    }
    chat = Conversation.restore(messages, 'leaf 0');
    const listed = lines().length;
    assert.ok(listed > 200 && listed < 400, `${listed}`);
    chat.show('leaf 5999');
    assert.equal(createOutline(chat).length, 12_000, 'each is listed once it is shown');
  });

  it('lists the shown path on one level, and alternatives in order with their later messages inside', () => {
    const one = ask('one');
    const two = ask('two');
    answered(chat.repeatQuestion(one, replySettings), 'UNO');
    ask('due');
    answered(chat.editQuestion(chat.lastTurn?.id ?? '', question('dos')), 'DOS');
    ask('tres');
    assert.deepEqual(lines(), [
      '* one',
      '    1/2 ONE',
      '      two',
      '        TWO',
      '  * 2/2 UNO',
      '  1/2 due',
      '    DUE',
      '* 2/2 dos',
      '  * DOS',
      '* tres',
      '  * TRES',
    ]);
    chat.show(two);
    assert.deepEqual(lines(), [
      '* one',
      '  * 1/2 ONE',
      '    2/2 UNO',
      '      1/2 due',
      '        DUE',
      '      2/2 dos',
      '        DOS',
      '      tres',
      '        TRES',
      '* two',
      '  * TWO',
    ]);
  });

  it('shows a continued reply as one item', () => {
    const one = ask('one');
    answered(chat.continueReply(one, replySettings), ' and more');
    ask('two');
    assert.deepEqual(lines(), ['* one', '  * ONE', '* two', '  * TWO']);
  });

  it('contains every message once, and marks arriving ones', () => {
    const one = ask('one');
    const arriving = chat.repeatQuestion(one, replySettings);
    const all = (items: readonly OutlineItem[]): readonly OutlineItem[] =>
      items.flatMap((item) => [item, ...all(item.items)]);
    const items = all(createOutline(chat));
    assert.equal(items.length, 3);
    assert.deepEqual(
      items.filter(({ state }) => state === 'arriving').map(({ id }) => id),
      [arriving?.id],
    );
  });

  it('marks a reply that is arriving in another window', () => {
    const one = ask('one');
    const { settings, replies, result = complete } = chat.reply(one) ?? assert.fail();
    const content = { settings, replies, result, unfinished: 'elsewhere' } as const;
    chat.mergeChanges([{ id: one, parent: chat.tree.parent(one), content, lastChild: undefined }], one, []);
    assert.equal(createOutline(chat)[0]?.items[0]?.state, 'arriving');
  });

  it('is built in linear time for messages in a row and for alternatives', () => {
    const row = (n: number) => {
      chat = new Conversation();
      for (let nth = 0; nth < n; nth += 1) ask('one');
      return chat;
    };
    assertLinear(row, createOutline, 2000);
    const branched = (n: number) => {
      chat = new Conversation();
      const one = ask('one');
      for (let nth = 0; nth < n; nth += 1) answered(chat.repeatQuestion(one, replySettings), 'more');
      return chat;
    };
    assertLinear(branched, createOutline, 500);
  }).timeout(30_000);
});
