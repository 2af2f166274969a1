import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { textOf } from '../../../src/conversations/conversation/reply.ts';
import type { Question, Turn } from '../../../src/conversations/conversation/turn.ts';
import { ConversationService } from '../../../src/conversations/conversationService.ts';
import { DeletedMessages } from '../../../src/host/chat/deletedMessages.ts';
import { type ChatOwner, KeptChat } from '../../../src/host/chat/keptChat.ts';
import { StoreFolder } from '../../support/conversationStores.ts';

const how = { model: 'model', format: 'messages', parameters: {} } as const;
const complete: ChatResult = {
  ...{ outcome: { kind: 'complete' }, requestId: 'r', requestedAt: new Date(7), totalMs: 3 },
};

function question(text: string): Question {
  return { text, images: [], ...how };
}

/** A chat in a window of its own. */
class Window implements ChatOwner {
  readonly service: ConversationService;
  readonly paths: number[] = [];
  isStreaming = false;
  readonly facts = () => ({});
  readonly keepingChanged = () => undefined;
  readonly pathChanged = (kept: number) => void this.paths.push(kept);

  constructor(file: string) {
    this.service = new ConversationService({ file, onNotice: () => assert.fail(), onError: assert.ifError });
  }

  begin(): KeptChat {
    const conversation = new Conversation();
    return new KeptChat({ conversation, keep: (links) => this.service.keep(conversation, links) }, this);
  }

  async reopen({ keeper }: KeptChat): Promise<KeptChat> {
    return new KeptChat((await this.service.reopen(keeper.id)) ?? assert.fail(), this);
  }

  /** Sees what other windows did. */
  async notice(chat: KeptChat): Promise<void> {
    (await this.service.store()).noticeOthers();
    while (this.isReading(chat)) await new Promise(setImmediate);
  }

  private isReading(chat: KeptChat): boolean {
    return !this.isStreaming && chat.isBehind;
  }
}

