import assert from 'node:assert/strict';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../../src/conversations/store/conversationStore.ts';
import {
  addExchange,
  addQuestion,
  addReply,
  createRequest,
  createTextEvent,
  readMessageText,
  readShownTexts,
  StoreFolder,
} from '../../../support/conversationStores.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';
import { countRepetitions, longRuns } from '../../../support/longRuns.ts';
import { createNoise, damages, overwrite, pageSize } from '../../../support/pageDamage.ts';

const chatCount = 30;
/** Each kind of damage starts with a different page, so that all pages are damaged. */
const pageStep = longRuns ? 1 : 5;
/** The maximum number of messages whose texts are on one page. */
const maxLost = 25;

function fill(store: ConversationStore): number {
  let count = 0;
  for (let n = 0; n < chatCount; n++) {
    const chat = store.create({ title: `chat ${n}`, parameters: { systemPrompt: `Be kind ${n}.` } });
    for (let m = 0; m < 4; m++) {
      // Some are longer than a page.
      const reply = `answer ${n} ${m} `.repeat(m === 3 && n % 5 === 0 ? 600 : 10);
      const { question } = addExchange(store, chat, `question ${n} ${m}`, reply);
      count += 2;
      if (m !== 1) continue;
      addReply(store, chat, question, `another answer ${n} ${m}`);
      count += 1;
    }
  }
  return count;
}

/** The texts of all messages, found through the lists. */
function textsIn(store: ConversationStore): readonly string[] {
  return store.list({}, 1_000).conversations.flatMap(({ id }) => {
    const ids = store.readTree(id).map((node) => node.id);
    assert.ok(store.readPath(id).length > 0);
    return store.readMessages(id, ids).map(readMessageText);
  });
}

/** Reads everything, and adds a new question. @returns the earlier texts that are left */
function useStore(store: ConversationStore): readonly string[] {
  const before = textsIn(store);
  const chat = store.create();
  addExchange(store, chat, 'new question', 'new answer');
  const after = textsIn(store);
  assert.ok(after.includes('new question') && after.includes('new answer'));
  assert.ok(after.length >= before.length);
  return after.filter((text) => !text.startsWith('new'));
}

describe('F95 a damaged conversation store', function () {
  this.timeout(300_000);
  const folder = new DatabaseFolder();
  let intact: Buffer;
  let texts: ReadonlySet<string>;

  before(() => {
    const store = open();
    assert.equal(fill(store), new Set(textsIn(store)).size);
    texts = new Set(textsIn(store));
    store.close();
    intact = readFileSync(folder.file());
  });
  afterEach(clear);
  after(() => folder.remove());

  function open(): ConversationStore {
    return openConversationStore({ file: folder.file(), window: 'window' });
  }

  function clear(): void {
    for (const name of folder.listNames()) rmSync(folder.file(name), { recursive: true });
  }

  function assertRecovered(recovered: readonly string[], description: string, most = maxLost): void {
    const known = new Set(recovered);
    const lost = [...texts].filter((text) => !known.has(text));
    assert.ok(lost.length <= most, `${description}: ${lost.length} texts are lost`);
  }

  Object.entries(damages).forEach(([kind, damage], nth) => {
    it(`with ${kind} for any page is salvaged, and accepts new questions`, () => {
      for (let page = nth; page < intact.length / pageSize; page += pageStep) {
        clear();
        writeFileSync(folder.file(), damage(intact, page));
        const store = open();
        const stored = new Set(useStore(store));
        assertRecovered([...stored], `page ${page}`);
        const { setAside, salvaged } = store.database;
        if (setAside !== undefined) assert.ok((salvaged?.saved ?? 0) > 0);
        const hasLoss = [...texts].some((text) => !stored.has(text));
        if (setAside !== undefined && hasLoss) assert.equal(salvaged?.isComplete, false, `page ${page}`);
        store.close();
      }
    });
  });

  it('is salvaged with arriving text on unreferenced pages', async () => {
    writeFileSync(folder.file(), intact);
    const store = open();
    const chat = store.create();
    const { reply } = addQuestion(store, chat, 'Why?');
    store.append(chat, reply, [createTextEvent('Because')]);
    store.database.emptyLog();
    store.close();
    const bytes = readFileSync(folder.file());
    writeFileSync(folder.file(), bytes.fill(0, 0, pageSize));
    const again = openConversationStore({ file: folder.file(), window: 'another' });
    await again.stopAbandonedReplies(() => false);
    assert.deepEqual(readShownTexts(again, chat), ['Why?', 'Because']);
    again.close();
  });

  const hole = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.constantFrom(1, 4, 64, 512, 4096, 20_000),
    filling: fc.constantFrom('zeros', 'ones', 'noise'),
  });

  it('with damage anywhere while it is open is salvaged, and accepts new questions', () => {
    fc.assert(
      fc.property(fc.array(hole, { minLength: 1, maxLength: 6 }), (holes) => {
        clear();
        writeFileSync(folder.file(), intact);
        const store = open();
        textsIn(store);
        store.database.all('PRAGMA shrink_memory');
        const bytes = Buffer.from(intact);
        for (const { at, length, filling } of holes) {
          const content =
            filling === 'noise'
              ? createNoise(length, String(at))
              : Buffer.alloc(length, filling === 'ones' ? 255 : 0);
          content.copy(bytes, Math.floor(at * (bytes.length - length)));
        }
        overwrite(folder.file(), bytes);
        const stored = useStore(store);
        store.close();
        if (holes.length === 1 && holes[0]?.length !== 20_000) assertRecovered(stored, 'one hole');
      }),
      { numRuns: countRepetitions(200) },
    );
  });
});

