import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { textOf } from '../../../src/conversations/conversation/reply.ts';
import type { Asking, Question, Turn } from '../../../src/conversations/conversation/turn.ts';
import { ConversationService } from '../../../src/conversations/conversationService.ts';
import type { ConversationKeeper } from '../../../src/conversations/kept/conversationKeeper.ts';
import type { ConversationStore } from '../../../src/conversations/store/conversationStore.ts';
import { StorageError } from '../../../src/storage/database.ts';
import {
  again as askAgain,
  request as requestRecord,
  StoreFolder,
} from '../../support/conversationStores.ts';

const how = { model: 'model', format: 'messages', parameters: {} } as const;
const complete: ChatResult = {
  ...{ outcome: { kind: 'complete' }, requestId: 'r', requestedAt: new Date(7), totalMs: 3 },
  usage: { inputTokens: 19, outputTokens: 172 },
};
const request = requestRecord();
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function question(text: string): Question {
  return { text, images: [], ...how };
}

describe('a chat that is kept', () => {
  let folder: StoreFolder;
  let service: ConversationService;
  let conversation: Conversation;
  let keeper: ConversationKeeper;
  const errors: unknown[] = [];

  beforeEach(() => {
    folder = new StoreFolder();
    service = open();
    conversation = new Conversation();
    keeper = keep(conversation);
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

  function keep(of: Conversation, onStored?: () => void): ConversationKeeper {
    return service.keep(of, {
      facts: () => ({ gateway: 'demo', model: 'model' }),
      onProblem: () => undefined,
      ...(onStored && { onStored }),
    });
  }

  async function answer(turn: Turn | undefined, text: string): Promise<string> {
    assert.ok(turn);
    await keeper.asked([turn]);
    const events = [{ type: 'text', choice: 0, text }] as const;
    conversation.apply(turn.id, events);
    keeper.arrived(turn.id, events);
    conversation.finish(turn.id, complete);
    await keeper.ended(turn.id, complete);
    return turn.id;
  }

  /** What another window, or this one after a reload, shows. */
  async function reopened(): Promise<Conversation> {
    const other = open();
    const chat = await other.reopen(keeper.id);
    await other.dispose();
    return chat?.conversation ?? assert.fail('The chat is not kept.');
  }

  const shown = ({ turns }: Conversation) =>
    turns.flatMap((turn) => [turn.question.text, ...turn.replies.map(textOf)]);

  it('has its question on disk before it is sent', async () => {
    await keeper.asked([conversation.ask(question('one?'))]);
    assert.deepEqual(shown(await reopened()), ['one?', '']);
  });

  it('comes back as it was, with its branches, pictures, figures and how each reply ended', async () => {
    const images = [{ type: 'image', mimeType: 'image/png', data: picture } as const];
    const one = await answer(conversation.ask({ ...question('one?'), images }), 'One.');
    await answer(conversation.ask(question('two?')), 'Two.');
    await answer(conversation.askAgain(one, { ...how, model: 'other' }), 'Uno.');
    await answer(conversation.editQuestion(one, question('eins?')), 'Eins.');
    conversation.show(one);
    keeper.shown(one);
    const edited = conversation.editAnswer(one, 'Mine.');
    await keeper.edited(conversation.answer(edited?.id ?? '') ?? assert.fail(), one);
    const back = await reopened();
    assert.deepEqual(shown(back), shown(conversation));
    const { question: asked, isEdited, result } = back.last ?? assert.fail();
    assert.deepEqual([asked.model, isEdited, result?.outcome.kind], ['model', true, 'complete']);
    assert.equal(back.turns[0]?.question.images[0]?.data, picture);
    for (const { id, questionId } of conversation.turns) {
      assert.deepEqual(back.siblings(id), conversation.siblings(id));
      assert.deepEqual(back.siblings(questionId), conversation.siblings(questionId));
    }
    back.show(one);
    assert.deepEqual(shown(back), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(back.turn(one)?.result?.usage, { inputTokens: 19, outputTokens: 172 });
  });

  it('goes on after it came back', async () => {
    await answer(conversation.ask(question('one?')), 'One.');
    const chat = (await service.reopen(keeper.id)) ?? assert.fail();
    conversation = chat.conversation;
    keeper = chat.keep({ facts: () => ({}), onProblem: () => undefined });
    await answer(conversation.ask(question('two?')), 'Two.');
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
  });

  it('keeps what arrived of a reply until its window was killed', async () => {
    const turn = conversation.ask(question('one?'));
    await keeper.asked([turn]);
    keeper.arrived(turn.id, [{ type: 'text', choice: 0, text: 'Hal' }]);
    await keeper.flush();
    const back = await reopened();
    assert.deepEqual(shown(back), ['one?', 'Hal']);
    assert.equal(back.last?.result?.outcome.kind, 'cancelled');
  });

  it('keeps one attempt where an empty one was made again in its place', async () => {
    const turn = conversation.ask(question('one?'));
    await keeper.asked([turn]);
    const cancelled = { ...complete, outcome: { kind: 'cancelled' } } as const;
    conversation.finish(turn.id, cancelled);
    await keeper.ended(turn.id, cancelled);
    const again = conversation.askAgain(turn.id, how) ?? assert.fail();
    await keeper.asked([again], turn.id);
    assert.deepEqual((await reopened()).siblings(again.id), [again.id]);
  });

  it('is not read again for what its own window wrote, but for what others did, or was done for one that died', async () => {
    let told = 0;
    keeper = keep(conversation, () => {
      told += 1;
    });
    await answer(conversation.ask(question('one?')), 'One.');
    keeper.drafted({ text: 'two?', images: [] });
    await keeper.flush();
    assert.equal(told, 0);
    const store = await service.store();
    const other = folder.open();
    other.ask(keeper.id, { question: { parts: [{ type: 'text', text: 'two?' }] }, answers: [{ request }] });
    store.noticeOthers();
    assert.equal(told, 1);
    await store.recover(() => false);
    assert.equal(told, 2);
  });

  it('is read again for what is written late of a tab that was closed before', async () => {
    await answer(conversation.ask(question('one?')), 'One.');
    const again = await service.reopen(keeper.id);
    let told = 0;
    const onStored = () => {
      told += 1;
    };
    again?.keep({ facts: () => ({}), onProblem: () => undefined, onStored });
    await answer(conversation.ask(question('two?')), 'Two.');
    assert.ok(told > 0);
  });

  it('is read as one where it was continued', async () => {
    const cut = await answer(conversation.ask(question('one?')), 'Hal');
    await answer(conversation.continueAnswer(cut, how), 'f.');
    assert.deepEqual(shown(await reopened()), ['one?', 'Half.']);
  });

  it('is the same after an answer was edited that had been continued', async () => {
    const first = await answer(conversation.ask(question('one?')), 'One');
    const whole = await answer(conversation.continueAnswer(first, how), ' and more.');
    const edited = conversation.editAnswer(whole, 'Mine.');
    await keeper.edited(conversation.answer(edited?.id ?? '') ?? assert.fail(), whole);
    assert.deepEqual(shown(await reopened()), ['one?', 'Mine.']);
  });

  it('is kept whole from its first write when it begins as a fork', async () => {
    const one = await answer(conversation.ask(question('one?')), 'One.');
    conversation = conversation.forkAfter(one) ?? assert.fail();
    keeper = keep(conversation);
    await answer(conversation.ask(question('two?')), 'Two.');
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
  });

  it('has its draft of 2 MB, with the pictures', async () => {
    const images = [{ type: 'image', mimeType: 'image/png', data: picture } as const];
    const text = 'A long thought. '.repeat(2 ** 17);
    keeper.drafted({ text, images });
    await keeper.flush();
    assert.deepEqual((await service.reopen(keeper.id))?.unsent, { text, images });
  });

  it('has its draft after it was opened and closed without a key', async () => {
    keeper.drafted({ text: 'Half a thou', images: [] });
    await keeper.flush();
    const chat = (await service.reopen(keeper.id)) ?? assert.fail();
    await chat.keep({ facts: () => ({}), onProblem: () => undefined }).close();
    assert.equal((await service.reopen(keeper.id))?.unsent.text, 'Half a thou');
  });

  it('has no draft any more once its text was deleted, also after it was opened again', async () => {
    keeper.drafted({ text: 'Half a thou', images: [] });
    await keeper.flush();
    keeper.drafted({ text: '', images: [] });
    await keeper.flush();
    assert.equal((await service.reopen(keeper.id))?.unsent.text, '');
    keeper.drafted({ text: 'Another', images: [] });
    await keeper.close();
    const chat = (await service.reopen(keeper.id)) ?? assert.fail();
    const again = chat.keep({ facts: () => ({}), onProblem: () => undefined });
    again.drafted({ text: '', images: [] });
    await again.close();
    assert.equal((await service.reopen(keeper.id))?.unsent.text, '');
  });

  it('leaves nothing on disk where nothing was typed', async () => {
    keeper.drafted({ text: '', images: [] });
    await keeper.close();
    assert.equal(await service.reopen(keeper.id), undefined);
  });

  it('is whole again with the next question after it was deleted for good elsewhere', async () => {
    await answer(conversation.ask(question('one?')), 'One.');
    const { database } = await service.store();
    database.write(() => database.run('DELETE FROM conversations'));
    await answer(conversation.ask(question('two?')), 'Two.');
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
  });

  it('keeps a reply although its question was deleted for good while it arrived', async () => {
    const turn = conversation.ask(question('one?'));
    await keeper.asked([turn]);
    const { database } = await service.store();
    database.write(() => database.run('DELETE FROM conversations'));
    conversation.apply(turn.id, [{ type: 'text', choice: 0, text: 'One.' }]);
    conversation.finish(turn.id, complete);
    await keeper.ended(turn.id, complete);
    assert.deepEqual(shown(await reopened()), ['one?', 'One.']);
    assert.equal((await service.store()).usage.sums({ by: [] })[0]?.outputTokens, 172);
  });

  it('counts a reply whose question was deleted in another window while it arrived, and brings it back whole', async () => {
    await answer(conversation.ask(question('one?')), 'One.');
    const turn = conversation.ask(question('two?'));
    await keeper.asked([turn]);
    const elsewhere = folder.open();
    elsewhere.deleteMessages(keeper.id, turn.questionId);
    keeper.takeOver((await keeper.elsewhere()) ?? assert.fail());
    keeper.arrived(turn.id, [{ type: 'text', choice: 0, text: 'Two.' }]);
    await keeper.ended(turn.id, complete);
    assert.equal(elsewhere.usage.sums({ by: [] })[0]?.outputTokens, 2 * 172);
    assert.deepEqual(shown(await reopened()), ['one?', 'One.']);
    assert.ok(elsewhere.undeleteMessages(keeper.id, turn.questionId));
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
  });

  it('is whole with the next write after one was given up, and says meanwhile that it is not', async () => {
    const problems: (string | undefined)[] = [];
    keeper = service.keep(conversation, {
      facts: () => ({}),
      onProblem: (problem) => problems.push(problem?.kind),
    });
    const { attachments } = await service.store();
    const { keep } = attachments;
    attachments.keep = () => Promise.reject(new TypeError('Not today.'));
    const images = [{ type: 'image', mimeType: 'image/png', data: picture } as const];
    await answer(conversation.ask({ ...question('one?'), images }), 'One.');
    assert.deepEqual(problems, ['other']);
    assert.ok(errors.splice(0).length > 0);
    attachments.keep = keep;
    await answer(conversation.ask(question('two?')), 'Two.');
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(problems, ['other', undefined]);
  });

  it('is written once there is room again, also when its tab is closed meanwhile', async () => {
    let isFull = true;
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
    const { ConversationKeeper: Keeper } = await import(
      '../../../src/conversations/kept/conversationKeeper.ts'
    );
    keeper = new Keeper(conversation, {
      store: async () => {
        if (isFull) throw new StorageError('full', 'No room.');
        return service.store();
      },
      ...{ facts: () => ({}), onError: (error) => errors.push(error), onClosed, onProblem: () => undefined },
    });
    await answer(conversation.ask(question('one?')), 'One.');
    void keeper.release();
    isFull = false;
    await closed;
    assert.deepEqual(shown(await reopened()), ['one?', 'One.']);
  });

  describe('while the disk is full', () => {
    let isFull: boolean;

    beforeEach(async () => {
      isFull = true;
      const { ConversationKeeper: Keeper } = await import(
        '../../../src/conversations/kept/conversationKeeper.ts'
      );
      keeper = new Keeper(conversation, {
        store: async () => {
          if (isFull) throw new StorageError('full', 'No room.');
          return service.store();
        },
        ...{ facts: () => ({}), onError: (error) => errors.push(error) },
        ...{ onClosed: () => undefined, onProblem: () => undefined },
      });
    });

    it('has several answers in their order, whichever ended first', async () => {
      const how = ['a', 'b'].map((model): Asking => ({ model, format: 'messages', parameters: {} }));
      const turns = conversation.comparison.ask({ text: 'one?', images: [] }, how, undefined);
      await keeper.asked(turns);
      const ids = turns.map(({ id }) => id);
      for (const id of ids.toReversed()) {
        conversation.finish(id, complete);
        await keeper.ended(id, complete);
      }
      isFull = false;
      await keeper.close();
      assert.deepEqual((await reopened()).siblings(ids[0] ?? ''), ids);
      const sums = (await service.store()).usage.sums({ by: [] });
      assert.equal(sums[0]?.answers, 2);
    });

    it('shows side by side what it compares, also when it looks at what other windows did', async () => {
      isFull = false;
      const one = await answer(conversation.ask(question('one?')), 'One.');
      const { database } = await service.store();
      const { write, writeDurably } = database;
      const fail = () => {
        throw new StorageError('full', 'No room.');
      };
      Object.assign(database, { write: fail, writeDurably: fail });
      await keeper.asked(conversation.comparison.askBeside(one, [how]));
      const { ends } = conversation.comparison;
      const elsewhere = folder.open();
      askAgain(elsewhere, keeper.id, conversation.above(one) ?? '', 'Uno.');
      elsewhere.setHead(keeper.id, one);
      keeper.takeOver((await keeper.elsewhere()) ?? assert.fail());
      assert.deepEqual(conversation.comparison.ends, ends);
      Object.assign(database, { write, writeDurably });
      await keeper.close();
      assert.deepEqual((await reopened()).comparison.ends, ends);
    });

    it('can delete what is not on disk yet, and bring it back once there is room', async () => {
      const first = await answer(conversation.ask(question('one?')), 'One.');
      await answer(conversation.ask(question('two?')), 'Two.');
      const roots = keeper.delete(conversation.turns[1]?.questionId ?? '');
      await assert.rejects(keeper.undelete(roots), { kind: 'full' });
      isFull = false;
      await keeper.close();
      assert.equal((await reopened()).head, first);
      assert.deepEqual(await keeper.undelete(roots), roots);
      assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
    });
  });

  it('waits in memory while the disk is full, says so, and is whole once there is room', async () => {
    let isFull = true;
    const problems: (string | undefined)[] = [];
    const store = async (): Promise<ConversationStore> => {
      if (isFull) throw new StorageError('full', 'No room.');
      return service.store();
    };
    const { ConversationKeeper: Keeper } = await import(
      '../../../src/conversations/kept/conversationKeeper.ts'
    );
    keeper = new Keeper(conversation, {
      ...{ store, facts: () => ({}), onError: (error) => errors.push(error), onClosed: () => undefined },
      onProblem: (problem) => problems.push(problem?.kind),
    });
    await answer(conversation.ask(question('one?')), 'One.');
    const next = answer(conversation.ask(question('two?')), 'Two.');
    assert.equal(keeper.problem?.kind, 'full');
    await next;
    isFull = false;
    await keeper.close();
    assert.deepEqual(shown(await reopened()), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(problems, ['full', undefined]);
  });
});
