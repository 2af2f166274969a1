import assert from 'node:assert/strict';
import type {
  ConversationRecord,
  ConversationWithMessages,
  MessageRecord,
} from '../../../../src/conversations/conversation/conversationRecord.ts';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import {
  addExchange,
  addQuestion,
  addReply,
  createRequest,
  createTextEvent,
  createTextParts,
  readMessageText,
  readShownTexts,
  StoreFolder,
} from '../../../support/conversationStores.ts';

const chat: ConversationRecord = {
  id: 'chat',
  title: 'Imported',
  createdAt: 1,
  changedAt: 9,
  head: 'a2',
  gateway: 'g',
  gatewayName: 'G',
  model: 'm',
  format: 'messages',
  parameters: { systemPrompt: 'Be kind.' },
  workspace: 'file:///w',
  pinnedAt: 4,
  archivedAt: 5,
  origin: { source: 'chatgpt', id: 'there' },
  extra: { gizmo: [1, null, { deep: true }] },
};

function message(id: string, parent: string | undefined, change: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id,
    ...(parent !== undefined && { parent }),
    role: 'user',
    createdAt: 2,
    state: 'done',
    choices: [createTextParts(`text of ${id}`)],
    ...change,
  };
}

const messages: readonly MessageRecord[] = [
  message('s', undefined, { role: 'system' }),
  message('q', 's', { lastChild: 'a1' }),
  message('a1', 'q', {
    role: 'assistant',
    request: createRequest({ outcome: 'complete', usage: { inputTokens: 3 } }),
  }),
  message('a2', 'q', { role: 'assistant', state: 'stopped', editOf: 'a1', extra: { weight: 1 } }),
  message('q2', undefined, {
    choices: [
      [
        { type: 'other', value: { kind: 'strange' } },
        { type: 'reasoning', text: 'r', signature: 's' },
      ],
      [],
    ],
  }),
];

const example: ConversationWithMessages = { conversation: chat, messages };

