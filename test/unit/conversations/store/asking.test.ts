import assert from 'node:assert/strict';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import {
  again,
  ask,
  exchange,
  finish,
  request,
  StoreFolder,
  shown,
  text,
  textOf,
  words,
} from '../../../support/conversationStores.ts';

describe('asking in a stored conversation', () => {
  let folder: StoreFolder;
  let store: ConversationStore;
  let chat: string;

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
    chat = store.create({ workspace: 'file:///work' });
  });
  afterEach(() => folder.remove());

  it('stores the question and a pending reply', () => {
    const { question, answer } = ask(store, chat, 'Why?');
    const [storedQuestion, arriving] = folder.open().readPath(chat);
    assert.deepEqual(
      [storedQuestion?.id, storedQuestion?.role, storedQuestion?.state, storedQuestion?.choices],
      [question, 'user', 'done', [text('Why?')]],
    );
    assert.deepEqual(
      [arriving?.id, arriving?.parent, arriving?.role, arriving?.state, arriving?.choices, arriving?.request],
      [answer, question, 'assistant', 'arriving', [], request()],
    );
    assert.equal(store.get(chat)?.head, answer);
  });

  it('writes questions and complete replies durably, but not arriving text', () => {
    const { database } = store;
    const writeDurably = database.writeDurably.bind(database);
    const isDurable = (act: () => unknown): boolean => {
      let level: unknown;
      database.writeDurably = (change) =>
        writeDurably(() => {
          [[level]] = database.values('PRAGMA synchronous') as [[unknown]];
          return change();
        });
      act();
      // SQLite's number for FULL.
      return level === 2;
    };
    const { question, answer } = ask(store, chat, 'Why?');
    const durable = [
      () => ask(store, chat, 'How?', answer),
      () => store.append(chat, answer, [words('So.')]),
      () => finish(store, chat, answer, 'So.'),
      () => store.edit(chat, answer, { parts: text('No.') }),
      () => store.fork(chat, question),
    ].map(isDurable);
    assert.deepEqual(durable, [true, false, true, true, true]);
  });

  it('stores arriving text at once, and the complete reply with its parts at the end', () => {
    const { answer } = ask(store, chat, 'Why?');
    assert.ok(store.append(chat, answer, [words('Be'), words('cause '), words('other', 1)]));
    assert.ok(store.append(chat, answer, [{ type: 'reasoning', choice: 0, text: 'hm' }, words('of.')]));
    const other = folder.open();
    assert.deepEqual(other.readMessages(chat, [answer])[0]?.choices, [
      [
        { type: 'text', text: 'Because ' },
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'of.' },
      ],
      text('other'),
    ]);
    finish(store, chat, answer, 'Because of.', { outcome: 'truncated', finishReason: 'length' });
    const [, done] = other.readPath(chat);
    assert.deepEqual([done?.state, done?.choices], ['done', [text('Because of.')]]);
    assert.equal(done?.request?.finishReason, 'length');
    assert.deepEqual(store.database.all('SELECT * FROM chunks'), []);
  });

  it('rejects more text for a reply that is complete or that another window receives', () => {
    const { answer } = ask(store, chat, 'Why?');
    const other = folder.open();
    assert.equal(other.append(chat, answer, [words('x')]), false);
    assert.equal(other.finish(chat, answer, { choices: [text('x')], request: request() }), false);
    finish(store, chat, answer, 'Because.');
    assert.equal(store.append(chat, answer, [words('x')]), false);
    assert.equal(store.finish(chat, answer, { choices: [], request: request() }), false);
    assert.deepEqual(shown(store, chat), ['Why?', 'Because.']);
  });

  it('adds siblings in order for an edited question, a retry and an edited reply', () => {
    const first = exchange(store, chat, 'Why?', 'Because.');
    const second = again(store, chat, first.question, 'No reason.');
    const edited = store.edit(chat, second, { parts: text('No good reason.') });
    const other = store.addQuestion(chat, {
      question: { parts: text('How?'), editOf: first.question },
      replies: [{ request: request({ model: 'chat-2' }) }],
    });
    assert.deepEqual(
      store.readTree(chat).map(({ id, parent, editOf, model }) => [id, parent, editOf, model]),
      [
        [first.question, undefined, undefined, undefined],
        [first.answer, first.question, undefined, 'chat-1'],
        [second, first.question, undefined, 'chat-1'],
        [edited, first.question, second, undefined],
        [other?.question, undefined, first.question, undefined],
        [other?.replies[0], other?.question, undefined, 'chat-2'],
      ],
    );
    assert.equal(store.get(chat)?.head, other?.replies[0]);
    assert.deepEqual(store.readPath(chat, edited).map(textOf), ['Why?', 'No good reason.']);
  });

  it('adds replies of several models at once, and shows the first', () => {
    const models = ['a', 'b', 'c'];
    const added = store.addQuestion(chat, {
      question: { parts: text('Why?') },
      replies: models.map((model) => ({ request: request({ model }) })),
    });
    assert.equal(store.get(chat)?.head, added?.replies[0]);
    assert.deepEqual(
      store.readTree(chat).map(({ model }) => model),
      [undefined, ...models],
    );
  });

  it('adds the continuation of a cut reply below it', () => {
    const { answer } = exchange(store, chat, 'Count.', 'One, two');
    again(store, chat, answer, ', three.');
    assert.deepEqual(shown(store, chat), ['Count.', 'One, two', ', three.']);
  });

  it('returns undefined if the conversation or the parent message is gone', () => {
    const asking = { question: { parts: text('Why?') }, replies: [] };
    assert.equal(store.addQuestion('nowhere', asking), undefined);
    assert.equal(store.addQuestion(chat, { ...asking, parent: 'nothing' }), undefined);
    assert.deepEqual(store.readTree(chat), []);
  });

  it('restores deleted messages when a question is asked below them', () => {
    const { question, answer } = exchange(store, chat, 'Why?', 'Because.');
    store.deleteMessages(chat, question);
    store.delete(chat);
    ask(folder.open(), chat, 'Really?', answer);
    assert.deepEqual(shown(store, chat), ['Why?', 'Because.', 'Really?', '']);
    assert.equal(store.readTree(chat).length, 4);
    assert.equal(store.get(chat)?.deletedAt, undefined);
  });

  it('stores the questions of two windows in one conversation', () => {
    const first = exchange(store, chat, 'Why?', 'Because.');
    const other = folder.open();
    const here = ask(store, chat, 'Really?', first.answer);
    const there = ask(other, chat, 'How?', first.answer);
    finish(other, chat, there.answer, 'So.');
    finish(store, chat, here.answer, 'Yes.');
    assert.deepEqual(shown(store, chat), ['Why?', 'Because.', 'How?', 'So.']);
    store.show(chat, here.question);
    assert.deepEqual(shown(other, chat), ['Why?', 'Because.', 'Really?', 'Yes.']);
  });

  it('stores the settings of a question', () => {
    const settings = { gateway: 'g', gatewayName: 'G', model: 'm', format: 'messages', parameters: { a: 1 } };
    store.addQuestion(chat, { question: { parts: text('Why?') }, replies: [], settings });
    const { id, title, createdAt, changedAt, head, workspace, ...rest } = store.get(chat) ?? {};
    assert.deepEqual(rest, settings);
    store.configure(chat, { model: 'n' });
    assert.deepEqual(
      [store.get(chat)?.model, store.get(chat)?.gateway, store.get(chat)?.parameters],
      ['n', undefined, undefined],
    );
    assert.ok(id && head && title === '' && workspace && createdAt === changedAt);
  });
});

