import assert from 'node:assert/strict';
import type { MessageRecord } from '../../../../src/conversations/conversation/conversationRecord.ts';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import {
  again,
  exchange,
  finish,
  request,
  StoreFolder,
  shown,
  text,
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
    const first = exchange(store, chat, 'A', 'a1');
    const second = exchange(store, chat, 'B', 'b');
    const other = again(store, chat, first.question, 'a2');
    assert.deepEqual(store.readPathIds(chat, other), [first.question, other]);
    assert.deepEqual(store.readPathIds(chat, second.question), [
      first.question,
      first.answer,
      second.question,
    ]);
    store.deleteMessages(chat, other);
    assert.deepEqual(store.readPathIds(chat, other), []);
    assert.deepEqual(store.readPathIds('nothing', other), []);
  });

  it('are shown as they were left', () => {
    const first = exchange(store, chat, 'A', 'a1');
    exchange(store, chat, 'B', 'b');
    const other = again(store, chat, first.question, 'a2');
    assert.deepEqual(shown(store, chat), ['A', 'a2']);
    const hidden = exchange(store, chat, 'C', 'c1');
    again(store, chat, hidden.question, 'c2');
    store.show(chat, hidden.answer);
    store.show(chat, first.answer);
    assert.deepEqual(shown(store, chat), ['A', 'a1', 'B', 'b']);
    store.show(chat, other);
    assert.deepEqual(shown(store, chat), ['A', 'a2', 'C', 'c1']);
  });

  it('are shown as they were left, also with nested forks', () => {
    const root = exchange(store, chat, 'A', 'a1');
    const deep = exchange(store, chat, 'B', 'b1');
    const deeper = again(store, chat, deep.question, 'b2');
    const second = again(store, chat, root.question, 'a2');
    store.setHead(chat, deep.answer);
    store.show(chat, second);
    store.show(chat, root.answer);
    assert.deepEqual(shown(store, chat), ['A', 'a1', 'B', 'b1']);
    store.setHead(chat, deeper);
    store.show(chat, second);
    store.show(chat, root.question);
    assert.deepEqual(shown(store, chat), ['A', 'a2']);
    store.show(chat, root.answer);
    assert.deepEqual(shown(store, chat), ['A', 'a1', 'B', 'b2']);
  });

  it('are deleted with all later messages, and restored as they were', () => {
    const first = exchange(store, chat, 'A', 'a1');
    const below = exchange(store, chat, 'B', 'b');
    again(store, chat, first.question, 'a2');
    store.show(chat, first.answer);
    const before = store.readTree(chat);
    assert.equal(store.deleteMessages(chat, first.answer), 3);
    assert.deepEqual(shown(store, chat), ['A', 'a2']);
    assert.equal(store.deleteMessages(chat, below.question), 0);
    assert.ok(store.undeleteMessages(chat, first.answer));
    assert.deepEqual(shown(store, chat), ['A', 'a1', 'B', 'b']);
    assert.deepEqual(store.readTree(chat), before);
  });

  it('leave their question when the only branch is deleted, and nothing when the root is deleted', () => {
    const { question, answer } = exchange(store, chat, 'A', 'a');
    store.deleteMessages(chat, answer);
    assert.deepEqual(shown(store, chat), ['A']);
    store.deleteMessages(chat, question);
    assert.deepEqual([shown(store, chat), store.get(chat)?.head], [[], undefined]);
    assert.deepEqual(store.list().conversations, []);
    store.undeleteMessages(chat, question);
    assert.deepEqual(shown(store, chat), ['A']);
    store.undeleteMessages(chat, answer);
    assert.deepEqual(shown(store, chat), ['A', 'a']);
  });

  it('are restored only with their question if that was deleted later', () => {
    const { question, answer } = exchange(store, chat, 'A', 'a');
    store.deleteMessages(chat, answer);
    store.deleteMessages(chat, question);
    assert.equal(store.undeleteMessages(chat, answer), false);
    assert.ok(store.undeleteMessages(chat, question));
    assert.deepEqual(shown(store, chat), ['A', 'a']);
  });

  it('contain a reply that was written in place of a missing one, and its restored question', () => {
    const { question, answer } = exchange(store, chat, 'A', 'a');
    store.deleteMessages(chat, answer);
    store.deleteMessages(chat, question);
    const edit = { parts: text('by hand') };
    assert.equal(store.edit(chat, 'missing', edit), undefined);
    assert.equal(store.edit(chat, 'missing', { ...edit, question: 'missing, too' }), undefined);
    assert.deepEqual(shown(store, chat), []);
    assert.ok(store.edit(chat, 'missing', { ...edit, question }));
    assert.deepEqual(shown(store, chat), ['A', 'by hand']);
  });

  it('are copied into a new conversation by a fork', () => {
    const first = exchange(store, chat, 'A', 'a1');
    exchange(store, chat, 'B', 'b');
    again(store, chat, first.question, 'a2');
    const fork = store.fork(chat, first.answer) ?? '';
    assert.deepEqual(shown(store, fork), ['A', 'a1']);
    assert.deepEqual([store.get(fork)?.forkOf, store.get(fork)?.title], [chat, 'Reasons']);
    exchange(store, fork, 'D', 'd');
    assert.deepEqual(shown(store, chat), ['A', 'a2']);
    assert.equal(store.readTree(chat).length, 5);
    assert.equal(store.fork(chat, 'nothing'), undefined);
  });

  it('are copied completely: texts, requests, edits, attachments and the beginning in the list', async () => {
    const hash = await store.attachments.add(Buffer.from('a picture'));
    const parts = [{ type: 'image', mimeType: 'image/png', hash } as const, ...text('Another way in')];
    exchange(store, chat, 'One way in', 'x');
    const added = store.addQuestion(chat, { question: { parts }, replies: [{ request: request() }] });
    const [answer = ''] = added?.replies ?? [];
    assert.equal(store.fork(chat, answer), undefined);
    finish(store, chat, answer, 'a');
    const edited = store.edit(chat, answer, { parts: text('b') }) ?? '';
    const { answer: last } = exchange(store, chat, 'C', 'c', edited);
    const fork = store.fork(chat, last) ?? '';
    const withoutChoice = ({ lastChild: _, ...message }: MessageRecord) => message;
    assert.deepEqual(store.readPath(fork), store.readPath(chat).map(withoutChoice));
    assert.equal(store.readPath(fork)[1]?.editOf, answer);
    assert.equal(store.list({ ids: [fork] }).conversations[0]?.beginning, 'Another way in');
    store.delete(chat);
    folder.clock.time += 31 * 24 * 3_600_000;
    while (store.purge());
    assert.equal(store.attachments.has(hash), true);
    assert.deepEqual(shown(store, fork), ['Another way in', 'b', 'C', 'c']);
    const again = store.fork(fork, last) ?? '';
    assert.deepEqual(store.readPath(again), store.readPath(fork));
  });
});
