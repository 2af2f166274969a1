import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  createTermLookups,
  createTokens,
  foldText,
} from '../../../../src/conversations/search/foldedText.ts';
import { IndexFiller } from '../../../../src/conversations/search/indexFiller.ts';
import { hasFullText, openSearchDatabase } from '../../../../src/conversations/search/searchDatabase.ts';
import type { SearchHit } from '../../../../src/conversations/search/searchHit.ts';
import { SearchIndex } from '../../../../src/conversations/search/searchIndex.ts';
import { StoreReader } from '../../../../src/conversations/search/storeReader.ts';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import { createRequestHandlers } from '../../../../src/conversations/worker/requestHandlers.ts';
import {
  addExchange,
  addQuestion,
  addReply,
  createRequest,
  createTextEvent,
  createTextParts,
  finishReply,
  StoreFolder,
} from '../../../support/conversationStores.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';
import { assertLinearSteps } from '../../../support/linearCost.ts';
import { countRepetitions } from '../../../support/longRuns.ts';
import { fillConversations } from '../../../support/manyConversations.ts';
import { createRandom } from '../../../support/seededRandom.ts';

describe('the chat search', () => {
  let folder: StoreFolder;
  let store: ConversationStore;
  let indexFile: string;
  let index: SearchIndex;

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
    indexFile = join(dirname(folder.file), 'search.sqlite');
    index = new SearchIndex({ store: folder.file, index: indexFile });
  });

  afterEach(() => {
    index.close();
    folder.remove();
  });

  async function search(typed: string, limit = 50): Promise<readonly SearchHit[]> {
    const { hits, searched } = await index.search(
      typed,
      limit,
      () => setImmediate(),
      () => undefined,
    );
    assert.equal(searched, 1);
    return hits;
  }

  /** The highlighted parts of the first hit. */
  async function marked(typed: string): Promise<readonly string[] | undefined> {
    const [hit] = await search(typed);
    return hit?.snippet.marks.map(([begin, end]) => hit.snippet.text.slice(begin, end));
  }

  it('is supported by the SQLite of this program', () => {
    assert.ok(hasFullText());
  });

  it('finds questions before replies, with their ids and marked words', async () => {
    const chat = store.create();
    const one = addExchange(store, chat, 'How is bread made?', 'Bread is made of flour.');
    const hits = await search('bread');
    assert.deepEqual(
      hits.map(({ conversation, message, kind }) => ({ conversation, message, kind })),
      [
        { conversation: chat, message: one.question, kind: 'question' },
        { conversation: chat, message: one.reply, kind: 'reply' },
      ],
    );
    assert.deepEqual(hits[0]?.snippet, { text: 'How is bread made?', marks: [[7, 12]] });
    assert.equal(hits[0]?.title, 'How is bread made?');
  });

  it('looks up pairs of Chinese characters, which fewer texts contain than each character', () => {
    assert.deepEqual([...createTokens('数据库')], ['数', '据', '数据', '库', '据库']);
    const { words, parts } = createTermLookups('数据');
    assert.ok(words.includes('"数据"') && parts.includes('"数据"'));
  });

  it('finds parts and beginnings of words, accents, wide letters, Chinese, Japanese and Korean', async () => {
    addExchange(store, store.create(), 'Straße und Crème brûlée, déjà vu', '今天北京天气很好');
    addExchange(store, store.create(), 'iPhoneのケースを検索', '안녕하세요 ＷＩＤＥ c foo-bar 🎉!');
    for (const [typed, expected] of [
      ['rass', ['raß']],
      ['tras', ['traß']],
      ['creme', ['Crème']],
      ['dej', ['déj']],
      ['天气', ['天气']],
      ['北京天', ['北京天']],
      ['好', ['好']],
      ['検索', ['検索']],
      ['のケース', ['のケース']],
      ['녕하', ['녕하']],
      ['wide', ['ＷＩＤＥ']],
      ['foo-bar', ['foo-bar']],
      ['🎉', ['🎉']],
      ['한', undefined],
      ['天京', undefined],
    ] as const) {
      assert.deepEqual(await marked(typed), expected, typed);
    }
  });

  it('finds texts at each typed letter, also within words and in an open quote', async () => {
    addExchange(store, store.create(), 'Why is the password forgotten?', '北京 express');
    for (const [typed, expected] of [
      ['password f', ['password', 'f']],
      ['word or', ['or', 'word']],
      ['forg w', ['forg', 'W', 'w']],
      ['京 x', ['京', 'x']],
      ['"the pass', ['the pass']],
      ['forgotten "the p', ['forgotten', 'the p']],
    ] as const) {
      assert.deepEqual((await marked(typed))?.toSorted(), expected.toSorted(), typed);
    }
    assert.equal((await search('"the word')).length, 0);
  });

  it('finds text after a NUL character, which ends texts in SQLite', async () => {
    addExchange(store, store.create(), 'before\0behind', 'ok');
    assert.deepEqual(await marked('behind'), ['behind']);
  });

  it('finds titles, and texts that contain all words', async () => {
    const chat = store.create();
    addExchange(store, chat, 'one two', 'two three');
    store.rename(chat, 'A Trip to Norway');
    const [title] = await search('norway');
    assert.deepEqual([title?.conversation, title?.message, title?.kind], [chat, undefined, 'title']);
    assert.equal((await search('two')).length, 2);
    assert.equal((await search('three two')).length, 1);
    assert.equal((await search('one three')).length, 0);
  });

  it('finds all branches and arriving replies, and deleted ones only after they are restored', async () => {
    const chat = store.create();
    const first = addExchange(store, chat, 'Which one?', 'alpha');
    addReply(store, chat, first.question, 'beta');
    assert.equal((await search('alpha')).length, 1);
    const open = addQuestion(store, chat, 'And then?');
    store.append(chat, open.reply, [createTextEvent('gam')]);
    assert.equal((await search('gam')).length, 1);
    store.append(chat, open.reply, [createTextEvent('ma')]);
    assert.deepEqual(await marked('gamma'), ['gamma']);
    finishReply(store, chat, open.reply, 'gamma delta');
    assert.deepEqual(await marked('delta'), ['delta']);
    store.deleteMessages(chat, first.reply);
    assert.equal((await search('alpha')).length, 0);
    store.undeleteMessages(chat, first.reply);
    assert.equal((await search('alpha')).length, 1);
    store.delete(chat);
    assert.equal((await search('beta')).length, 0);
    store.undelete(chat);
    assert.equal((await search('beta')).length, 1);
  });

  it('applies filters for model, workspace, time, pictures and reasoning', async () => {
    const chat = store.create({ workspace: 'file:///home/me/My%20Project', createdAt: 1 });
    const added = addQuestion(store, chat, 'apple');
    store.finish(chat, added.reply, {
      choices: [[{ type: 'reasoning', text: 'an apple a day' }, ...createTextParts('apple pie')]],
      request: createRequest({ model: 'GPT-Large', outcome: 'complete' }),
    });
    for (const [typed, count] of [
      ['apple', 2],
      ['apple model:gpt', 2],
      ['apple model:other', 0],
      ['apple workspace:"my project"', 2],
      ['apple workspace:elsewhere', 0],
      ['day', 0],
      ['day in:reasoning', 1],
      ['apple has:image', 0],
      ['apple after:2000', 2],
      ['apple before:2000', 0],
      ['before:3000', 2],
      ['', 0],
    ] as const) {
      assert.equal((await search(typed)).length, count, typed);
    }
  });

  it('filters by days, which begin at local midnight', async () => {
    folder.clock.time = new Date(2030, 0, 2).getTime();
    addQuestion(store, store.create(), 'midnight');
    for (const [typed, count] of [
      ['midnight before:2030-01-02', 0],
      ['midnight after:2030-01-02', 1],
      ['midnight before:2030-01-03', 1],
      ['midnight after:2030-01-03', 0],
    ] as const) {
      assert.equal((await search(typed)).length, count, typed);
    }
  });

  it('rebuilds its index if the file is damaged, deleted, or of another store', async () => {
    addExchange(store, store.create(), 'needle', 'ok');
    assert.equal((await search('needle')).length, 1);
    index.close();
    const bytes = readFileSync(indexFile);
    writeFileSync(indexFile, bytes.fill(7, 100));
    assert.equal((await search('needle')).length, 1);
    rmSync(indexFile);
    assert.equal((await search('needle')).length, 1);
    store.database.run('UPDATE revision SET n = 0');
    store.database.run('UPDATE conversations SET revision = 0');
    addExchange(store, store.create(), 'thread', 'ok');
    assert.equal((await search('needle')).length, 1);
    assert.equal((await search('thread')).length, 1);
    store.database.run('DELETE FROM conversations');
    assert.equal((await search('needle')).length, 0);
  });

  it('uses the index of another window, and finds later changes', async () => {
    const other = new SearchIndex({ store: folder.file, index: indexFile });
    try {
      addExchange(store, store.create(), 'needle', 'ok');
      assert.equal((await search('needle')).length, 1);
      addExchange(store, store.create(), 'needle again', 'ok');
      const pause = () => setImmediate();
      assert.equal((await other.search('needle', 9, pause, () => undefined)).hits.length, 2);
      assert.equal((await search('needle')).length, 2);
    } finally {
      other.close();
    }
  });

  it('stops when it is cancelled', async () => {
    addExchange(store, store.create(), 'needle', 'ok');
    const pause = () => Promise.reject(new Error('cancelled'));
    await assert.rejects(
      index.search('needle', 9, pause, () => undefined),
      { message: 'cancelled' },
    );
    assert.equal((await search('needle')).length, 1);
  });

  it('reports that SQLite has no full-text search', async () => {
    addExchange(store, store.create(), 'needle', 'ok');
    const handling = {
      signal: new AbortController().signal,
      reportProgress: () => undefined,
      pause: () => setImmediate(),
    };
    const request = { text: 'needle', limit: 9 };
    const reply = await createRequestHandlers(
      { file: folder.file },
      () => {},
      () => false,
    ).search(request, handling);
    assert.equal(reply, 'unavailable');
    assert.ok(!existsSync(indexFile));
  });

  it('indexes chats in linear time', async function () {
    this.timeout(60_000);
    const folders: DatabaseFolder[] = [];
    const createFilled = (n: number) => {
      const created = new DatabaseFolder();
      folders.push(created);
      fillConversations(created.file('conversations.sqlite'), { conversations: n, messages: 6 * n });
      return created;
    };
    const fill = async (created: DatabaseFolder) => {
      const file = created.file('search.sqlite');
      for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
      const index = new SearchIndex({ store: created.file('conversations.sqlite'), index: file });
      const found = await index.search(
        'model 数据',
        50,
        () => setImmediate(),
        () => undefined,
      );
      index.close();
      assert.equal(found.searched, 1);
    };
    try {
      await assertLinearSteps(createFilled, fill, 100);
    } finally {
      for (const created of folders) created.remove();
    }
  });

  it('P9 indexes one long chat in slices in linear time', async function () {
    this.timeout(120_000);
    const folders: DatabaseFolder[] = [];
    const createFilled = (messages: number) => {
      const created = new DatabaseFolder();
      folders.push(created);
      const file = created.file('conversations.sqlite');
      fillConversations(file, { conversations: 1, messages, longChat: messages });
      return created;
    };
    const fill = async (created: DatabaseFolder) => {
      const file = created.file('search.sqlite');
      for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
      const opened = openSearchDatabase(file);
      const reader = new StoreReader(created.file('conversations.sqlite'));
      const filling = new IndexFiller(opened, reader);
      while (filling.fill(0)) await setImmediate();
      reader.close();
      opened.close();
    };
    try {
      await assertLinearSteps(createFilled, fill, 3_000);
    } finally {
      for (const created of folders) created.remove();
    }
  });

  it('finds all replies of a chat in which many of them arrive during the indexing', async () => {
    const chat = store.create();
    const { question } = addExchange(store, chat, 'compared', 'first');
    const arriving = Array.from({ length: 60 }, () => {
      const added = store.addQuestion(chat, { parent: question, replies: [{ request: createRequest() }] });
      return added?.replies[0] ?? '';
    });
    const opened = openSearchDatabase(indexFile);
    const reader = new StoreReader(folder.file);
    const filling = new IndexFiller(opened, reader);
    let slices = 1;
    while (filling.fill(0)) {
      assert.ok(++slices < 50, 'The index is never complete.');
      for (const reply of arriving) {
        store.append(chat, reply, [createTextEvent('needle ')]);
      }
    }
    reader.close();
    opened.close();
    assert.equal((await search('needle', 100)).length, arriving.length);
  });

  it('does not fail for any input, and finds every word of every text', async function () {
    this.timeout(60_000);
    const random = createRandom(countRepetitions(1));
    const alphabet = [...'abcABC019 "*()\':-^{}\0\n\t.,éßİσΣς东西京都カガがㅎ한ไทย🎉é\u0301\ud800_%\\'];
    const readResults = () =>
      Array.from(
        { length: Math.floor(random() * 40) },
        () => alphabet[Math.floor(random() * alphabet.length)],
      ).join('');
    const texts = Array.from({ length: countRepetitions(40) }, readResults);
    const chat = store.create();
    for (const one of texts) addExchange(store, chat, one, 'ok');
    for (const one of texts) {
      for (const word of one.split(/\s+/)) {
        await search(readResults());
        // A word with a quotation mark is parsed as a quotation. Accents without a letter cannot be searched for.
        if (foldText(word) === '' || word.includes('"') || word.includes('\0')) continue;
        const hits = await search(word, 1_000);
        const hasMarks = hits.some(({ snippet }) => snippet.marks.length > 0);
        assert.ok(hasMarks, JSON.stringify([word, one]));
      }
    }
  });
});