describe('F95 the pictures of a damaged conversation store', function () {
  this.timeout(120_000);
  const pictures = 60;
  const dayMs = 86_400_000;
  let folder: StoreFolder;

  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.remove());

  /** @returns the hashes of the pictures, each in its own chat */
  async function fillWithPictures(store: ConversationStore): Promise<readonly string[]> {
    const hashes: string[] = [];
    for (let n = 0; n < pictures; n++) {
      const hash = await store.attachments.add(Buffer.from(`picture ${n}`));
      hashes.push(hash);
      const chat = store.create({ title: `chat ${n}` });
      store.addQuestion(chat, {
        question: { parts: [{ type: 'image', mimeType: 'image/png', hash }] },
        replies: [{ request: createRequest() }],
      });
    }
    store.database.emptyLog();
    return hashes;
  }

  function listPages(store: ConversationStore, name: string): readonly number[] {
    return store.database
      .all<{ pageno: number }>('SELECT pageno FROM dbstat WHERE name = ?', name)
      .map(({ pageno }) => pageno - 1);
  }

  function purgeAll(store: ConversationStore): void {
    folder.clock.time += 31 * dayMs;
    while (store.purge());
  }

  for (const table of [
    'attachmentUses',
    'sqlite_autoindex_attachmentUses_1',
    'attachment_uses_by_message',
    'attachments',
  ]) {
    it(`are not deleted if they are in use and any page of ${table} is lost`, async () => {
      const store = folder.open();
      const hashes = await fillWithPictures(store);
      const pages = listPages(store, table);
      store.close();
      const intact = readFileSync(folder.file);
      for (const page of pages) {
        for (const damage of Object.values(damages)) {
          writeFileSync(folder.file, damage(intact, page));
          const again = folder.open();
          again.database.check();
          purgeAll(again);
          assert.deepEqual(
            hashes.filter((hash) => !again.attachments.has(hash)),
            [],
          );
          again.close();
        }
      }
    });
  }

  it('are not deleted if messages that used them may be lost, and can be read again', async () => {
    const store = folder.open();
    const hashes = await fillWithPictures(store);
    const pages = [...listPages(store, 'contents'), ...listPages(store, 'attachmentUses')];
    const uses = listPages(store, 'sqlite_autoindex_attachmentUses_1');
    store.close();
    const bytes = readFileSync(folder.file);
    for (const page of [...pages, ...uses]) bytes.fill(0, page * pageSize, (page + 1) * pageSize);
    writeFileSync(folder.file, bytes);
    const again = folder.open();
    again.database.check();
    assert.ok(again.database.setAside !== undefined);
    purgeAll(again);
    assert.deepEqual(
      hashes.filter((hash) => !again.attachments.has(hash)),
      [],
    );
    assert.equal((await again.attachments.read(hashes[0] ?? ''))?.toString(), 'picture 0');
  });

  it('are deleted if nothing uses them, even if their rows are lost', async () => {
    const store = folder.open();
    const hashes = await fillWithPictures(store);
    const [unused = '', other = ''] = [
      await store.attachments.add(Buffer.from('unused')),
      await store.attachments.add(Buffer.from('other')),
    ];
    store.database.run('DELETE FROM attachments WHERE hash = ?', other);
    for (const hash of [unused, other]) utimesSync(store.attachments.path(hash), 0, 0);
    purgeAll(store);
    assert.deepEqual(
      [unused, other, hashes[0] ?? ''].map((hash) => store.attachments.has(hash)),
      [false, false, true],
    );
  });
});

describe('a conversation store of a newer version', () => {
  let folder: StoreFolder;

  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.remove());

  it('F96 can be read, and rejects writes', () => {
    const newer = folder.open();
    const chat = newer.create();
    addExchange(newer, chat, 'Why?', 'Because.');
    newer.database.run('ALTER TABLE messages ADD COLUMN mood TEXT');
    newer.database.run('PRAGMA user_version = 99');
    newer.close();
    const store = folder.open();
    assert.equal(store.database.readOnly, 'newer');
    assert.deepEqual(store.readPath(chat).map(readMessageText), ['Why?', 'Because.']);
    assert.throws(() => store.addQuestion(chat, { replies: [] }), {
      name: 'StorageError',
      kind: 'read-only',
    });
    assert.throws(() => store.drafts.write({ text: 'x', attachments: [] }), {
      name: 'StorageError',
      kind: 'read-only',
    });
  });
});
