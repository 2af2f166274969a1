import assert from 'node:assert/strict';
import { openConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import { storeMigrations } from '../../../../src/conversations/store/storeSchema.ts';
import { openDatabase } from '../../../../src/storage/database.ts';
import { request, StoreFolder, text } from '../../../support/conversationStores.ts';

describe('what a kept conversation shows side by side', () => {
  let folder: StoreFolder;

  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.remove());

  function asked(store = folder.open()) {
    const chat = store.create();
    const answers = ['a', 'b', 'c'].map((id) => ({ id, request: request({ model: id }) }));
    store.ask(chat, { question: { id: 'q', parts: text('Which?') }, answers });
    return { store, chat };
  }

  it('is kept in order, with the column that is the path, for every window', () => {
    const { store, chat } = asked();
    store.compare(chat, ['c', 'a', 'b'], 'a');
    const other = folder.open().get(chat);
    assert.deepEqual([other?.compared, other?.head], [['c', 'a', 'b'], 'a']);
    assert.equal(other?.changedAt, store.get(chat)?.createdAt);
    store.compare(chat, [], 'b');
    assert.deepEqual([store.get(chat)?.compared, store.get(chat)?.head], [undefined, 'b']);
  });

  it('keeps all answers as siblings, and none of a fork', () => {
    const { store, chat } = asked();
    store.compare(chat, ['a', 'b', 'c'], 'a');
    const parents = store.tree(chat).map(({ id, parent }) => [id, parent]);
    assert.deepEqual(parents, [
      ['q', undefined],
      ['a', 'q'],
      ['b', 'q'],
      ['c', 'q'],
    ]);
    for (const id of ['a', 'b', 'c']) {
      store.finish(chat, id, {
        choices: [text(id)],
        request: request({ outcome: 'complete' }),
        madeNothing: false,
      });
    }
    const fork = store.fork(chat, 'b') ?? assert.fail();
    assert.equal(store.get(fork)?.compared, undefined);
    assert.deepEqual(
      store.tree(fork).map(({ id }) => id),
      ['q', 'b'],
    );
  });

  it('goes along with an import, and is absent where the file knows nothing of it', async () => {
    const { store, chat } = asked();
    store.compare(chat, ['a', 'b'], 'a');
    const whole = store.whole(chat) ?? assert.fail();
    const messages = whole.messages.map((message) => ({ ...message, state: 'stopped' as const }));
    const { compared: _, ...old } = whole.conversation;
    await store.import({ conversation: { ...whole.conversation, id: 'new' }, messages });
    await store.import({ conversation: { ...old, id: 'old' }, messages });
    assert.deepEqual(store.get('new')?.compared, ['a', 'b']);
    assert.equal(store.get('old')?.compared, undefined);
  });

  it('comes to a file of an earlier version, of which a copy is made before', () => {
    const before = openDatabase({ path: folder.file, migrations: storeMigrations.slice(0, 1) });
    before.write(() =>
      before.run(
        `INSERT INTO conversations (id, title, beginning, createdAt, changedAt, revision)
         VALUES ('old', 'From before', '', 1, 1, 0)`,
      ),
    );
    before.close();
    const store = openConversationStore({ file: folder.file, window: 'new', now: Date.now });
    try {
      assert.equal(store.get('old')?.title, 'From before');
      assert.equal(store.get('old')?.compared, undefined);
    } finally {
      store.close();
    }
    assert.ok(folder.names().includes('backup-v1-conversations.sqlite'), folder.names().join());
  });
});
