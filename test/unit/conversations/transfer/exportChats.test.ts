import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { englishMarkdownWords } from '../../../../src/conversations/formats/markdown/markdownExport.ts';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import {
  createChatDocument,
  type ExportRequest,
  exportChats,
} from '../../../../src/conversations/transfer/exportChats.ts';
import { importFiles } from '../../../../src/conversations/transfer/importFiles.ts';
import { addExchange, addReply, StoreFolder } from '../../../support/conversationStores.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';
import { itOnSmallDisk, SmallDisk } from '../../../support/smallDisk.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/conversations/', import.meta.url));
const fixtureFiles = readdirSync(fixtures).map((name) => join(fixtures, name));
const words = { ...englishMarkdownWords, onlyPath: 'Messages on other branches: {count}' };
const { signal } = new AbortController();
const pause = async () => undefined;

describe('exporting chats of the store', () => {
  let folders: (StoreFolder | DatabaseFolder)[];
  let files: DatabaseFolder;

  beforeEach(() => {
    files = new DatabaseFolder();
    folders = [files];
  });

  afterEach(() => {
    for (const folder of folders) folder.remove();
  });

  function emptyStore(): ConversationStore {
    const folder = new StoreFolder();
    folders.push(folder);
    return folder.open();
  }

  async function importInto(store: ConversationStore, paths: readonly string[]): Promise<void> {
    const end = await importFiles(store, paths, { signal, reportProgress: () => undefined });
    assert.deepEqual(end, { kind: 'complete' });
  }

  async function exportTo(store: ConversationStore, options: Partial<ExportRequest> = {}): Promise<Buffer> {
    const file = files.file('chats');
    await exportChats(
      store,
      { file, format: 'jsonl', ...options },
      { signal, reportProgress: () => undefined, pause },
    );
    return readFileSync(file);
  }

  it('writes the same bytes again from a store that imported them', async () => {
    const [first, second] = [emptyStore(), emptyStore()];
    await importInto(first, fixtureFiles);
    // Chats of the same moment, whose rows are in another order there.
    for (let nth = 0; nth < 20; nth += 1)
      addExchange(first, first.create({ createdAt: 5 }), `Why ${nth}?`, 'So.');
    const bytes = await exportTo(first);
    const path = files.file('chats.jsonl');
    writeFileSync(path, bytes);
    await importInto(second, [path]);
    assert.equal(second.listIds().length, first.listIds().length);
    assert.equal((await exportTo(second)).toString(), bytes.toString());
  }).timeout(30_000);

  it('reports its progress and missing attachments', async () => {
    const store = emptyStore();
    const chat = store.create();
    const hash = await store.attachments.add(Buffer.from('picture'));
    store.addQuestion(chat, {
      question: { parts: [{ type: 'image', mimeType: 'image/png', hash }] },
      replies: [],
    });
    addExchange(store, store.create(), 'Why?', 'Because.');
    const file = files.file('chats.jsonl');
    rmSync(store.attachments.path(hash));
    const received: string[] = [];
    const exporting = {
      signal,
      pause,
      reportProgress: ({ done, total }: { done: number; total: number }) =>
        received.push(`${done} of ${total}`),
    };
    assert.deepEqual(await exportChats(store, { file, format: 'jsonl' }, exporting), {
      chats: 2,
      missingAttachments: 1,
    });
    assert.deepEqual(received, ['0 of 2', '1 of 2']);
  });

  it('writes the shown path as Markdown, which can be imported', async () => {
    const store = emptyStore();
    const chat = store.create();
    const { question } = addExchange(store, chat, 'Why?', 'First answer.');
    addReply(store, chat, question, 'Second answer.');
    const text = (await exportTo(store, { chats: [chat], format: 'markdown' })).toString();
    assert.match(text, /Second answer\./);
    assert.doesNotMatch(text, /First answer/);
    const other = emptyStore();
    const path = files.file('chat.md');
    writeFileSync(path, text);
    await importInto(other, [path]);
    assert.equal(other.listIds().length, 1);
    const document = createChatDocument(store, chat, words) ?? '';
    assert.match(document, /Second answer\./);
    assert.match(document, /Messages on other branches: 1/);
    assert.equal(createChatDocument(store, 'missing', words), undefined);
  });

  it('leaves only the previous file when it is cancelled', async () => {
    const store = emptyStore();
    for (let nth = 0; nth < 5; nth += 1) addExchange(store, store.create(), `Why ${nth}?`, 'So.');
    const file = files.file('chats.jsonl');
    writeFileSync(file, 'before');
    const cancelling = new AbortController();
    const onProgress = ({ done }: { done: number }) => done === 3 && cancelling.abort();
    const exporting = { signal: cancelling.signal, reportProgress: onProgress, pause };
    await assert.rejects(exportChats(store, { file, format: 'jsonl' }, exporting), { name: 'AbortError' });
    assert.deepEqual(files.listNames(), ['chats.jsonl']);
    assert.equal(readFileSync(file, 'utf8'), 'before');
  });

  it('removes old temporary files of unfinished exports, and no other files', async () => {
    const partFile = (nth: number) =>
      files.file(`.model-gateway-${nth}3c1f5a0-93b4-4f6a-8c38-6f1d8c1b2a47.part`);
    const others = ['of-somebody.part', '.model-gateway-notes.part', 'chats.jsonl.bak'].map((name) =>
      files.file(name),
    );
    for (const path of [partFile(1), partFile(2), ...others]) writeFileSync(path, 'half');
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const path of [partFile(1), ...others]) utimesSync(path, longAgo, longAgo);
    const before = new Set(files.listNames());
    await exportTo(emptyStore());
    const removedFiles = [...before].filter((name) => !files.listNames().includes(name));
    assert.deepEqual(removedFiles, [basename(partFile(1))], 'another window may be writing the other one');
  });

  itOnSmallDisk('F92 leaves only the previous file when the disk is full', async () => {
    const disk = SmallDisk.mount(1);
    assert.ok(disk);
    try {
      const store = emptyStore();
      for (let nth = 0; nth < 20; nth += 1)
        addExchange(store, store.create(), `Why ${nth}?`, 'word '.repeat(20_000));
      const file = join(disk.path, 'chats.jsonl');
      writeFileSync(file, 'before');
      const exporting = { signal, reportProgress: () => undefined, pause };
      await assert.rejects(exportChats(store, { file, format: 'jsonl' }, exporting), {
        name: 'StorageError',
        kind: 'full',
      });
      assert.deepEqual(readdirSync(disk.path), ['chats.jsonl']);
      assert.equal(readFileSync(file, 'utf8'), 'before');
    } finally {
      disk.remove();
    }
  });
});
