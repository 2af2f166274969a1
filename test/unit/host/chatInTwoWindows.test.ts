import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../src/conversations/conversation/reply.ts';
import type { Question, Turn } from '../../../src/conversations/conversation/turn.ts';
import { ConversationService } from '../../../src/conversations/conversationService.ts';
import { DeletedMessages } from '../../../src/host/chat/session/deletedMessages.ts';
import { type ChatOwner, StoredConversation } from '../../../src/host/chat/session/storedConversation.ts';
import { StoreFolder } from '../../support/conversationStores.ts';

const settings = { model: 'model', format: 'messages', parameters: {} } as const;
const complete: ChatResult = {
  outcome: { kind: 'complete' },
  requestId: 'r',
  requestedAt: new Date(7),
  totalMs: 3,
};

function question(text: string): Question {
  return { text, images: [], ...settings };
}

/** A chat in a separate window. */
class Window implements ChatOwner {
  readonly service: ConversationService;
  readonly paths: number[] = [];
  isStreaming = false;
  readonly readFacts = () => ({});
  readonly onStorageChange = () => undefined;
  readonly onPathChange = (unchangedTurns: number) => void this.paths.push(unchangedTurns);

  constructor(file: string) {
    this.service = new ConversationService({ file, onNotice: () => assert.fail(), onError: assert.ifError });
  }

  begin(): StoredConversation {
    const conversation = new Conversation();
    return new StoredConversation(
      { conversation, createSaver: (links) => this.service.createSaver(conversation, links) },
      this,
    );
  }

  async reopen({ saver }: StoredConversation): Promise<StoredConversation> {
    return new StoredConversation((await this.service.reopen(saver.id)) ?? assert.fail(), this);
  }

  /** Notices the changes of other windows. */
  async readChanges(chat: StoredConversation): Promise<void> {
    (await this.service.store()).detectExternalChanges();
    await chat.catchUp();
  }
}