describe('a chat that is open in two windows', () => {
  let folder: StoreFolder;
  let first: Window;
  let second: Window;
  let here: KeptChat;
  let there: KeptChat;
  let one: string;

  beforeEach(async () => {
    folder = new StoreFolder();
    first = new Window(folder.file);
    second = new Window(folder.file);
    here = first.begin();
    one = await answer(here, here.conversation.ask(question('one?')), 'One.');
    there = await second.reopen(here);
  });

  afterEach(async () => {
    await Promise.all([first.service.dispose(), second.service.dispose()]);
    folder.remove();
  });

  async function arrive({ conversation, keeper }: KeptChat, turn: Turn | undefined, text: string) {
    assert.ok(turn);
    await keeper.asked([turn]);
    const events = [{ type: 'text', choice: 0, text }] as const;
    conversation.apply(turn.id, events);
    keeper.arrived(turn.id, events);
    await keeper.flush();
    return turn.id;
  }

  async function end({ conversation, keeper }: KeptChat, id: string): Promise<void> {
    conversation.finish(id, complete);
    await keeper.ended(id, complete);
  }

  async function answer(chat: KeptChat, turn: Turn | undefined, text: string): Promise<string> {
    const id = await arrive(chat, turn, text);
    await end(chat, id);
    return id;
  }

  const shown = ({ conversation }: KeptChat) =>
    conversation.turns.flatMap((turn) => [turn.question.text, ...turn.replies.map(textOf)]);

  it('goes on in both, from the end that both show', async () => {
    await answer(here, here.conversation.ask(question('two?')), 'Two.');
    await second.notice(there);
    assert.deepEqual(shown(there), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(second.paths, [1], 'only what is new travels to the page');
    await answer(there, there.conversation.ask(question('three?')), 'Three.');
    await first.notice(here);
    assert.deepEqual(shown(here), ['one?', 'One.', 'two?', 'Two.', 'three?', 'Three.']);
  });

  it('keeps the reply of the other one that is asked again here before anything of it came', async () => {
    const turn = here.conversation.ask(question('two?'));
    await here.keeper.asked([turn]);
    await second.notice(there);
    const again = there.conversation.askAgain(turn.id, turn.question) ?? assert.fail();
    await there.keeper.asked([again], there.conversation.turn(turn.id) ? undefined : turn.id);
    here.conversation.apply(turn.id, [{ type: 'text', choice: 0, text: 'Two.' }]);
    await end(here, turn.id);
    await first.notice(here);
    assert.deepEqual(shown(here), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(here.conversation.siblings(turn.id), [turn.id, again.id]);
  });

  it('shows in the other what arrives, and how it ended', async () => {
    const id = await arrive(here, here.conversation.ask(question('two?')), 'Tw');
    await second.notice(there);
    assert.deepEqual(shown(there).slice(2), ['two?', 'Tw']);
    assert.equal(there.conversation.last?.unfinished, 'elsewhere');
    here.conversation.apply(id, [{ type: 'text', choice: 0, text: 'o.' }]);
    await end(here, id);
    await second.notice(there);
    assert.deepEqual(shown(there).slice(2), ['two?', 'Two.']);
    assert.equal(there.conversation.last?.unfinished, undefined);
    assert.equal(there.conversation.last?.result?.outcome.kind, 'complete');
  });

  it('learns at the end of its own reply what another window did meanwhile', async () => {
    second.isStreaming = true;
    const turn = there.conversation.ask(question('mine?'));
    await there.keeper.asked([turn]);
    await answer(here, here.conversation.ask(question('yours?')), 'Yours.');
    await second.notice(there);
    assert.deepEqual(second.paths, []);
    await end(there, turn.id);
    second.isStreaming = false;
    await there.catchUp();
    assert.deepEqual(shown(there).slice(2), ['mine?', ''], 'the path stays');
    assert.equal(there.conversation.siblings(turn.questionId).length, 2);
  });

  it('stays on its branch, with the other one beside it', async () => {
    await answer(there, there.conversation.askAgain(one, how), 'Uno.');
    await first.notice(here);
    assert.deepEqual(shown(here), ['one?', 'One.']);
    assert.equal(here.conversation.siblings(one).length, 2);
    assert.deepEqual(first.paths, [0]);
  });

  describe('of which messages are deleted', () => {
    let deleted: DeletedMessages;
    let uno: string;
    let third: string;

    /** Three answers to the first question; below the second one another exchange. */
    beforeEach(async () => {
      deleted = new DeletedMessages(() => here);
      uno = await answer(here, here.conversation.askAgain(one, how), 'Uno.');
      await answer(here, here.conversation.ask(question('two?')), 'Two.');
      third = await answer(here, here.conversation.askAgain(uno, how), 'Un.');
      here.conversation.show(uno);
      here.keeper.shown(uno);
      await second.notice(there);
      there.conversation.show(uno);
    });

    const sent = ({ conversation }: KeptChat) =>
      conversation.historyForNext(question('next?')).messages.map(({ parts }) => JSON.stringify(parts));

    async function settled(): Promise<void> {
      await here.keeper.flush();
      await first.notice(here);
      await second.notice(there);
    }

    it('shows the next one instead in both windows, and all of it in its place again after Undo', async () => {
      const before = sent(here);
      assert.deepEqual(shown(here), ['one?', 'Uno.', 'two?', 'Two.']);
      assert.equal(deleted.delete(uno), true);
      assert.deepEqual(deleted.last && { messages: deleted.last.messages, branches: deleted.last.branches }, {
        messages: 3,
        branches: 1,
      });
      await settled();
      for (const chat of [here, there]) {
        assert.deepEqual(shown(chat), ['one?', 'Un.']);
        assert.deepEqual(chat.conversation.siblings(one), [one, third]);
      }
      assert.deepEqual(shown(await second.reopen(here)), ['one?', 'Un.']);
      const back = await deleted.undo();
      assert.equal(back, uno);
      here.conversation.show(uno);
      await settled();
      for (const chat of [here, there]) {
        assert.deepEqual(chat.conversation.siblings(one), [one, uno, third]);
        chat.conversation.show(uno);
        assert.deepEqual(shown(chat), ['one?', 'Uno.', 'two?', 'Two.']);
      }
      assert.deepEqual(sent(here), before);
      assert.equal(deleted.last, undefined);
    });

    it('keeps a question whose answers are gone, and says that there is none, until one is back', async () => {
      for (const id of [one, uno, third]) deleted.delete(id);
      await settled();
      for (const chat of [here, there, await second.reopen(here)]) {
        assert.deepEqual(shown(chat), ['one?', '']);
        assert.equal(chat.conversation.last?.unfinished, 'missing');
        assert.equal(sent(chat).length, 1, 'only the next question');
      }
      const again = here.conversation.askAgain(here.conversation.last?.id ?? '', how);
      await answer(here, again, 'Eins.');
      await settled();
      for (const chat of [here, there]) assert.deepEqual(shown(chat), ['one?', 'Eins.']);
      assert.equal(here.conversation.siblings(again?.id ?? '').length, 1);
      while ((await deleted.undo()) !== undefined);
      await settled();
      for (const chat of [here, there]) {
        assert.deepEqual(chat.conversation.siblings(one), [one, uno, third, again?.id]);
      }
    });

    it('empties a chat with its only question, and brings that back in a later session too', async () => {
      deleted.delete(here.conversation.turns[0]?.questionId ?? '');
      await settled();
      for (const chat of [here, there]) assert.ok(chat.conversation.isEmpty);
      const later = await second.reopen(here);
      assert.ok(later.conversation.isEmpty);
      assert.ok((await new DeletedMessages(() => later).undo()) !== undefined);
      assert.deepEqual(later.conversation.siblings(one), [one, uno, third]);
      assert.equal(await new DeletedMessages(() => later).undo(), undefined);
    });

    it('deletes nothing of a reply that arrives, here or in another window', async () => {
      const arriving = await arrive(there, there.conversation.ask(question('three?')), 'Th');
      await first.notice(here);
      assert.equal(here.conversation.answer(arriving)?.unfinished, 'elsewhere');
      assert.equal(deleted.delete(uno), false);
      assert.equal(deleted.last, undefined);
      assert.equal(deleted.delete(one), true, 'what is beside it');
      await end(there, arriving);
      await first.notice(here);
      assert.equal(deleted.delete(uno), true);
    });

    it('changes nothing of what was spent', async () => {
      const { usage } = await first.service.store();
      const before = usage.sums({ by: ['model'] });
      deleted.delete(here.conversation.turns[0]?.questionId ?? '');
      await settled();
      assert.deepEqual(usage.sums({ by: ['model'] }), before);
    });
  });

  it('loses what was deleted elsewhere, and not what is deleted for good', async () => {
    const two = await answer(here, here.conversation.ask(question('two?')), 'Two.');
    await second.notice(there);
    (await first.service.store()).deleteMessages(here.keeper.id, two);
    await second.notice(there);
    assert.deepEqual(shown(there).slice(0, 2), ['one?', 'One.']);
    assert.equal(there.conversation.has(two), false);
    const { database } = await first.service.store();
    database.write(() => database.run('DELETE FROM conversations'));
    await second.notice(there);
    assert.deepEqual(shown(there).slice(0, 2), ['one?', 'One.']);
  });
});
