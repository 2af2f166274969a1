import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, zipSync } from 'fflate';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../../src/conversations/store/conversationStore.ts';
import {
  type ImportEnd,
  type ImportedChat,
  type ImportProgress,
  importFiles,
} from '../../../../src/conversations/transfer/importFiles.ts';
import { StorageError } from '../../../../src/storage/sqlite/storageError.ts';
import { StoreFolder } from '../../../support/conversationStores.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';
import { readFixture } from '../../../support/importedConversations.ts';
import { itOnSmallDisk, SmallDisk } from '../../../support/smallDisk.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/conversations/', import.meta.url));
const fixtureFiles = readdirSync(fixtures)
  .toSorted()
  .map((name) => join(fixtures, name));

/** An export of ShareGPT with this many conversations. */
function shareGpt(count: number, words = 'Because.'): string {
  const all = Array.from({ length: count }, (_, nth) => ({
    id: `chat-${nth}`,
    conversations: [
      { from: 'human', value: `Why number ${nth}?` },
      { from: 'gpt', value: words },
    ],
  }));
  return JSON.stringify(all);
}

/** An export of ShareGPT with one conversation of this many messages. */
function longChat(length: number): string {
  const conversations = Array.from({ length }, (_, nth) => ({
    from: nth % 2 === 0 ? 'human' : 'gpt',
    value: `Message ${nth}`,
  }));
  return JSON.stringify([{ id: 'long', conversations }]);
}

