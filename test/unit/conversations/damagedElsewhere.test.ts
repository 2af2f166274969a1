import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConversationService } from '../../../src/conversations/conversationService.ts';
import { ConversationWorker } from '../../../src/conversations/worker/conversationWorker.ts';
import { StorageError } from '../../../src/storage/sqlite/storageError.ts';
import { isLogTooLongToCheck } from '../../../src/storage/writeAheadLog.ts';
import { addExchange, readShownTexts, StoreFolder } from '../../support/conversationStores.ts';

describe('F95 a damaged conversation file, in a window with a worker', () => {
  const program = fileURLToPath(new URL('../../../src/conversations/worker/main.ts', import.meta.url));
  const broken = new Error('The worker is gone.');
  let folder: StoreFolder;
  let worker: ConversationWorker;
  let service: ConversationService;
  let requests: string[];
  let notices: string[];
  let errors: unknown[];
  let isBroken: boolean;
  let chat: string;

  beforeEach(() => {
    folder = new StoreFolder();
    const store = folder.open();
    chat = store.create();
    addExchange(store, chat, 'Why?', 'Because.');
    store.close();
    worker = new ConversationWorker(program, { file: folder.file }, ({ type }) => notices.push(type));
    [requests, notices, errors, isBroken] = [[], [], [], false];
    const ask: ConversationWorker['request'] = (kind, ...rest) => {
      requests.push(kind);
      return isBroken ? Promise.reject(broken) : worker.request(kind, ...rest);
    };
    service = new ConversationService({
      file: folder.file,
      worker: { request: ask },
      onNotice: ({ type }) => notices.push(type),
      onError: (error) => {
        // A search for other windows' changes also finds the damage while the file is being repaired.
        if (!(error instanceof StorageError && error.kind === 'damaged')) errors.push(error);
      },
    });
  });

  afterEach(async () => {
    await service.dispose();
    await worker.close();
    folder.remove();
  });

  /** Cuts off the end of the file. */
  function cut(): void {
    writeFileSync(folder.file, readFileSync(folder.file).subarray(0, -1000));
  }

  /** Deletes required rows; the next write detects that. */
  async function damage(): Promise<void> {
    const { database } = await service.store();
    database.write(() => database.run('DELETE FROM revision'));
  }

  it('is repaired by the worker before the window opens it', async () => {
    cut();
    const store = await service.store();
    assert.deepEqual([requests, notices, errors], [['migrate'], ['set-aside'], []]);
    assert.equal(store.database.setAside, undefined);
    assert.deepEqual(readShownTexts(store, chat), ['Why?', 'Because.']);
  });

  it('is repaired by the window if the worker is gone', async () => {
    cut();
    isBroken = true;
    const store = await service.store();
    assert.deepEqual([requests, notices, errors], [['migrate'], ['set-aside'], [broken]]);
    assert.deepEqual(readShownTexts(store, chat), ['Why?', 'Because.']);
  });

  it('is repaired by the worker while the window has it open, and the failed change is repeated', async () => {
    await damage();
    await service.change((store) => store.rename(chat, 'new'));
    const store = await service.store();
    assert.deepEqual([requests, notices, errors], [['repair'], ['set-aside'], []]);
    assert.equal(store.database.setAside, undefined);
    assert.deepEqual([store.get(chat)?.title, readShownTexts(store, chat)], ['new', ['Why?', 'Because.']]);
  });

  it('is repaired by the window that has it open if the worker is gone', async () => {
    await damage();
    isBroken = true;
    await service.change((store) => store.rename(chat, 'new'));
    const store = await service.store();
    assert.deepEqual([requests, notices, errors], [['repair'], ['set-aside'], [broken]]);
    assert.deepEqual([store.get(chat)?.title, readShownTexts(store, chat)], ['new', ['Why?', 'Because.']]);
  });

  it('is repaired with a notice by the worker if another request finds the damage first', async () => {
    cut();
    const document = await worker.request('exportChats', { file: `${folder.file}.jsonl`, format: 'jsonl' });
    assert.equal(document.chats, 1);
    assert.deepEqual(notices, ['set-aside']);
  });

  it('with a long WAL is checked by the worker first', async () => {
    const store = folder.open();
    for (let n = 0; !isLogTooLongToCheck(folder.file); n++) {
      store.rename(chat, `${n} ${'long '.repeat(50_000)}`);
    }
    await service.store();
    assert.deepEqual([requests, notices, errors], [['migrate'], [], []]);
  });
});