describe('importing and exporting conversations', () => {
  let folder: StoreFolder;
  let store: ConversationStore;

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
  });
  afterEach(() => folder.remove());

  it('exports a conversation as it was imported', async () => {
    assert.deepEqual(await store.import(example), { kind: 'new', id: 'chat', added: 5 });
    assert.deepEqual(store.getWithMessages('chat'), example);
    assert.equal(
      JSON.stringify(store.getWithMessages('chat')?.messages.map(({ choices }) => choices)),
      JSON.stringify(messages.map(({ choices }) => choices)),
    );
    assert.deepEqual(readShownTexts(store, 'chat'), ['text of s', 'text of q', 'text of a2']);
    assert.ok(messages.some(({ extra }) => extra));
    assert.ok(store.readPath('chat').every(({ extra }) => extra === undefined));
    assert.equal(store.list({ archived: true }).conversations[0]?.beginning, 'text of q');
    assert.equal(store.getWithMessages('nothing'), undefined);
  });

  it('does not change a conversation whose id or origin is imported again', async () => {
    await store.import(example);
    const watch = store.onDidChange(() => assert.fail());
    assert.deepEqual(await store.import(example), { kind: 'known', id: 'chat', added: 0 });
    const renamed = { ...example, conversation: { ...chat, id: 'other' } };
    assert.deepEqual(await store.import(renamed), { kind: 'known', id: 'chat', added: 0 });
    assert.deepEqual(store.getWithMessages('chat'), example);
    watch.dispose();
    const { origin: _, ...own } = chat;
    assert.equal((await store.import({ conversation: { ...own, id: 'own' }, messages })).kind, 'new');
    assert.equal((await store.import({ conversation: { ...own, id: 'own' }, messages })).kind, 'known');
  });

  it('adds later messages, and shows them unless another branch is shown', async () => {
    await store.import(example);
    const longer = {
      conversation: { ...chat, head: 'a3', changedAt: 20 },
      messages: [...messages, message('q3', 'a2'), message('a3', 'q3', { role: 'assistant' })],
    };
    assert.deepEqual(await store.import(longer), { kind: 'extended', id: 'chat', added: 2 });
    assert.equal(store.get('chat')?.changedAt, 20);
    assert.deepEqual(readShownTexts(store, 'chat').slice(2), ['text of a2', 'text of q3', 'text of a3']);
    store.setHead('chat', 'a1');
    const longest = {
      conversation: { ...chat, head: 'q4' },
      messages: [...longer.messages, message('q4', 'a3')],
    };
    assert.equal((await store.import(longest)).added, 1);
    assert.equal(store.get('chat')?.head, 'a1');
  });

  it('adds later messages below a deleted message, which are restored with it', async () => {
    await store.import(example);
    assert.equal(store.deleteMessages('chat', 'q'), 3);
    const further = [message('q3', 'a2'), message('a3', 'q3', { role: 'assistant' })];
    const { kind, added } = await store.import({
      conversation: { ...chat, head: 'a3' },
      messages: [...messages, ...further],
    });
    assert.deepEqual([kind, added], ['extended', 2]);
    assert.deepEqual(
      store.readTree('chat').map(({ id }) => id),
      ['s', 'q2'],
    );
    assert.equal(store.undeleteMessages('chat', 'q'), true);
    assert.deepEqual(
      store.readTree('chat').map(({ id }) => id),
      ['s', 'q', 'a1', 'a2', 'q2', 'q3', 'a3'],
    );
  });

  it('adds a different message with the same id as a sibling, and only once', async () => {
    await store.import(example);
    const edited = messages.map((each) =>
      each.id === 'a1' ? { ...each, choices: [createTextParts('another answer')] } : each,
    );
    const longer = { conversation: { ...chat, head: 'a3' }, messages: [...edited, message('a3', 'a1')] };
    assert.deepEqual(await store.import(longer), { kind: 'extended', id: 'chat', added: 2 });
    assert.deepEqual(await store.import(longer), { kind: 'known', id: 'chat', added: 0 });
    const stored = store.getWithMessages('chat')?.messages ?? [];
    assert.deepEqual(stored.slice(0, 5), messages);
    const [other, below] = stored.slice(5);
    assert.deepEqual([other && readMessageText(other), other?.parent], ['another answer', 'q']);
    assert.deepEqual([below?.id, below?.parent], ['a3', other?.id]);
  });

  it('treats the beginning of a message as the same message', async () => {
    await store.import(example);
    const begun = messages.map((each) =>
      each.id === 'a1' ? { ...each, choices: [createTextParts('text of')] } : each,
    );
    assert.equal((await store.import({ conversation: chat, messages: begun })).kind, 'known');
  });

  it('stores a different conversation with the same ids separately, and only once', async () => {
    await store.import(example);
    const others = messages.map((each) => ({ ...each, choices: [createTextParts(`other ${each.id}`)] }));
    const other = { conversation: { ...chat, title: 'Other' }, messages: others };
    const first = await store.import(other);
    assert.deepEqual([first.kind, first.added], ['new', 5]);
    assert.deepEqual(await store.import(other), { kind: 'known', id: first.id, added: 0 });
    assert.equal((await store.import(example)).kind, 'known');
    assert.deepEqual(store.getWithMessages('chat'), example);
    const stored = store.getWithMessages(first.id);
    assert.deepEqual([stored?.conversation.title, stored?.messages], ['Other', others]);
  });

  it('completes a chat with missing messages, and does not change the existing ones', async () => {
    await store.import(example);
    const arrived = messages.map((each) =>
      each.id === 'a1' ? { ...each, choices: [createTextParts('text of a1, and more')] } : each,
    );
    await store.addMissing(
      { conversation: chat, messages: [...arrived, message('a3', 'a1')] },
      assert.ifError,
    );
    assert.deepEqual(store.getWithMessages('chat')?.messages, [...messages, message('a3', 'a1')]);
  });

  it('restores a deleted conversation', async () => {
    await store.import(example);
    store.delete('chat');
    assert.equal((await store.import(example)).kind, 'restored');
    assert.deepEqual(store.getWithMessages('chat'), example);
  });

  it('imports every message, also with an invalid parent', async () => {
    const strange = [
      message('child', 'later'),
      message('second child', 'later'),
      message('later', undefined),
      message('grandchild', 'child'),
      message('lost', 'nowhere'),
      message('x', 'z'),
      message('y', 'x'),
      message('z', 'y'),
      message('itself', 'itself'),
    ];
    const { head: _, ...conversation } = chat;
    assert.equal((await store.import({ conversation, messages: strange })).added, strange.length);
    assert.deepEqual(
      store.readTree('chat').map(({ id, parent }) => [id, parent]),
      [
        ['later', undefined],
        ['child', 'later'],
        ['second child', 'later'],
        ['grandchild', 'child'],
        ['lost', undefined],
        ['x', undefined],
        ['y', 'x'],
        ['z', 'y'],
        ['itself', undefined],
      ],
    );
    for (const { id } of strange) assert.ok(store.readPath('chat', id).length > 0);
  });

  it('imports all of a conversation or nothing', async () => {
    const broken = [...messages, message('bad', undefined, { role: 'nobody' as MessageRecord['role'] })];
    await assert.rejects(store.import({ conversation: chat, messages: broken }), { name: 'StorageError' });
    assert.equal(store.get('chat'), undefined);
    assert.deepEqual(store.database.all('SELECT * FROM contents'), []);
  });

  it('exports a conversation with arriving text, but without deleted messages', async () => {
    const id = store.create();
    const { question } = addExchange(store, id, 'Why?', 'Because.');
    store.deleteMessages(id, addReply(store, id, question, 'deleted'));
    const { reply } = addQuestion(store, id, 'And?');
    store.append(id, reply, [createTextEvent('Half')]);
    const stored = store.getWithMessages(id);
    assert.deepEqual(stored?.messages.map(readMessageText), ['Why?', 'Because.', 'And?', 'Half']);
    const elsewhere = new StoreFolder();
    try {
      const other = elsewhere.open();
      assert.ok(stored);
      await other.import(stored);
      assert.deepEqual(readShownTexts(other, id), ['Why?', 'Because.', 'And?', 'Half']);
      assert.equal(other.readPath(id)[3]?.state, 'stopped');
      assert.deepEqual(other.getWithMessages(id)?.conversation, stored.conversation);
    } finally {
      elsewhere.remove();
    }
  });

  it('F95 restores lost messages of a damaged file above the remaining ones', async () => {
    const id = store.create();
    const hash = await store.attachments.add(Buffer.from('a picture'));
    for (const [nth, words] of ['one', 'two', 'three'].entries()) {
      const { reply } = addQuestion(store, id, `${words}?`);
      const choices = [
        [...createTextParts(`${words}.`), { type: 'image', mimeType: 'image/png', hash } as const],
      ];
      store.finish(id, reply, { choices, request: createRequest({ usage: { inputTokens: nth } }) });
    }
    const before = store.getWithMessages(id) ?? assert.fail();
    const [question, first] = before.messages.map((each) => each.id);
    addReply(store, id, question ?? '', 'Uno.');
    store.show(id, first ?? '');
    store.deleteMessages(id, addReply(store, id, before.messages[4]?.id ?? '', 'deleted'));
    store.setHead(id, before.messages[5]?.id ?? '');
    const original = store.getWithMessages(id) ?? assert.fail();
    const lost = JSON.stringify([1, 4].map((nth) => before.messages[nth]?.id));
    store.database.write(() => {
      const { database } = store;
      database.run('DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?))', lost);
      database.run('UPDATE messages SET parent = NULL WHERE parent NOT IN (SELECT key FROM messages)');
    });
    assert.deepEqual(readShownTexts(store, id), ['three.']);
    assert.deepEqual((await store.import(original)).kind, 'extended');
    assert.deepEqual(readShownTexts(store, id), ['one?', 'one.', 'two?', 'two.', 'three?', 'three.']);
    const back = store.getWithMessages(id) ?? assert.fail();
    const places = ({ messages }: ConversationWithMessages) =>
      new Map(messages.map((each) => [each.id, [each.parent, each.choices, each.request, each.lastChild]]));
    assert.deepEqual(places(back), places(original));
    assert.equal((await store.import(original)).kind, 'known');
    const keys = store.database.values('SELECT key, parent FROM messages');
    for (const [key, parent] of keys) assert.ok(Number(key) > Number(parent));
    addExchange(store, id, 'four?', 'Four.');
    assert.deepEqual(readShownTexts(store, id).slice(-3), ['three.', 'four?', 'Four.']);
  });

  it('F95 restores lost texts of a damaged file, and does not change others', async () => {
    const id = store.create();
    addExchange(store, id, 'one?', 'One.');
    addExchange(store, id, 'two?', 'Two.');
    const messages = store.readPath(id);
    const lost = messages[2]?.id ?? '';
    const key = 'SELECT key FROM messages WHERE id = ?';
    store.database.write(() =>
      store.database.run(`UPDATE contents SET choices = '[]' WHERE message = (${key})`, lost),
    );
    assert.deepEqual(readShownTexts(store, id), ['one?', 'One.', '', 'Two.']);
    const conversation = store.get(id) ?? assert.fail();
    const others = messages.map((each) =>
      each.id === lost ? each : { ...each, choices: [createTextParts(readMessageText(each).slice(0, 2))] },
    );
    assert.deepEqual(await store.import({ conversation, messages: others }), {
      kind: 'extended',
      id,
      added: 1,
    });
    assert.deepEqual(readShownTexts(store, id), ['one?', 'One.', 'two?', 'Two.']);
  });
});
