import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ImportedChat } from '../../../../src/conversations/transfer/importFiles.ts';
import { ConversationWorker } from '../../../../src/conversations/worker/conversationWorker.ts';
import { StoreFolder } from '../../../support/conversationStores.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';

describe('importing and exporting in the worker', () => {
  const program = fileURLToPath(new URL('../../../../src/conversations/worker/main.ts', import.meta.url));
  let folder: StoreFolder;
  let files: DatabaseFolder;
  let worker: ConversationWorker;

  beforeEach(() => {
    folder = new StoreFolder();
    files = new DatabaseFolder();
    worker = new ConversationWorker(program, { file: folder.file });
  });

  afterEach(async () => {
    await worker.close();
    folder.remove();
    files.remove();
  });

  function manyChats(count: number): string {
    const conversations = [{ from: 'human', value: 'Why?' }];
    const path = files.file('many.json');
    writeFileSync(
      path,
      JSON.stringify(Array.from({ length: count }, (_, nth) => ({ id: `chat-${nth}`, conversations }))),
    );
    return path;
  }

  it('reports the result for every conversation, and exports them again', async () => {
    const store = folder.open();
    const chats: ImportedChat[] = [];
    const end = await worker.request(
      'importFiles',
      { id: 'one', files: [manyChats(3)] },
      { onProgress: (progress) => chats.push(...progress.chats) },
    );
    assert.deepEqual(end, { kind: 'complete' });
    assert.deepEqual(
      chats.map(({ kind }) => kind),
      ['new', 'new', 'new'],
    );
    assert.equal(store.listIds().length, 3);
    const file = files.file('chats.jsonl');
    assert.deepEqual(await worker.request('exportChats', { file, format: 'jsonl' }), {
      chats: 3,
      missingAttachments: 0,
    });
    assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 1 + 3 + 3 + 1);
  });

  it('stops an import, and reports all imported conversations', async () => {
    const store = folder.open();
    const received: ImportedChat[] = [];
    const end = await worker.request(
      'importFiles',
      { id: 'one', files: [manyChats(5000)] },
      {
        onProgress: ({ chats }) => {
          received.push(...chats);
          if (chats.length > 0) void worker.request('stopImport', 'one');
        },
      },
    );
    assert.deepEqual(end, { kind: 'stopped' });
    assert.ok(received.length > 0 && received.length < 5000);
    assert.equal(store.listIds().length, received.length);
  }).timeout(30_000);
});
