import assert from 'node:assert/strict';
import { createRequest, createTextParts, StoreFolder } from '../../../support/conversationStores.ts';

describe('the comparison of a stored conversation', () => {
  let folder: StoreFolder;

  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.remove());

  function comparedChat(store = folder.open()) {
    const chat = store.create();
    const replies = ['a', 'b', 'c'].map((id) => ({ id, request: createRequest({ model: id }) }));
    store.addQuestion(chat, { question: { id: 'q', parts: createTextParts('Which?') }, replies });
    return { store, chat };
  }

  it('is stored in order, with the column on the path, for every window', () => {
    const { store, chat } = comparedChat();
    store.compare(chat, ['c', 'a', 'b'], 'a');
    const other = folder.open().get(chat);
    assert.deepEqual([other?.compared, other?.head], [['c', 'a', 'b'], 'a']);
    assert.equal(other?.changedAt, store.get(chat)?.createdAt);
    store.compare(chat, [], 'b');
    assert.deepEqual([store.get(chat)?.compared, store.get(chat)?.head], [undefined, 'b']);
  });

  it('does not change the siblings, and is not copied into a fork', () => {
    const { store, chat } = comparedChat();
    store.compare(chat, ['a', 'b', 'c'], 'a');
    const parents = store.readTree(chat).map(({ id, parent }) => [id, parent]);
    assert.deepEqual(parents, [
      ['q', undefined],
      ['a', 'q'],
      ['b', 'q'],
      ['c', 'q'],
    ]);
    for (const id of ['a', 'b', 'c']) {
      store.finish(chat, id, {
        choices: [createTextParts(id)],
        request: createRequest({ outcome: 'complete' }),
        isUnbilled: false,
      });
    }
    const fork = store.fork(chat, 'b') ?? assert.fail();
    assert.equal(store.get(fork)?.compared, undefined);
    assert.deepEqual(
      store.readTree(fork).map(({ id }) => id),
      ['q', 'b'],
    );
  });

  it('is imported if the file contains it', async () => {
    const { store, chat } = comparedChat();
    store.compare(chat, ['a', 'b'], 'a');
    const conversation = store.getWithMessages(chat) ?? assert.fail();
    const messages = conversation.messages.map((message) => ({ ...message, state: 'stopped' as const }));
    const { compared: _, ...old } = conversation.conversation;
    await store.import({ conversation: { ...conversation.conversation, id: 'new' }, messages });
    await store.import({ conversation: { ...old, id: 'old' }, messages });
    assert.deepEqual(store.get('new')?.compared, ['a', 'b']);
    assert.equal(store.get('old')?.compared, undefined);
  });
});
