import assert from 'node:assert/strict';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Conversation } from '../../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../../src/conversations/conversation/reply.ts';
import { ConversationSaver } from '../../../../src/conversations/saving/conversationSaver.ts';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../../src/conversations/store/conversationStore.ts';
import {
  addExchange,
  addQuestion,
  createResult,
  createTextEvent,
  readShownTexts,
} from '../../../support/conversationStores.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';
import { SmallDisk } from '../../../support/smallDisk.ts';
import { TestClock } from '../../../support/testClock.ts';

describe('a conversation store that cannot be written', () => {
  const opened: ConversationStore[] = [];

  function open(path: string): ConversationStore {
    const store = openConversationStore({
      file: join(path, 'conversations.sqlite'),
      window: `w${opened.length}`,
    });
    opened.push(store);
    return store;
  }

  /** Runs the test on a separate disk, or in a read-only folder if no disk can be mounted. */
  async function onDisk(
    fill: (store: ConversationStore) => void,
    act: (path: string, disk: SmallDisk | undefined) => void | Promise<void>,
  ): Promise<void> {
    const disk = SmallDisk.mount(4);
    const folder = new DatabaseFolder();
    const path = disk?.path ?? folder.path;
    try {
      const store = open(path);
      fill(store);
      store.close();
      if (disk) await act(path, disk);
      else {
        for (const name of folder.listNames()) chmodSync(join(path, name), 0o644);
        folder.runUnwritable(() => void act(path, undefined));
      }
    } finally {
      for (const store of opened.splice(0)) store.close();
      disk?.remove();
      folder.remove();
    }
  }

  it('F92 shows all messages, reports why it is read-only, and accepts questions once there is room', async () => {
    let chat = '';
    await onDisk(
      (store) => {
        chat = store.create();
        addExchange(store, chat, 'Why?', 'Because.');
      },
      (path, disk) => {
        disk?.fill();
        const store = open(path);
        assert.equal(store.database.readOnly, disk ? 'full' : 'unwritable');
        assert.deepEqual(readShownTexts(store, chat), ['Why?', 'Because.']);
        const kind = disk ? 'full' : 'read-only';
        assert.throws(() => addQuestion(store, chat, 'And?'), { name: 'StorageError', kind });
        if (!disk) return;
        disk.free();
        assert.equal(store.database.reopenForWriting(), true);
        addExchange(store, chat, 'And?', 'So.');
        assert.deepEqual(readShownTexts(open(path), chat), ['Why?', 'Because.', 'And?', 'So.']);
      },
    );
  });

  it('P16 F92 on a disk that fills during a reply stores the complete reply once there is room', async () => {
    await onDisk(
      () => undefined,
      async (path, disk) => {
        if (!disk) return;
        const store = open(path);
        const clock = new TestClock();
        const problems: (string | undefined)[] = [];
        const conversation = new Conversation();
        const saver = new ConversationSaver(conversation, {
          openStore: async () => store,
          readFacts: () => ({}),
          clock,
          onError: (error) => assert.ifError(error),
          onClosed: () => undefined,
          onProblem: (problem) => problems.push(problem?.kind),
        });
        const settings = { model: 'm', format: 'messages', parameters: {} } as const;
        const turn = conversation.addQuestion({ text: 'Why?', images: [], ...settings });
        await saver.storeTurns([turn]);
        const arrive = async (text: string) => {
          conversation.appendEvents(turn.id, [createTextEvent(text)]);
          saver.storeEvents(turn.id, [createTextEvent(text)]);
          await clock.advance(1_000);
        };
        await arrive('It began ');
        disk.fill();
        for (let nth = 0; nth < 5; nth++) await arrive(`and went on ${'so '.repeat(20_000)}`);
        assert.deepEqual(problems, ['full']);
        assert.ok(readShownTexts(open(path), saver.id)[1]?.startsWith('It began '));
        conversation.finish(turn.id, createResult());
        await saver.storeResult(turn.id, createResult());
        disk.free();
        await clock.advance(60_000);
        assert.deepEqual(problems, ['full', undefined]);
        const [reply] = conversation.reply(turn.id)?.replies ?? [];
        assert.deepEqual(readShownTexts(open(path), saver.id), ['Why?', reply && replyText(reply)]);
      },
    );
  });

  it('F92 does not store half an attachment', async () => {
    await onDisk(
      () => undefined,
      async (path, disk) => {
        if (!disk) return;
        const store = open(path);
        const hash = await store.attachments.add(Buffer.from('small'));
        disk.fill();
        await assert.rejects(store.attachments.add(Buffer.alloc(500_000, 'x')), {
          name: 'StorageError',
          kind: 'full',
        });
        disk.free();
        assert.deepEqual(readdirSync(join(path, 'attachments')), [hash]);
      },
    );
  });
});
