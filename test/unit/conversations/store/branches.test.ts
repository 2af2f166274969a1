import assert from 'node:assert/strict';
import type { MessageRecord } from '../../../../src/conversations/conversation/conversationRecord.ts';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import {
  addExchange,
  addReply,
  createRequest,
  createTextParts,
  finishReply,
  readShownTexts,
  StoreFolder,
} from '../../../support/conversationStores.ts';

describe('the branches of a stored conversation', () => {
  let folder: StoreFolder;
  let store: ConversationStore;
  let chat: string;

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
    chat = store.create({ title: 'Reasons' });
  });
  afterEach(() => folder.remove());

  it('are returned as the ids of their messages', () => {
    const first = addExchange(store, chat, 'A', 'a1');
    const second = addExchange(store, chat, 'B', 'b');
    const other = addReply(store, chat, first.question, 'a2');
    assert.deepEqual(store.readPathIds(chat, other), [first.question, other]);
    assert.deepEqual(store.readPathIds(chat, second.question), [
      first.question,
      first.reply,
      second.question,
    ]);
    store.deleteMessages(chat, other);
    assert.deepEqual(store.readPathIds(chat, other), []);
    assert.deepEqual(store.readPathIds('nothing', other), []);
  });

  it('are shown as they were left', () => {
    const first = addExchange(store, chat, 'A', 'a1');
    addExchange(store, chat, 'B', 'b');
    const other = addReply(store, chat, first.question, 'a2');
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a2']);
    const hidden = addExchange(store, chat, 'C', 'c1');
    addReply(store, chat, hidden.question, 'c2');
    store.show(chat, hidden.reply);
    store.show(chat, first.reply);
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a1', 'B', 'b']);
    store.show(chat, other);
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a2', 'C', 'c1']);
  });

  it('are shown as they were left, also with nested forks', () => {
    const root = addExchange(store, chat, 'A', 'a1');
    const deep = addExchange(store, chat, 'B', 'b1');
    const deeper = addReply(store, chat, deep.question, 'b2');
    const second = addReply(store, chat, root.question, 'a2');
    store.setHead(chat, deep.reply);
    store.show(chat, second);
    store.show(chat, root.reply);
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a1', 'B', 'b1']);
    store.setHead(chat, deeper);
    store.show(chat, second);
    store.show(chat, root.question);
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a2']);
    store.show(chat, root.reply);
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a1', 'B', 'b2']);
  });

  it('are deleted with all later messages, and restored as they were', () => {
    const first = addExchange(store, chat, 'A', 'a1');
    const below = addExchange(store, chat, 'B', 'b');
    addReply(store, chat, first.question, 'a2');
    store.show(chat, first.reply);
    const before = store.readTree(chat);
    assert.equal(store.deleteMessages(chat, first.reply), 3);
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a2']);
    assert.equal(store.deleteMessages(chat, below.question), 0);
    assert.ok(store.undeleteMessages(chat, first.reply));
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a1', 'B', 'b']);
    assert.deepEqual(store.readTree(chat), before);
  });

  it('leave their question when the only branch is deleted, and nothing when the root is deleted', () => {
    const { question, reply } = addExchange(store, chat, 'A', 'a');
    store.deleteMessages(chat, reply);
    assert.deepEqual(readShownTexts(store, chat), ['A']);
    store.deleteMessages(chat, question);
    assert.deepEqual([readShownTexts(store, chat), store.get(chat)?.head], [[], undefined]);
    assert.deepEqual(store.list().conversations, []);
    store.undeleteMessages(chat, question);
    assert.deepEqual(readShownTexts(store, chat), ['A']);
    store.undeleteMessages(chat, reply);
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a']);
  });

  it('are restored only with their question if that was deleted later', () => {
    const { question, reply } = addExchange(store, chat, 'A', 'a');
    store.deleteMessages(chat, reply);
    store.deleteMessages(chat, question);
    assert.equal(store.undeleteMessages(chat, reply), false);
    assert.ok(store.undeleteMessages(chat, question));
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a']);
  });

  it('contain a reply that was written in place of a missing one, and its restored question', () => {
    const { question, reply } = addExchange(store, chat, 'A', 'a');
    store.deleteMessages(chat, reply);
    store.deleteMessages(chat, question);
    const edit = { parts: createTextParts('by hand') };
    assert.equal(store.edit(chat, 'missing', edit), undefined);
    assert.equal(store.edit(chat, 'missing', { ...edit, question: 'missing, too' }), undefined);
    assert.deepEqual(readShownTexts(store, chat), []);
    assert.ok(store.edit(chat, 'missing', { ...edit, question }));
    assert.deepEqual(readShownTexts(store, chat), ['A', 'by hand']);
  });

  it('are copied into a new conversation by a fork', () => {
    const first = addExchange(store, chat, 'A', 'a1');
    addExchange(store, chat, 'B', 'b');
    addReply(store, chat, first.question, 'a2');
    const fork = store.fork(chat, first.reply) ?? '';
    assert.deepEqual(readShownTexts(store, fork), ['A', 'a1']);
    assert.deepEqual([store.get(fork)?.forkOf, store.get(fork)?.title], [chat, 'Reasons']);
    addExchange(store, fork, 'D', 'd');
    assert.deepEqual(readShownTexts(store, chat), ['A', 'a2']);
    assert.equal(store.readTree(chat).length, 5);
    assert.equal(store.fork(chat, 'nothing'), undefined);
  });

  it('are copied completely: texts, requests, edits, attachments and the beginning in the list', async () => {
    const hash = await store.attachments.add(Buffer.from('a picture'));
    const parts = [
      { type: 'image', mimeType: 'image/png', hash } as const,
      ...createTextParts('Another way in'),
    ];
    addExchange(store, chat, 'One way in', 'x');
    const added = store.addQuestion(chat, { question: { parts }, replies: [{ request: createRequest() }] });
    const [reply = ''] = added?.replies ?? [];
    assert.equal(store.fork(chat, reply), undefined);
    finishReply(store, chat, reply, 'a');
    const edited = store.edit(chat, reply, { parts: createTextParts('b') }) ?? '';
    const { reply: last } = addExchange(store, chat, 'C', 'c', edited);
    const fork = store.fork(chat, last) ?? '';
    const withoutChoice = ({ lastChild: _, ...message }: MessageRecord) => message;
    assert.deepEqual(store.readPath(fork), store.readPath(chat).map(withoutChoice));
    assert.equal(store.readPath(fork)[1]?.editOf, reply);
    assert.equal(store.list({ ids: [fork] }).conversations[0]?.beginning, 'Another way in');
    store.delete(chat);
    folder.clock.time += 31 * 24 * 3_600_000;
    while (store.purge());
    assert.equal(store.attachments.has(hash), true);
    assert.deepEqual(readShownTexts(store, fork), ['Another way in', 'b', 'C', 'c']);
    const again = store.fork(fork, last) ?? '';
    assert.deepEqual(store.readPath(again), store.readPath(fork));
  });
});