describe('a chat that is open in two windows', () => {
  let folder: StoreFolder;
  let first: Window;
  let second: Window;
  let here: StoredConversation;
  let there: StoredConversation;
  let one: string;

  beforeEach(async () => {
    folder = new StoreFolder();
    first = new Window(folder.file);
    second = new Window(folder.file);
    here = first.begin();
    one = await addReply(here, here.conversation.addQuestion(question('one?')), 'One.');
    there = await second.reopen(here);
  });

  afterEach(async () => {
    await Promise.all([first.service.dispose(), second.service.dispose()]);
    folder.remove();
  });

  async function arrive({ conversation, saver }: StoredConversation, turn: Turn | undefined, text: string) {
    assert.ok(turn);
    await saver.storeTurns([turn]);
    const events = [{ type: 'text', choice: 0, text }] as const;
    conversation.appendEvents(turn.id, events);
    saver.storeEvents(turn.id, events);
    await saver.flush();
    return turn.id;
  }

  async function end({ conversation, saver }: StoredConversation, id: string): Promise<void> {
    conversation.finish(id, complete);
    await saver.storeResult(id, complete);
  }

  async function addReply(chat: StoredConversation, turn: Turn | undefined, text: string): Promise<string> {
    const id = await arrive(chat, turn, text);
    await end(chat, id);
    return id;
  }

  const shown = ({ conversation }: StoredConversation) =>
    conversation.turns.flatMap((turn) => [turn.question.text, ...turn.replies.map(replyText)]);

  it('continues in both windows from the same end', async () => {
    await addReply(here, here.conversation.addQuestion(question('two?')), 'Two.');
    await second.readChanges(there);
    assert.deepEqual(shown(there), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(second.paths, [1], 'only new turns are sent to the page');
    await addReply(there, there.conversation.addQuestion(question('three?')), 'Three.');
    await first.readChanges(here);
    assert.deepEqual(shown(here), ['one?', 'One.', 'two?', 'Two.', 'three?', 'Three.']);
  });

  it('has both replies when the other window retries a question before its first reply arrives', async () => {
    const turn = here.conversation.addQuestion(question('two?'));
    await here.saver.storeTurns([turn]);
    await second.readChanges(there);
    const again = there.conversation.repeatQuestion(turn.id, turn.question) ?? assert.fail();
    await there.saver.storeTurns([again], there.conversation.turn(turn.id) ? undefined : turn.id);
    here.conversation.appendEvents(turn.id, [{ type: 'text', choice: 0, text: 'Two.' }]);
    await end(here, turn.id);
    await first.readChanges(here);
    assert.deepEqual(shown(here), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(here.conversation.tree.siblings(turn.id), [turn.id, again.id]);
  });

  it('shows an arriving reply and its outcome in the other window', async () => {
    const id = await arrive(here, here.conversation.addQuestion(question('two?')), 'Tw');
    await second.readChanges(there);
    assert.deepEqual(shown(there).slice(2), ['two?', 'Tw']);
    assert.equal(there.conversation.lastTurn?.unfinished, 'elsewhere');
    here.conversation.appendEvents(id, [{ type: 'text', choice: 0, text: 'o.' }]);
    await end(here, id);
    await second.readChanges(there);
    assert.deepEqual(shown(there).slice(2), ['two?', 'Two.']);
    assert.equal(there.conversation.lastTurn?.unfinished, undefined);
    assert.equal(there.conversation.lastTurn?.result?.outcome.kind, 'complete');
  });

  it('reads the changes of the other window when its own reply has ended', async () => {
    second.isStreaming = true;
    const turn = there.conversation.addQuestion(question('mine?'));
    await there.saver.storeTurns([turn]);
    await addReply(here, here.conversation.addQuestion(question('yours?')), 'Yours.');
    await second.readChanges(there);
    assert.deepEqual(second.paths, []);
    await end(there, turn.id);
    second.isStreaming = false;
    await there.catchUp();
    assert.deepEqual(shown(there).slice(2), ['mine?', ''], 'the path is unchanged');
    assert.equal(there.conversation.tree.siblings(turn.questionId).length, 2);
  });

  it('stays on its branch when the other window adds a branch', async () => {
    await addReply(there, there.conversation.repeatQuestion(one, settings), 'Uno.');
    await first.readChanges(here);
    assert.deepEqual(shown(here), ['one?', 'One.']);
    assert.equal(here.conversation.tree.siblings(one).length, 2);
    assert.deepEqual(first.paths, [0]);
  });

  describe('after messages were deleted', () => {
    let deleted: DeletedMessages;
    let uno: string;
    let third: string;

    /** Three replies to the first question; the second reply is followed by another exchange. */
    beforeEach(async () => {
      deleted = new DeletedMessages(here);
      uno = await addReply(here, here.conversation.repeatQuestion(one, settings), 'Uno.');
      await addReply(here, here.conversation.addQuestion(question('two?')), 'Two.');
      third = await addReply(here, here.conversation.repeatQuestion(uno, settings), 'Un.');
      here.conversation.show(uno);
      here.saver.storeShownBranch(uno);
      await second.readChanges(there);
      there.conversation.show(uno);
    });

    const sent = ({ conversation }: StoredConversation) =>
      conversation.buildHistoryForNext(question('next?')).messages.map(({ parts }) => JSON.stringify(parts));

    async function syncWindows(): Promise<void> {
      await here.saver.flush();
      await first.readChanges(here);
      await second.readChanges(there);
    }

    it('shows the next reply in both windows, and the deleted branch in its place again after Undo', async () => {
      const before = sent(here);
      assert.deepEqual(shown(here), ['one?', 'Uno.', 'two?', 'Two.']);
      assert.equal(deleted.delete(uno), true);
      assert.deepEqual(deleted.last && { messages: deleted.last.messages, branches: deleted.last.branches }, {
        messages: 3,
        branches: 1,
      });
      await syncWindows();
      for (const chat of [here, there]) {
        assert.deepEqual(shown(chat), ['one?', 'Un.']);
        assert.deepEqual(chat.conversation.tree.siblings(one), [one, third]);
      }
      assert.deepEqual(shown(await second.reopen(here)), ['one?', 'Un.']);
      const back = await deleted.undo();
      assert.equal(back, uno);
      here.conversation.show(uno);
      await syncWindows();
      for (const chat of [here, there]) {
        assert.deepEqual(chat.conversation.tree.siblings(one), [one, uno, third]);
        chat.conversation.show(uno);
        assert.deepEqual(shown(chat), ['one?', 'Uno.', 'two?', 'Two.']);
      }
      assert.deepEqual(sent(here), before);
      assert.equal(deleted.last, undefined);
    });

    it('shows a question without replies, marked as missing, until a reply is back', async () => {
      for (const id of [one, uno, third]) deleted.delete(id);
      await syncWindows();
      for (const chat of [here, there, await second.reopen(here)]) {
        assert.deepEqual(shown(chat), ['one?', '']);
        assert.equal(chat.conversation.lastTurn?.unfinished, 'missing');
        assert.equal(sent(chat).length, 1, 'only the next question');
      }
      const again = here.conversation.repeatQuestion(here.conversation.lastTurn?.id ?? '', settings);
      await addReply(here, again, 'Eins.');
      await syncWindows();
      for (const chat of [here, there]) assert.deepEqual(shown(chat), ['one?', 'Eins.']);
      assert.equal(here.conversation.tree.siblings(again?.id ?? '').length, 1);
      while ((await deleted.undo()) !== undefined);
      await syncWindows();
      for (const chat of [here, there]) {
        assert.deepEqual(chat.conversation.tree.siblings(one), [one, uno, third, again?.id]);
      }
    });

    it('is empty without its only question, which can be restored in a later session too', async () => {
      deleted.delete(here.conversation.turns[0]?.questionId ?? '');
      await syncWindows();
      for (const chat of [here, there]) assert.ok(chat.conversation.isEmpty);
      const later = await second.reopen(here);
      assert.ok(later.conversation.isEmpty);
      assert.ok((await new DeletedMessages(later).undo()) !== undefined);
      assert.deepEqual(later.conversation.tree.siblings(one), [one, uno, third]);
      assert.equal(await new DeletedMessages(later).undo(), undefined);
    });

    it('does not delete a branch with a reply that is arriving in another window', async () => {
      const arriving = await arrive(there, there.conversation.addQuestion(question('three?')), 'Th');
      await first.readChanges(here);
      assert.equal(here.conversation.reply(arriving)?.unfinished, 'elsewhere');
      assert.equal(deleted.delete(uno), false);
      assert.equal(deleted.last, undefined);
      assert.equal(deleted.delete(one), true, 'the sibling replies');
      await end(there, arriving);
      await first.readChanges(here);
      assert.equal(deleted.delete(uno), true);
    });

    it('has the same usage as before', async () => {
      const { usage } = await first.service.store();
      const before = usage.sum({ by: ['model'] });
      deleted.delete(here.conversation.turns[0]?.questionId ?? '');
      await syncWindows();
      assert.deepEqual(usage.sum({ by: ['model'] }), before);
    });
  });

  it('drops messages that another window deleted, but still shows a chat that was erased', async () => {
    const two = await addReply(here, here.conversation.addQuestion(question('two?')), 'Two.');
    await second.readChanges(there);
    (await first.service.store()).deleteMessages(here.saver.id, two);
    await second.readChanges(there);
    assert.deepEqual(shown(there).slice(0, 2), ['one?', 'One.']);
    assert.equal(there.conversation.tree.has(two), false);
    const { database } = await first.service.store();
    database.write(() => database.run('DELETE FROM conversations'));
    await second.readChanges(there);
    assert.deepEqual(shown(there).slice(0, 2), ['one?', 'One.']);
  });
});
