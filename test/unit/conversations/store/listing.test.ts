import assert from 'node:assert/strict';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import type { ListCursor, ListFilter } from '../../../../src/conversations/store/listing.ts';
import {
  addExchange,
  addQuestion,
  addReply,
  createRequest,
  createTextParts,
  StoreFolder,
} from '../../../support/conversationStores.ts';

describe('the list of stored conversations', () => {
  let folder: StoreFolder;
  let store: ConversationStore;

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
  });
  afterEach(() => folder.remove());

  /** A conversation with one question, a minute after the previous conversation. */
  function chat(question: string, properties: Parameters<ConversationStore['create']>[0] = {}): string {
    folder.clock.time += 60_000;
    const id = store.create(properties);
    addExchange(store, id, question, `An answer to ${question}`);
    return id;
  }

  function ids(filter?: ListFilter): readonly string[] {
    return store.list(filter).conversations.map(({ id }) => id);
  }

  it('has the facts of each conversation, the last changed one first', () => {
    const first = chat('Why?', { workspace: 'file:///work', gateway: 'g', gatewayName: 'G' });
    const second = chat('\n  How\tdoes\nit work? ', { title: 'Ways' });
    folder.clock.time += 60_000;
    const later = folder.clock.time;
    const added = addQuestion(store, first, 'And?');
    assert.deepEqual(store.list().conversations, [
      {
        key: 1,
        id: first,
        title: '',
        beginning: 'Why?',
        createdAt: later - 120_000,
        changedAt: later,
        messages: 4,
        isDraft: false,
        isArriving: true,
        model: 'chat-1',
        workspace: 'file:///work',
        gateway: 'g',
        gatewayName: 'G',
      },
      {
        key: 2,
        id: second,
        title: 'Ways',
        beginning: 'How does it work?',
        createdAt: later - 60_000,
        changedAt: later - 60_000,
        messages: 2,
        isDraft: false,
        isArriving: false,
        model: 'chat-1',
      },
    ]);
    store.deleteMessages(first, added.question);
    assert.equal(store.list().conversations[0]?.messages, 2);
  });

  it('contains a conversation without questions as long as it has a draft', () => {
    const chatId = chat('Why?');
    const id = store.create();
    assert.deepEqual(ids(), [chatId]);
    const received: unknown[] = [];
    store.onDidChange((changed) => received.push(changed));
    folder.clock.time += 60_000;
    store.drafts.write({ text: '\n Half a\nthought', attachments: [] }, id);
    const [draft] = store.list().conversations;
    assert.deepEqual(
      [draft?.id, draft?.beginning, draft?.isDraft, draft?.changedAt, draft?.messages],
      [id, 'Half a thought', true, folder.clock.time, 0],
    );
    assert.deepEqual(ids({ hasMessages: true }), [chatId]);
    store.drafts.write({ text: '', attachments: [] }, id);
    assert.deepEqual(ids(), [chatId]);
    assert.deepEqual(received, [[id], [id]]);
    store.drafts.write({ text: 'And?', attachments: [] }, chatId);
    assert.deepEqual(received.at(-1), [], 'a draft does not change the entry of a chat with messages');
    assert.equal(store.list().conversations[0]?.isDraft, false);
  });

  it('contains a deleted conversation without questions again after it was restored', () => {
    const id = store.create();
    store.drafts.write({ text: 'Half a thought', attachments: [] }, id);
    store.delete(id);
    assert.deepEqual(
      [ids(), store.listDeleted(10).map(({ beginning }) => beginning)],
      [[], ['Half a thought']],
    );
    store.undelete(id);
    assert.deepEqual(ids(), [id]);
    assert.equal(store.drafts.read(id)?.text, 'Half a thought');
  });

  it('has a short beginning of the first question with text', () => {
    const long = chat(`${' '.repeat(1_000)}${'long words '.repeat(100_000)}`);
    const picture = store.create();
    const image = { type: 'image', mimeType: 'image/png', hash: 'ab' } as const;
    const added = store.addQuestion(picture, { question: { parts: [image] }, replies: [] });
    assert.equal(store.list().conversations[0]?.beginning, '');
    addQuestion(store, picture, 'What is it?', added?.question);
    const [first, second] = store.list().conversations;
    assert.equal(first?.beginning, 'What is it?');
    assert.equal(second?.id, long);
    assert.ok((second?.beginning.length ?? 0) <= 200 && second?.beginning.startsWith('long words'));
  });

  it('has the beginning of a long title, which is stored completely', () => {
    const title = '😀'.repeat(10_000);
    const id = store.create({ title });
    addQuestion(store, id, 'Why?');
    assert.equal(store.list().conversations[0]?.title, '😀'.repeat(1_000));
    assert.equal(store.get(id)?.title, title);
  });

  it('is returned in pages, also for conversations that changed in the same millisecond', () => {
    const created = Array.from({ length: 25 }, (_, nth) => {
      const id = store.create();
      if (nth % 5 === 0) folder.clock.time += 1;
      addQuestion(store, id, `Question ${nth}`);
      return id;
    });
    const pages: string[][] = [];
    let after: ListCursor | undefined;
    do {
      const page = store.list({}, 10, after);
      pages.push(page.conversations.map(({ id }) => id));
      after = page.next;
    } while (after);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [10, 10, 5],
    );
    assert.deepEqual(pages.flat(), created.toReversed());
  });

  it('contains only conversations that match the filter', () => {
    const plain = chat('plain');
    const placed = chat('placed', { workspace: 'file:///work', gateway: 'g' });
    const pinned = chat('pinned');
    const archived = chat('archived');
    const deleted = chat('deleted');
    const questioned = chat('asked');
    store.addQuestion(questioned, {
      question: { parts: createTextParts('x') },
      replies: [{ request: createRequest({ model: 'rare' }) }],
    });
    store.pin(pinned, true);
    store.archive(archived, true);
    store.delete(deleted);
    assert.deepEqual(ids(), [questioned, pinned, placed, plain]);
    assert.deepEqual(ids({ workspace: 'file:///work' }), [placed]);
    assert.deepEqual(ids({ gateway: 'g' }), [placed]);
    assert.deepEqual(ids({ model: 'rare' }), [questioned]);
    assert.deepEqual(ids({ pinned: true }), [pinned]);
    assert.deepEqual(ids({ pinned: false }), [questioned, placed, plain]);
    assert.deepEqual(ids({ archived: true }), [archived]);
    assert.deepEqual(ids({ archived: 'any' }), [questioned, archived, pinned, placed, plain]);
    assert.deepEqual(
      store.listDeleted(10).map(({ id }) => id),
      [deleted],
    );
    const { changedAt } = store.get(pinned) ?? { changedAt: 0 };
    assert.deepEqual(ids({ from: changedAt }), [questioned, pinned]);
    assert.deepEqual(ids({ to: changedAt }), [placed, plain]);
    store.undelete(deleted);
    store.archive(archived, false);
    store.pin(pinned, false);
    assert.deepEqual(ids({ pinned: true }), []);
    assert.deepEqual(ids(), [questioned, deleted, archived, pinned, placed, plain]);
  });

  it('begins with the last deleted conversation if it lists deleted ones', () => {
    const deleted = ['a', 'b', 'c'].map((title) => chat(title));
    const [a = '', b = '', c = ''] = deleted;
    store.archive(c, true);
    for (const id of [b, c, a]) {
      folder.clock.time += 1;
      store.delete(id);
    }
    const ids = () => store.listDeleted(2).map(({ id }) => id);
    assert.deepEqual(ids(), [a, c]);
    store.undelete(a);
    assert.deepEqual(ids(), [c, b]);
  });

  it('has the possible values of its filters, without those of deleted conversations', () => {
    chat('a', { workspace: 'file:///a', gateway: 'g', gatewayName: 'G' });
    chat('b', { workspace: 'file:///b', gateway: 'h' });
    const deleted = store.create({ workspace: 'file:///c', gateway: 'i' });
    store.addQuestion(deleted, {
      question: { parts: [{ type: 'text', text: 'Why?' }] },
      replies: [{ request: createRequest({ model: 'chat-2' }) }],
    });
    store.delete(deleted);
    assert.deepEqual(store.readFilterValues(), {
      workspaces: ['file:///a', 'file:///b'],
      gateways: [
        { gateway: 'g', gatewayName: 'G' },
        { gateway: 'h', gatewayName: 'h' },
      ],
      models: ['chat-1'],
    });
  });

  it('excludes conversations without messages, and has the titles of the others', () => {
    store.create({ title: 'empty' });
    const id = chat('Why?');
    store.rename(id, 'Reasons');
    assert.deepEqual(
      store.list().conversations.map(({ title }) => title),
      ['Reasons'],
    );
  });

  it('reports every change with the ids of the conversations', () => {
    const received: unknown[] = [];
    store.onDidChange((ids) => received.push(ids));
    const id = store.create();
    addExchange(store, id, 'Why?', 'Because.');
    store.rename(id, 'Reasons');
    store.rename('nothing', 'x');
    assert.deepEqual(received, [[id], [id], [id], [id]]);
  });

  it('reports the changes of other windows', () => {
    const other = folder.open();
    const received: unknown[] = [];
    store.onDidChange((ids) => received.push(ids));
    assert.equal(store.detectExternalChanges(), false);
    const id = other.create();
    const { question } = addExchange(other, id, 'Why?', 'Because.');
    assert.equal(store.detectExternalChanges(), true);
    assert.equal(store.detectExternalChanges(), false);
    addReply(store, id, question, 'So.');
    assert.equal(store.detectExternalChanges(), false);
    assert.deepEqual(received.slice(0, 1), [[id]]);
    other.pin(id, true);
    assert.equal(store.detectExternalChanges(), true);
    assert.deepEqual(received.at(-1), [id]);
  });
});