describe('importing files into the store', () => {
  let folder: StoreFolder;
  let files: DatabaseFolder;
  let store: ConversationStore;

  beforeEach(() => {
    folder = new StoreFolder();
    files = new DatabaseFolder();
    store = folder.open();
  });

  afterEach(() => {
    folder.remove();
    files.remove();
  });

  function writeFile(name: string, content: string | Uint8Array): string {
    const path = files.file(name);
    writeFileSync(path, content);
    return path;
  }

  async function importAll(
    paths: readonly string[],
    { into = store, signal = new AbortController().signal, onReport = (_: ImportProgress) => {} } = {},
  ): Promise<{ readonly end: ImportEnd; readonly chats: readonly ImportedChat[]; readonly read: number }> {
    const chats: ImportedChat[] = [];
    let read = 0;
    const onProgress = (progress: ImportProgress) => {
      chats.push(...progress.chats);
      assert.ok(progress.readShare >= read && progress.readShare <= 1);
      read = progress.readShare;
      onReport(progress);
    };
    const end = await importFiles(into, paths, { signal, reportProgress: onProgress });
    return { end, chats, read };
  }

  function assertCompleteOrAbsent(some: ConversationStore, length = 2): void {
    for (const id of some.listIds()) assert.equal(some.getWithMessages(id)?.messages.length, length);
  }

  it('reads files of every program, reports the result of each, and adds no duplicate the second time', async () => {
    const first = await importAll(fixtureFiles);
    assert.deepEqual(first.end, { kind: 'complete' });
    assert.equal(first.read, 1);
    const kinds = new Set(first.chats.map(({ kind }) => kind));
    assert.ok(kinds.has('new'));
    const reportedFiles = new Set(first.chats.map(({ file }) => join(fixtures, file)));
    assert.deepEqual([...reportedFiles].toSorted(), fixtureFiles);
    assert.ok(first.chats.every(({ kind, notes }) => kind !== 'skipped' || notes.length > 0));

    const before = store.listIds().map((id) => store.getWithMessages(id));
    const second = await importAll(fixtureFiles);
    assert.deepEqual(
      new Set(second.chats.filter(({ kind }) => kind !== 'skipped').map(({ kind }) => kind)),
      new Set(['known']),
    );
    assert.equal(second.chats.length, first.chats.length);
    assert.deepEqual(
      store.listIds().map((id) => store.getWithMessages(id)),
      before,
    );
  });

  it('stores the attachments in a zip file with their conversation', async () => {
    const zip = zipSync({
      'conversations.json': readFixture('chatgpt.json'),
      'file-Doc2-notes.txt': strToU8('Notes'),
    });
    const { chats } = await importAll([writeFile('export.zip', zip)]);
    assert.ok(chats.some(({ kind, location }) => kind === 'new' && location.file === 'conversations.json'));
    const parts = store
      .listIds()
      .flatMap((id) => store.getWithMessages(id)?.messages.flatMap((each) => each.choices) ?? []);
    const hash = parts.flat().flatMap((part) => ('hash' in part ? [part.hash] : []))[0] ?? '';
    assert.equal(Buffer.from((await store.attachments.read(hash)) ?? []).toString(), 'Notes');
  });

  it('does not store a conversation whose attachments cannot be stored', async () => {
    const zip = zipSync({
      'conversations.json': readFixture('chatgpt.json'),
      'file-Doc2-notes.txt': strToU8('Notes'),
    });
    store.attachments.add = async () => {
      throw new StorageError('full', 'The disk is full.');
    };
    const { end } = await importAll([writeFile('export.zip', zip)]);
    assert.equal(end.kind, 'refused');
    assert.deepEqual(store.listIds(), []);
  });

  /** ChatGPT's export, split into two files like a newer export. */
  function splitExport(): readonly (readonly [name: string, content: string])[] {
    const all: readonly unknown[] = JSON.parse(readFixture('chatgpt.json').toString());
    const half = Math.ceil(all.length / 2);
    return [all.slice(0, half), all.slice(half)].map((part, nth) => [
      `conversations-00${nth}.json`,
      JSON.stringify(part),
    ]);
  }

  it('reads the files of a split export together', async () => {
    const complete = await importAll([writeFile('whole.json', readFixture('chatgpt.json'))]);
    const before = store.listIds();
    const parts = await importAll(splitExport().map(([name, content]) => writeFile(name, content)));
    assert.deepEqual(
      new Set(parts.chats.map(({ file }) => file)),
      new Set(splitExport().map(([name]) => name)),
    );
    assert.deepEqual(parts.chats.length, complete.chats.length);
    assert.ok(parts.chats.every(({ kind }) => kind === 'known' || kind === 'skipped'));
    assert.deepEqual(store.listIds(), before);
  });

  it('reads the folder of an unpacked export with its attachments, but no linked files', async () => {
    const getFolder = (...names: readonly string[]) => join(files.path, 'export', ...names);
    mkdirSync(getFolder('attached'), { recursive: true });
    for (const [name, content] of splitExport()) writeFileSync(getFolder(name), content);
    writeFileSync(getFolder('attached', 'file-Doc2-notes.txt'), 'Notes');
    writeFileSync(getFolder('chat.html'), '<script>alert(1)</script>');
    writeFileSync(getFolder('user.json'), '{"id":"user"}');
    symlinkSync(writeFile('outside.json', shareGpt(1)), getFolder('linked.json'));
    symlinkSync(files.path, getFolder('linked'));
    const { end, chats, read } = await importAll([getFolder()]);
    assert.deepEqual([end, read], [{ kind: 'complete' }, 1]);
    assert.deepEqual(
      new Set(chats.map(({ file, location }) => `${file} ${location.file}`)),
      new Set(['export conversations-000.json', 'export conversations-001.json']),
    );
    const parts = store
      .listIds()
      .flatMap((id) => store.getWithMessages(id)?.messages.flatMap((each) => each.choices.flat()) ?? []);
    const stored = await Promise.all(
      parts.flatMap((part) => ('hash' in part ? [store.attachments.read(part.hash)] : [])),
    );
    assert.ok(stored.some((bytes) => Buffer.from(bytes ?? []).toString() === 'Notes'));
    assert.ok(
      !store
        .listIds()
        .some(
          (id) =>
            store.getWithMessages(id)?.messages.length === 2 && store.get(id)?.origin?.source === 'sharegpt',
        ),
    );
  });

  it('reads the subfolders of a folder, at any depth', async () => {
    const names = ['chats.json', 'a/b/chats.json', 'a/b/c/d/chats.json'];
    mkdirSync(join(files.path, 'nested/a/b/c/d'), { recursive: true });
    for (const name of names) writeFileSync(join(files.path, 'nested', name), shareGpt(1));
    const { chats } = await importAll([join(files.path, 'nested')]);
    assert.deepEqual(chats.map(({ location }) => location.file).sort(), names.sort());
  });

  it('reports a folder without conversations', async () => {
    const empty = join(files.path, 'empty');
    mkdirSync(empty);
    const { chats } = await importAll([empty]);
    assert.deepEqual(
      chats.map(({ file, kind, notes }) => `${file} ${kind} ${notes[0]?.id}`),
      ['empty skipped import-folder-unknown'],
    );
  });

  it('reports unknown, cut, empty and missing files, and imports the others', async () => {
    const zip = zipSync({ 'conversations.json': readFixture('chatgpt.json') });
    const { end, chats } = await importAll([
      writeFile('notes.txt', 'just words'),
      writeFile('cut.zip', zip.subarray(0, zip.length / 2)),
      writeFile('empty.json', ''),
      files.file('nowhere.json'),
      writeFile('good.json', shareGpt(1)),
    ]);
    assert.deepEqual(end, { kind: 'complete' });
    const reportLines = chats.map(({ file, kind, notes }) => `${file} ${kind} ${notes[0]?.id}`);
    assert.deepEqual(reportLines.slice(0, 4), [
      'notes.txt skipped import-unknown-format',
      'cut.zip skipped import-archive-damaged',
      'empty.json skipped import-empty',
      'nowhere.json skipped import-unreadable',
    ]);
    assert.equal(chats.at(-1)?.kind, 'new');
    assert.equal(store.listIds().length, 1);
  });

  it('stores a title of 10,000 characters completely, and reports its beginning', async () => {
    const title = `<script>alert(1)</script>\u202e${'long '.repeat(2000)}`;
    const chatGpt = JSON.parse(readFixture('chatgpt.json').toString());
    chatGpt[0].title = title;
    const { chats } = await importAll([writeFile('long.json', JSON.stringify(chatGpt))]);
    assert.ok((chats[0]?.title?.length ?? 0) <= 301);
    assert.ok(store.listIds().some((id) => store.get(id)?.title === title));
  });

  it('reports all imported conversations when it is stopped, and does not store partial ones', async () => {
    const stopping = new AbortController();
    const path = writeFile('many.json', shareGpt(800, 'word '.repeat(200)));
    const { end, chats } = await importAll([path], {
      signal: stopping.signal,
      onReport: (progress) => progress.chats.length > 0 && stopping.abort(),
    });
    assert.deepEqual(end, { kind: 'stopped' });
    assert.ok(chats.length > 0 && chats.length < 800);
    assert.equal(store.listIds().length, chats.length);
    assertCompleteOrAbsent(store);
    const again = await importAll([path]);
    assert.equal(again.chats.filter(({ kind }) => kind === 'known').length, chats.length);
    assert.equal(store.listIds().length, 800);
  }).timeout(30_000);

  it('writes at most 250 messages of a long chat at once, and lists the chat only when it is complete', async () => {
    const window = folder.open();
    const path = writeFile('long.json', longChat(3_000));
    const sizes: number[] = [];
    const { database } = store;
    const { write } = database;
    let rows = 0;
    database.write = (change) => {
      const written = write.call(database, change) as ReturnType<typeof change>;
      const messages = Number(window.database.values('SELECT count(*) FROM messages')[0]?.[0]);
      sizes.push(messages - rows);
      rows = messages;
      window.create();
      if (messages < 3_000) assert.deepEqual(window.listIds(), []);
      return written;
    };
    const { chats } = await importAll([path]);
    assert.deepEqual(
      chats.map(({ kind, added }) => [kind, added]),
      [['new', 3_000]],
    );
    assert.equal(rows, 3_000);
    assert.ok(Math.max(...sizes) <= 250, `${sizes}`);
    assertCompleteOrAbsent(store, 3_000);
  }).timeout(30_000);

  it('does not list a part of a long chat after a failure, and imports it completely the next time', async () => {
    const path = writeFile('long.json', longChat(3_000));
    const { database } = store;
    const { write } = database;
    let remaining = 5;
    database.write = (change) => {
      if (remaining-- <= 0) throw new StorageError('full', 'database or disk is full');
      return write.call(database, change) as ReturnType<typeof change>;
    };
    assert.equal((await importAll([path])).end.kind, 'refused');
    database.write = write;
    assert.deepEqual([store.listIds(), store.listDeleted(9)], [[], []]);
    const { chats } = await importAll([path]);
    assert.deepEqual(chats[0]?.kind, 'new');
    assert.equal(store.listIds().length, 1);
    assertCompleteOrAbsent(store, 3_000);
    folder.clock.time += 2 * 24 * 3_600_000;
    while (store.purge());
    assert.deepEqual(store.database.values('SELECT count(*) FROM messages'), [[3_000]]);
    assert.deepEqual(store.database.values('SELECT count(*) FROM contents'), [[3_000]]);
  }).timeout(30_000);

  itOnSmallDisk('F92 reports that the disk is full, and preserves complete conversations', async () => {
    const disk = SmallDisk.mount(8);
    assert.ok(disk);
    const into = openConversationStore({ file: join(disk.path, 'conversations.sqlite'), window: 'w' });
    try {
      const path = writeFile('many.json', shareGpt(300, 'word '.repeat(20_000)));
      const { end, chats } = await importAll([path], { into });
      assert.equal(end.kind, 'refused');
      assert.equal(end.problem?.id, 'import-disk-full');
      assert.ok(chats.length > 0 && chats.every(({ kind }) => kind === 'new'));
      assert.equal(into.listIds().length, chats.length);
      assertCompleteOrAbsent(into);
    } finally {
      into.close();
      disk.remove();
    }
  })?.timeout(30_000);
});
