import assert from 'node:assert/strict';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import {
  addExchange,
  addQuestion,
  addReply,
  createRequest,
  createTextEvent,
  createTextParts,
  finishReply,
  readMessageText,
  readShownTexts,
  StoreFolder,
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
    const { question, reply } = addQuestion(store, chat, 'Why?');
    const [storedQuestion, arriving] = folder.open().readPath(chat);
    assert.deepEqual(
      [storedQuestion?.id, storedQuestion?.role, storedQuestion?.state, storedQuestion?.choices],
      [question, 'user', 'done', [createTextParts('Why?')]],
    );
    assert.deepEqual(
      [arriving?.id, arriving?.parent, arriving?.role, arriving?.state, arriving?.choices, arriving?.request],
      [reply, question, 'assistant', 'arriving', [], createRequest()],
    );
    assert.equal(store.get(chat)?.head, reply);
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
    const { question, reply } = addQuestion(store, chat, 'Why?');
    const durable = [
      () => addQuestion(store, chat, 'How?', reply),
      () => store.append(chat, reply, [createTextEvent('So.')]),
      () => finishReply(store, chat, reply, 'So.'),
      () => store.edit(chat, reply, { parts: createTextParts('No.') }),
      () => store.fork(chat, question),
    ].map(isDurable);
    assert.deepEqual(durable, [true, false, true, true, true]);
  });

  it('stores arriving text at once, and the complete reply with its parts at the end', () => {
    const { reply } = addQuestion(store, chat, 'Why?');
    assert.ok(
      store.append(chat, reply, [
        createTextEvent('Be'),
        createTextEvent('cause '),
        createTextEvent('other', 1),
      ]),
    );
    assert.ok(
      store.append(chat, reply, [{ type: 'reasoning', choice: 0, text: 'hm' }, createTextEvent('of.')]),
    );
    const other = folder.open();
    assert.deepEqual(other.readMessages(chat, [reply])[0]?.choices, [
      [
        { type: 'text', text: 'Because ' },
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'of.' },
      ],
      createTextParts('other'),
    ]);
    finishReply(store, chat, reply, 'Because of.', { outcome: 'truncated', finishReason: 'length' });
    const [, done] = other.readPath(chat);
    assert.deepEqual([done?.state, done?.choices], ['done', [createTextParts('Because of.')]]);
    assert.equal(done?.request?.finishReason, 'length');
    assert.deepEqual(store.database.all('SELECT * FROM chunks'), []);
  });

  it('rejects more text for a reply that is complete or that another window receives', () => {
    const { reply } = addQuestion(store, chat, 'Why?');
    const other = folder.open();
    assert.equal(other.append(chat, reply, [createTextEvent('x')]), false);
    assert.equal(
      other.finish(chat, reply, { choices: [createTextParts('x')], request: createRequest() }),
      false,
    );
    finishReply(store, chat, reply, 'Because.');
    assert.equal(store.append(chat, reply, [createTextEvent('x')]), false);
    assert.equal(store.finish(chat, reply, { choices: [], request: createRequest() }), false);
    assert.deepEqual(readShownTexts(store, chat), ['Why?', 'Because.']);
  });

  it('adds siblings in order for an edited question, a retry and an edited reply', () => {
    const first = addExchange(store, chat, 'Why?', 'Because.');
    const second = addReply(store, chat, first.question, 'No reason.');
    const edited = store.edit(chat, second, { parts: createTextParts('No good reason.') });
    const other = store.addQuestion(chat, {
      question: { parts: createTextParts('How?'), editOf: first.question },
      replies: [{ request: createRequest({ model: 'chat-2' }) }],
    });
    assert.deepEqual(
      store.readTree(chat).map(({ id, parent, editOf, model }) => [id, parent, editOf, model]),
      [
        [first.question, undefined, undefined, undefined],
        [first.reply, first.question, undefined, 'chat-1'],
        [second, first.question, undefined, 'chat-1'],
        [edited, first.question, second, undefined],
        [other?.question, undefined, first.question, undefined],
        [other?.replies[0], other?.question, undefined, 'chat-2'],
      ],
    );
    assert.equal(store.get(chat)?.head, other?.replies[0]);
    assert.deepEqual(store.readPath(chat, edited).map(readMessageText), ['Why?', 'No good reason.']);
  });

  it('adds replies of several models at once, and shows the first', () => {
    const models = ['a', 'b', 'c'];
    const added = store.addQuestion(chat, {
      question: { parts: createTextParts('Why?') },
      replies: models.map((model) => ({ request: createRequest({ model }) })),
    });
    assert.equal(store.get(chat)?.head, added?.replies[0]);
    assert.deepEqual(
      store.readTree(chat).map(({ model }) => model),
      [undefined, ...models],
    );
  });

  it('adds the continuation of a cut reply below it', () => {
    const { reply } = addExchange(store, chat, 'Count.', 'One, two');
    addReply(store, chat, reply, ', three.');
    assert.deepEqual(readShownTexts(store, chat), ['Count.', 'One, two', ', three.']);
  });

  it('returns undefined if the conversation or the parent message is gone', () => {
    const withoutReplies = { question: { parts: createTextParts('Why?') }, replies: [] };
    assert.equal(store.addQuestion('nowhere', withoutReplies), undefined);
    assert.equal(store.addQuestion(chat, { ...withoutReplies, parent: 'nothing' }), undefined);
    assert.deepEqual(store.readTree(chat), []);
  });

  it('restores deleted messages when a question is asked below them', () => {
    const { question, reply } = addExchange(store, chat, 'Why?', 'Because.');
    store.deleteMessages(chat, question);
    store.delete(chat);
    addQuestion(folder.open(), chat, 'Really?', reply);
    assert.deepEqual(readShownTexts(store, chat), ['Why?', 'Because.', 'Really?', '']);
    assert.equal(store.readTree(chat).length, 4);
    assert.equal(store.get(chat)?.deletedAt, undefined);
  });

  it('stores the questions of two windows in one conversation', () => {
    const first = addExchange(store, chat, 'Why?', 'Because.');
    const other = folder.open();
    const here = addQuestion(store, chat, 'Really?', first.reply);
    const there = addQuestion(other, chat, 'How?', first.reply);
    finishReply(other, chat, there.reply, 'So.');
    finishReply(store, chat, here.reply, 'Yes.');
    assert.deepEqual(readShownTexts(store, chat), ['Why?', 'Because.', 'How?', 'So.']);
    store.show(chat, here.question);
    assert.deepEqual(readShownTexts(other, chat), ['Why?', 'Because.', 'Really?', 'Yes.']);
  });

  it('stores the settings of the last question', () => {
    const settings = { gateway: 'g', gatewayName: 'G', model: 'm', format: 'messages', parameters: { a: 1 } };
    const question = { parts: createTextParts('Why?') };
    store.addQuestion(chat, { question, replies: [], settings });
    const { id, title, createdAt, changedAt, head, workspace, ...rest } = store.get(chat) ?? {};
    assert.deepEqual(rest, settings);
    store.addQuestion(chat, { question, replies: [], settings: { model: 'n' } });
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
    const { reply } = addQuestion(dead, chat, 'Why?');
    dead.append(chat, reply, [createTextEvent('Be'), createTextEvent('cause')]);
    const store = folder.open();
    assert.deepEqual(await store.stopAbandonedReplies(() => true), []);
    assert.deepEqual(await store.stopAbandonedReplies(neverAlive), [chat]);
    assert.deepEqual(await store.stopAbandonedReplies(neverAlive), []);
    const [, stopped] = store.readPath(chat);
    assert.deepEqual([stopped?.state, stopped?.choices], ['stopped', [createTextParts('Because')]]);
    assert.equal(stopped?.request?.outcome, undefined);
    const [sum] = store.usage.sum({ by: [] });
    assert.deepEqual([sum?.replies, sum?.withoutTokens, sum?.withoutPrice, sum?.cutTokens], [1, 1, 1, 0]);
  });

  it('preserves its pictures', async () => {
    const { reply } = addQuestion(dead, chat, 'Draw.');
    const data = Buffer.from('not really a picture').toString('base64');
    dead.append(chat, reply, [{ type: 'media', choice: 0, mimeType: 'image/png', data }]);
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
    const { reply } = addQuestion(dead, chat, 'Count.');
    dead.append(chat, reply, [createTextEvent('One')]);
    const store = folder.open();
    const recovering = store.stopAbandonedReplies(neverAlive);
    dead.append(chat, reply, [createTextEvent(', two')]);
    assert.deepEqual(await recovering, []);
    assert.equal(store.readPath(chat)[1]?.state, 'arriving');
    await store.stopAbandonedReplies(neverAlive);
    assert.deepEqual(readShownTexts(store, chat), ['Count.', 'One, two']);
  });

  it('receives the rest if its window was only frozen', async () => {
    const { reply } = addQuestion(dead, chat, 'Count.');
    dead.append(chat, reply, [createTextEvent('One')]);
    const store = folder.open();
    await store.stopAbandonedReplies(neverAlive);
    assert.ok(dead.append(chat, reply, [createTextEvent(', two')]));
    assert.deepEqual(readShownTexts(store, chat), ['Count.', 'One, two']);
    await store.stopAbandonedReplies(neverAlive);
    assert.deepEqual(readShownTexts(store, chat), ['Count.', 'One, two']);
    finishReply(dead, chat, reply, 'One, two, three.', { usage: { inputTokens: 1, outputTokens: 5 } });
    assert.deepEqual(readShownTexts(store, chat), ['Count.', 'One, two, three.']);
    const [sum] = store.usage.sum({ by: [] });
    assert.deepEqual([sum?.replies, sum?.outputTokens, sum?.withoutTokens], [1, 5, 0]);
  });
});