describe('a reply whose window ends', () => {
  let folder: StoreFolder;
  let chat: string;
  let dead: ConversationStore;

  beforeEach(() => {
    folder = new StoreFolder();
    dead = folder.open('dead');
    chat = dead.create();
  });
  afterEach(() => folder.remove());

  const neverAlive = () => false;

  it('is stopped with its text, and its usage is unknown', async () => {
    const { answer } = ask(dead, chat, 'Why?');
    dead.append(chat, answer, [words('Be'), words('cause')]);
    const store = folder.open();
    assert.deepEqual(await store.stopAbandonedReplies(() => true), []);
    assert.deepEqual(await store.stopAbandonedReplies(neverAlive), [chat]);
    assert.deepEqual(await store.stopAbandonedReplies(neverAlive), []);
    const [, stopped] = store.readPath(chat);
    assert.deepEqual([stopped?.state, stopped?.choices], ['stopped', [text('Because')]]);
    assert.equal(stopped?.request?.outcome, undefined);
    const [sum] = store.usage.sum({ by: [] });
    assert.deepEqual([sum?.replies, sum?.withoutTokens, sum?.withoutPrice, sum?.cutTokens], [1, 1, 1, 0]);
  });

  it('preserves its pictures', async () => {
    const { answer } = ask(dead, chat, 'Draw.');
    const data = Buffer.from('not really a picture').toString('base64');
    dead.append(chat, answer, [{ type: 'media', choice: 0, mimeType: 'image/png', data }]);
    const store = folder.open();
    await store.stopAbandonedReplies(neverAlive);
    const part = store.readPath(chat)[1]?.choices[0]?.[0];
    assert.ok(part && 'hash' in part);
    assert.equal(
      Buffer.from((await store.attachments.read(part.hash)) ?? []).toString(),
      'not really a picture',
    );
  });

  it('continues to arrive if its window writes while another window recovers it', async () => {
    const { answer } = ask(dead, chat, 'Count.');
    dead.append(chat, answer, [words('One')]);
    const store = folder.open();
    const recovering = store.stopAbandonedReplies(neverAlive);
    dead.append(chat, answer, [words(', two')]);
    assert.deepEqual(await recovering, []);
    assert.equal(store.readPath(chat)[1]?.state, 'arriving');
    await store.stopAbandonedReplies(neverAlive);
    assert.deepEqual(shown(store, chat), ['Count.', 'One, two']);
  });

  it('receives the rest if its window was only frozen', async () => {
    const { answer } = ask(dead, chat, 'Count.');
    dead.append(chat, answer, [words('One')]);
    const store = folder.open();
    await store.stopAbandonedReplies(neverAlive);
    assert.ok(dead.append(chat, answer, [words(', two')]));
    assert.deepEqual(shown(store, chat), ['Count.', 'One, two']);
    await store.stopAbandonedReplies(neverAlive);
    assert.deepEqual(shown(store, chat), ['Count.', 'One, two']);
    finish(dead, chat, answer, 'One, two, three.', { usage: { inputTokens: 1, outputTokens: 5 } });
    assert.deepEqual(shown(store, chat), ['Count.', 'One, two, three.']);
    const [sum] = store.usage.sum({ by: [] });
    assert.deepEqual([sum?.replies, sum?.outputTokens, sum?.withoutTokens], [1, 5, 0]);
  });
});
