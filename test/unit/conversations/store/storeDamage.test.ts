import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../../src/conversations/store/conversationStore.ts';
import { again, exchange, StoreFolder, textOf } from '../../../support/conversationStores.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';
import { longRuns, repetitions } from '../../../support/longRuns.ts';
import { damages, noise, overwrite, pageSize } from '../../../support/pageDamage.ts';

const chatCount = 30;
/** Each kind of damage begins with another page, so that all of them have their turn. */
const pageStep = longRuns ? 1 : 5;
/** So many messages have their texts on one page at most. */
const mostLost = 25;

function fill(store: ConversationStore): number {
  let count = 0;
  for (let n = 0; n < chatCount; n++) {
    const chat = store.create({ title: `chat ${n}`, parameters: { systemPrompt: `Be kind ${n}.` } });
    for (let m = 0; m < 4; m++) {
      // Some are longer than a page.
      const answer = `answer ${n} ${m} `.repeat(m === 3 && n % 5 === 0 ? 600 : 10);
      const { question } = exchange(store, chat, `question ${n} ${m}`, answer);
      count += 2;
      if (m !== 1) continue;
      again(store, chat, question, `another answer ${n} ${m}`);
      count += 1;
    }
  }
  return count;
}

/** The texts of all messages, as one finds them who looks through the lists. */
function textsIn(store: ConversationStore): readonly string[] {
  return store.list({}, 1_000).conversations.flatMap(({ id }) => {
    const ids = store.tree(id).map((node) => node.id);
    assert.ok(store.path(id).length > 0);
    return store.messages(id, ids).map(textOf);
  });
}

/** Looks at everything, and asks something new. @returns the texts that are left of those before */
function use(store: ConversationStore): readonly string[] {
  const before = textsIn(store);
  const chat = store.create();
  exchange(store, chat, 'new question', 'new answer');
  const after = textsIn(store);
  assert.ok(after.includes('new question') && after.includes('new answer'));
  assert.ok(after.length >= before.length);
  return after.filter((text) => !text.startsWith('new'));
}

describe('F95 a damaged store of conversations', function () {
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
    for (const name of folder.names()) rmSync(folder.file(name), { recursive: true });
  }

  function assertKept(kept: readonly string[], what: string, most = mostLost): void {
    const known = new Set(kept);
    const lost = [...texts].filter((text) => !known.has(text));
    assert.ok(lost.length <= most, `${what}: ${lost.length} texts are lost`);
  }

  Object.entries(damages).forEach(([kind, damage], nth) => {
    it(`with ${kind} for any page is saved, and takes new questions`, () => {
      for (let page = nth; page < intact.length / pageSize; page += pageStep) {
        clear();
        writeFileSync(folder.file(), damage(intact, page));
        const store = open();
        assertKept(use(store), `page ${page}`);
        if (store.database.setAside !== undefined) assert.ok((store.database.salvaged?.kept ?? 0) > 0);
        store.close();
      }
    });
  });

  const hole = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.constantFrom(1, 4, 64, 512, 4096, 20_000),
    filling: fc.constantFrom('zeros', 'ones', 'noise'),
  });

  it('with holes anywhere, that come while it is open, is saved, and takes new questions', () => {
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
              ? noise(length, String(at))
              : Buffer.alloc(length, filling === 'ones' ? 255 : 0);
          content.copy(bytes, Math.floor(at * (bytes.length - length)));
        }
        overwrite(folder.file(), bytes);
        const kept = use(store);
        store.close();
        if (holes.length === 1 && holes[0]?.length !== 20_000) assertKept(kept, 'one hole');
      }),
      { numRuns: repetitions(200) },
    );
  });
});

describe('a store of conversations of another version', () => {
  let folder: StoreFolder;

  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.remove());

  it('F96 that is newer shows everything, and changes nothing', () => {
    const newer = folder.open();
    const chat = newer.create();
    exchange(newer, chat, 'Why?', 'Because.');
    newer.database.run('ALTER TABLE messages ADD COLUMN mood TEXT');
    newer.database.run('PRAGMA user_version = 99');
    newer.close();
    const store = folder.open();
    assert.equal(store.database.readOnly, 'newer');
    assert.deepEqual(store.path(chat).map(textOf), ['Why?', 'Because.']);
    assert.throws(() => store.ask(chat, { answers: [] }), { name: 'StorageError', kind: 'read-only' });
    assert.throws(() => store.drafts.write({ text: 'x', attachments: [] }), {
      name: 'StorageError',
      kind: 'read-only',
    });
  });
});
