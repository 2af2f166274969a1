import assert from 'node:assert/strict';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../../src/conversations/store/conversationStore.ts';
import { ReplyKeeper } from '../../../../src/conversations/store/replyKeeper.ts';
import type { StorageError } from '../../../../src/storage/database.ts';
import { WriteRetryQueue } from '../../../../src/storage/writeRetryQueue.ts';
import { ask, exchange, request, shown, text, words } from '../../../support/conversationStores.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';
import { SmallDisk } from '../../../support/smallDisk.ts';
import { TestClock } from '../../../support/testClock.ts';

describe('a store of conversations where nothing can be written', () => {
  const opened: ConversationStore[] = [];

  function open(path: string): ConversationStore {
    const store = openConversationStore({
      file: join(path, 'conversations.sqlite'),
      window: `w${opened.length}`,
    });
    opened.push(store);
    return store;
  }

  /** On a disk of its own; where none can be had, in a folder that lets nothing be written. */
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
        for (const name of folder.names()) chmodSync(join(path, name), 0o644);
        folder.unwritable(() => void act(path, undefined));
      }
    } finally {
      for (const store of opened.splice(0)) store.close();
      disk?.remove();
      folder.remove();
    }
  }

  it('F92 shows all, says why nothing can be asked, and takes questions once there is room', async () => {
    let chat = '';
    await onDisk(
      (store) => {
        chat = store.create();
        exchange(store, chat, 'Why?', 'Because.');
      },
      (path, disk) => {
        disk?.fill();
        const store = open(path);
        assert.equal(store.database.readOnly, disk ? 'full' : 'unwritable');
        assert.deepEqual(shown(store, chat), ['Why?', 'Because.']);
        const kind = disk ? 'full' : 'read-only';
        assert.throws(() => ask(store, chat, 'And?'), { name: 'StorageError', kind });
        if (!disk) return;
        disk.free();
        assert.equal(store.database.reopenForWriting(), true);
        exchange(store, chat, 'And?', 'So.');
        assert.deepEqual(shown(open(path), chat), ['Why?', 'Because.', 'And?', 'So.']);
      },
    );
  });

  it('P16 F92 that fills while a reply arrives keeps all of the reply once there is room', async () => {
    await onDisk(
      () => undefined,
      async (path, disk) => {
        if (!disk) return;
        const store = open(path);
        const chat = store.create();
        const { answer } = ask(store, chat, 'Why?');
        const clock = new TestClock();
        const errors: StorageError['kind'][] = [];
        const keeper = new ReplyKeeper({
          ...{ store, conversation: chat, answer, clock, writes: new WriteRetryQueue(clock, undefined) },
          onError: ({ kind }) => errors.push(kind),
        });
        keeper.add([words('It began ')]);
        await clock.advance(1_000);
        disk.fill();
        let reply = 'It began ';
        for (let nth = 0; nth < 5; nth++) {
          const more = `and went on ${'so '.repeat(20_000)}`;
          reply += more;
          keeper.add([words(more)]);
          await clock.advance(1_000);
        }
        assert.ok(errors.length > 0 && errors.every((kind) => kind === 'full'));
        assert.ok(shown(open(path), chat)[1]?.startsWith('It began '));
        const written = keeper.finish({ choices: [text(reply)], request: request({ outcome: 'complete' }) });
        assert.ok(written);
        disk.free();
        await clock.advance(60_000);
        assert.equal(await written, true);
        assert.deepEqual(shown(open(path), chat), ['Why?', reply]);
      },
    );
  });

  it('F92 keeps no half of an attachment', async () => {
    await onDisk(
      () => undefined,
      async (path, disk) => {
        if (!disk) return;
        const store = open(path);
        const hash = await store.attachments.keep(Buffer.from('small'));
        disk.fill();
        await assert.rejects(store.attachments.keep(Buffer.alloc(500_000, 'x')), {
          name: 'StorageError',
          kind: 'full',
        });
        disk.free();
        assert.deepEqual(readdirSync(join(path, 'attachments')), [hash]);
      },
    );
  });
});
