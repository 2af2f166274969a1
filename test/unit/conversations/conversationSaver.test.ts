import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../src/conversations/conversation/reply.ts';
import type { Question, ReplySettings, Turn } from '../../../src/conversations/conversation/turn.ts';
import { ConversationService } from '../../../src/conversations/conversationService.ts';
import { ConversationSaver } from '../../../src/conversations/saving/conversationSaver.ts';
import type { ConversationStore } from '../../../src/conversations/store/conversationStore.ts';
import { StorageError } from '../../../src/storage/database.ts';
import {
  addReply as askAgain,
  createRequest as requestRecord,
  StoreFolder,
} from '../../support/conversationStores.ts';

const settings = { model: 'model', format: 'messages', parameters: {} } as const;
const complete: ChatResult = {
  outcome: { kind: 'complete' },
  requestId: 'r',
  requestedAt: new Date(7),
  totalMs: 3,
  usage: { inputTokens: 19, outputTokens: 172 },
};
const request = requestRecord();
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function question(text: string): Question {
  return { text, images: [], ...settings };
}

describe('a stored chat', () => {
  let folder: StoreFolder;
  let service: ConversationService;
  let conversation: Conversation;
  let saver: ConversationSaver;
  const addQuestion = (text: string) => conversation.addQuestion(question(text));
  const storeQuestion = async (text: string) => {
    const turn = addQuestion(text);
    await saver.storeTurns([turn]);
    return turn;
  };
  const errors: unknown[] = [];
  const callbacks = {
    readFacts: () => ({}),
    onError: (error: unknown) => errors.push(error),
    onClosed: () => undefined,
    onProblem: () => undefined,
  };

  beforeEach(() => {
    folder = new StoreFolder();
    service = open();
    conversation = new Conversation();
    saver = createSaver(conversation);
  });

  afterEach(async () => {
    await service.dispose();
    folder.remove();
    assert.deepEqual(errors.splice(0), []);
  });

  function open(): ConversationService {
    return new ConversationService({
      file: folder.file,
      onNotice: (notice) => assert.fail(notice.type),
      onError: (error) => errors.push(error),
    });
  }

  function createSaver(of: Conversation, onStored?: () => void): ConversationSaver {
    return service.createSaver(of, {
      readFacts: () => ({ gateway: 'demo', model: 'model' }),
      onProblem: () => undefined,
      ...(onStored && { onExternalChange: onStored }),
    });
  }

  async function addReply(turn: Turn | undefined, text: string): Promise<string> {
    assert.ok(turn);
    await saver.storeTurns([turn]);
    const events = [{ type: 'text', choice: 0, text }] as const;
    conversation.appendEvents(turn.id, events);
    saver.storeEvents(turn.id, events);
    conversation.finish(turn.id, complete);
    await saver.storeResult(turn.id, complete);
    return turn.id;
  }

  /** The conversation as another window, or this one after a reload, shows it. */
  async function reopened(): Promise<Conversation> {
    const other = open();
    const chat = await other.reopen(saver.id);
    await other.dispose();
    return chat?.conversation ?? assert.fail('The chat is not stored.');
  }

  const shown = ({ turns }: Conversation) =>
    turns.flatMap((turn) => [turn.question.text, ...turn.replies.map(replyText)]);

  it('has its question on disk before the question is sent', async () => {
    await saver.storeTurns([addQuestion('one?')]);
    assert.deepEqual(shown(await reopened()), ['one?', '']);
  });

  it('is restored with its branches, pictures, figures and the outcomes of its replies', async () => {
    const images = [{ type: 'image', mimeType: 'image/png', data: picture } as const];
    const one = await addReply(conversation.addQuestion({ ...question('one?'), images }), 'One.');
    await addReply(addQuestion('two?'), 'Two.');
    await addReply(conversation.repeatQuestion(one, { ...settings, model: 'other' }), 'Uno.');
    await addReply(conversation.editQuestion(one, question('eins?')), 'Eins.');
    conversation.show(one);
    saver.storeShownBranch(one);
    const edited = conversation.editReply(one, 'Mine.');
    await saver.storeEdit(conversation.reply(edited?.id ?? '') ?? assert.fail(), one);
    const back = await reopened();
    assert.deepEqual(shown(back), shown(conversation));
    const { question: lastQuestion, isEdited, result } = back.lastTurn ?? assert.fail();
    assert.deepEqual([lastQuestion.model, isEdited, result?.outcome.kind], ['model', true, 'complete']);
    assert.equal(back.turns[0]?.question.images[0]?.data, picture);
    for (const { id, questionId } of conversation.turns) {
      assert.deepEqual(back.tree.siblings(id), conversation.tree.siblings(id));
      assert.deepEqual(back.tree.siblings(questionId), conversation.tree.siblings(questionId));
    }
    back.show(one);
    assert.deepEqual(shown(back), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(back.turn(one)?.result?.usage, { inputTokens: 19, outputTokens: 172 });
  });

  it('continues after it was restored', async () => {
    await addReply(addQuestion('one?'), 'One.');
    const chat = (await service.reopen(saver.id)) ?? assert.fail();
    conversation = chat.conversation;
    saver = chat.createSaver({ readFacts: () => ({}), onProblem: () => undefined });
    await addReply(addQuestion('two?'), 'Two.');
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
  });

  it('contains the part of a reply that arrived before its window was killed', async () => {
    const turn = await storeQuestion('one?');
    saver.storeEvents(turn.id, [{ type: 'text', choice: 0, text: 'Hal' }]);
    await saver.flush();
    const back = await reopened();
    assert.deepEqual(shown(back), ['one?', 'Hal']);
    assert.equal(back.lastTurn?.result?.outcome.kind, 'cancelled');
  });

  it('contains only the retry if an empty attempt was replaced', async () => {
    const turn = await storeQuestion('one?');
    const cancelled = { ...complete, outcome: { kind: 'cancelled' } } as const;
    conversation.finish(turn.id, cancelled);
    await saver.storeResult(turn.id, cancelled);
    const again = conversation.repeatQuestion(turn.id, settings) ?? assert.fail();
    await saver.storeTurns([again], turn.id);
    assert.deepEqual((await reopened()).tree.siblings(again.id), [again.id]);
  });

  it('is read again after changes of other windows and recoveries, but not after its own changes', async () => {
    const notices: string[] = [];
    saver = createSaver(conversation, () => notices.push('stored'));
    await addReply(addQuestion('one?'), 'One.');
    saver.storeDraft({ text: 'two?', images: [] });
    await saver.flush();
    assert.equal(notices.length, 0);
    const store = await service.store();
    const other = folder.open();
    const parts = [{ type: 'text', text: 'two?' } as const];
    other.addQuestion(saver.id, { question: { parts }, replies: [{ request }] });
    store.detectExternalChanges();
    assert.equal(notices.length, 1);
    await store.stopAbandonedReplies(() => false);
    assert.equal(notices.length, 2);
  });

  it('is read again after a late write of a tab that was closed', async () => {
    await addReply(addQuestion('one?'), 'One.');
    const again = await service.reopen(saver.id);
    const notices: string[] = [];
    const onStored = () => notices.push('stored');
    again?.createSaver({ readFacts: () => ({}), onProblem: () => undefined, onExternalChange: onStored });
    await addReply(addQuestion('two?'), 'Two.');
    assert.ok(notices.length > 0);
  });

  it('shows a continued reply as one', async () => {
    const cut = await addReply(addQuestion('one?'), 'Hal');
    await addReply(conversation.continueReply(cut, settings), 'f.');
    assert.deepEqual(shown(await reopened()), ['one?', 'Half.']);
  });

  it('is the same after a continued reply was edited', async () => {
    const first = await addReply(addQuestion('one?'), 'One');
    const joined = await addReply(conversation.continueReply(first, settings), ' and more.');
    const edited = conversation.editReply(joined, 'Mine.');
    await saver.storeEdit(conversation.reply(edited?.id ?? '') ?? assert.fail(), joined);
    assert.deepEqual(shown(await reopened()), ['one?', 'Mine.']);
  });

  it('is stored completely by its first write if it begins as a fork', async () => {
    const one = await addReply(addQuestion('one?'), 'One.');
    conversation = conversation.forkAt(one) ?? assert.fail();
    saver = createSaver(conversation);
    await addReply(addQuestion('two?'), 'Two.');
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
  });

  it('is restored with a draft of 2 MB and its pictures', async () => {
    const images = [{ type: 'image', mimeType: 'image/png', data: picture } as const];
    const text = 'A long thought. '.repeat(2 ** 17);
    saver.storeDraft({ text, images });
    await saver.flush();
    assert.deepEqual((await service.reopen(saver.id))?.draft, { text, images });
  });

  it('still has its draft after it was opened and closed without a change', async () => {
    saver.storeDraft({ text: 'Half a thou', images: [] });
    await saver.flush();
    const chat = (await service.reopen(saver.id)) ?? assert.fail();
    await chat.createSaver({ readFacts: () => ({}), onProblem: () => undefined }).close();
    assert.equal((await service.reopen(saver.id))?.draft.text, 'Half a thou');
  });

  it('has no draft after its text was deleted, also when it was opened again', async () => {
    saver.storeDraft({ text: 'Half a thou', images: [] });
    await saver.flush();
    saver.storeDraft({ text: '', images: [] });
    await saver.flush();
    assert.equal((await service.reopen(saver.id))?.draft.text, '');
    saver.storeDraft({ text: 'Another', images: [] });
    await saver.close();
    const chat = (await service.reopen(saver.id)) ?? assert.fail();
    const again = chat.createSaver({ readFacts: () => ({}), onProblem: () => undefined });
    again.storeDraft({ text: '', images: [] });
    await again.close();
    assert.equal((await service.reopen(saver.id))?.draft.text, '');
  });

  it('is not stored if nothing was typed', async () => {
    saver.storeDraft({ text: '', images: [] });
    await saver.close();
    assert.equal(await service.reopen(saver.id), undefined);
  });

  it('is stored completely again by the next question after it was erased', async () => {
    await addReply(addQuestion('one?'), 'One.');
    const { database } = await service.store();
    database.write(() => database.run('DELETE FROM conversations'));
    await addReply(addQuestion('two?'), 'Two.');
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
  });

  it('contains a reply whose question was erased while it arrived', async () => {
    const turn = await storeQuestion('one?');
    const { database } = await service.store();
    database.write(() => database.run('DELETE FROM conversations'));
    conversation.appendEvents(turn.id, [{ type: 'text', choice: 0, text: 'One.' }]);
    conversation.finish(turn.id, complete);
    await saver.storeResult(turn.id, complete);
    assert.deepEqual(shown(await reopened()), ['one?', 'One.']);
    assert.equal((await service.store()).usage.sum({ by: [] })[0]?.outputTokens, 172);
  });

  it('counts a reply whose question another window deleted while it arrived, and restores it completely', async () => {
    await addReply(addQuestion('one?'), 'One.');
    const turn = await storeQuestion('two?');
    const elsewhere = folder.open();
    elsewhere.deleteMessages(saver.id, turn.questionId);
    saver.applyExternalChanges((await saver.readExternalChanges()) ?? assert.fail());
    saver.storeEvents(turn.id, [{ type: 'text', choice: 0, text: 'Two.' }]);
    await saver.storeResult(turn.id, complete);
    assert.equal(elsewhere.usage.sum({ by: [] })[0]?.outputTokens, 2 * 172);
    assert.deepEqual(shown(await reopened()), ['one?', 'One.']);
    assert.ok(elsewhere.undeleteMessages(saver.id, turn.questionId));
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
  });

  it('is complete after the next write if one write failed, and reports a problem until then', async () => {
    const problems: (string | undefined)[] = [];
    saver = service.createSaver(conversation, {
      readFacts: () => ({}),
      onProblem: (problem) => problems.push(problem?.kind),
    });
    const { attachments } = await service.store();
    const { add } = attachments;
    attachments.add = () => Promise.reject(new TypeError('Not today.'));
    const images = [{ type: 'image', mimeType: 'image/png', data: picture } as const];
    await addReply(conversation.addQuestion({ ...question('one?'), images }), 'One.');
    assert.deepEqual(problems, ['other']);
    assert.ok(errors.splice(0).length > 0);
    attachments.add = add;
    await addReply(addQuestion('two?'), 'Two.');
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(problems, ['other', undefined]);
  });

  it('is written once there is room again, even if its tab was closed', async () => {
    let isFull = true;
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
    saver = new ConversationSaver(conversation, {
      openStore: async () => {
        if (isFull) throw new StorageError('full', 'No room.');
        return service.store();
      },
      ...callbacks,
      onClosed,
    });
    await addReply(addQuestion('one?'), 'One.');
    void saver.release();
    isFull = false;
    await closed;
    assert.deepEqual(shown(await reopened()), ['one?', 'One.']);
  });

  describe('while the disk is full', () => {
    let isFull: boolean;

    beforeEach(async () => {
      isFull = true;
      saver = new ConversationSaver(conversation, {
        openStore: async () => {
          if (isFull) throw new StorageError('full', 'No room.');
          return service.store();
        },
        ...callbacks,
      });
    });

    it('has several replies in order, whichever ends first', async () => {
      const both = ['a', 'b'].map((model): ReplySettings => ({ model, format: 'messages', parameters: {} }));
      const turns = conversation.comparison.addQuestion({ text: 'one?', images: [] }, both, undefined);
      await saver.storeTurns(turns);
      const ids = turns.map(({ id }) => id);
      for (const id of ids.toReversed()) {
        conversation.finish(id, complete);
        await saver.storeResult(id, complete);
      }
      isFull = false;
      await saver.close();
      assert.deepEqual((await reopened()).tree.siblings(ids[0] ?? ''), ids);
      const sums = (await service.store()).usage.sum({ by: [] });
      assert.equal(sums[0]?.replies, 2);
    });

    it('still compares its replies after it reads changes of other windows', async () => {
      isFull = false;
      const one = await addReply(addQuestion('one?'), 'One.');
      const { database } = await service.store();
      const { write, writeDurably } = database;
      const fail = () => {
        throw new StorageError('full', 'No room.');
      };
      Object.assign(database, { write: fail, writeDurably: fail });
      await saver.storeTurns(conversation.comparison.addReplies(one, [settings]));
      const { ends } = conversation.comparison;
      const elsewhere = folder.open();
      askAgain(elsewhere, saver.id, conversation.tree.parent(one) ?? '', 'Uno.');
      elsewhere.setHead(saver.id, one);
      saver.applyExternalChanges((await saver.readExternalChanges()) ?? assert.fail());
      assert.deepEqual(conversation.comparison.ends, ends);
      Object.assign(database, { write, writeDurably });
      await saver.close();
      assert.deepEqual((await reopened()).comparison.ends, ends);
    });

    it('can delete messages that are not on disk yet, and restore them once there is room', async () => {
      const first = await addReply(addQuestion('one?'), 'One.');
      await addReply(addQuestion('two?'), 'Two.');
      const roots = saver.delete(conversation.turns[1]?.questionId ?? '');
      await assert.rejects(saver.undelete(roots), { kind: 'full' });
      isFull = false;
      await saver.close();
      assert.equal((await reopened()).tree.head, first);
      assert.deepEqual(await saver.undelete(roots), roots);
      assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
    });
  });

  it('stays in memory while the disk is full, reports that, and is complete once there is room', async () => {
    let isFull = true;
    const problems: (string | undefined)[] = [];
    const openStore = async (): Promise<ConversationStore> => {
      if (isFull) throw new StorageError('full', 'No room.');
      return service.store();
    };
    saver = new ConversationSaver(conversation, {
      ...callbacks,
      openStore,
      onProblem: (problem) => problems.push(problem?.kind),
    });
    await addReply(addQuestion('one?'), 'One.');
    const next = addReply(addQuestion('two?'), 'Two.');
    assert.equal(saver.problem?.kind, 'full');
    await next;
    isFull = false;
    await saver.close();
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(problems, ['full', undefined]);
  });
});
