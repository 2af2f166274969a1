import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { ConversationService } from '../../../../src/conversations/conversationService.ts';
import { storeMigrations } from '../../../../src/conversations/store/storeSchema.ts';
import { ConversationWorker } from '../../../../src/conversations/worker/conversationWorker.ts';
import { openDatabase } from '../../../../src/storage/database.ts';
import { exchange, StoreFolder, shown } from '../../../support/conversationStores.ts';

describe('a file of conversations of an earlier version', () => {
  const program = fileURLToPath(new URL('../../../../src/conversations/worker/main.ts', import.meta.url));
  const backup = 'backup-v1-conversations.sqlite';
  let folder: StoreFolder;
  let worker: ConversationWorker;
  const errors: unknown[] = [];

  beforeEach(() => {
    folder = new StoreFolder();
    worker = new ConversationWorker(program, { file: folder.file });
    openDatabase({ path: folder.file, migrations: storeMigrations.slice(0, 1) }).close();
  });

  afterEach(async () => {
    await worker.close();
    folder.remove();
    errors.length = 0;
  });

  async function opened(ask: ConversationWorker['ask']): Promise<readonly string[]> {
    const service = new ConversationService({
      ...{ file: folder.file, worker: { ask } },
      ...{ onNotice: (notice) => assert.fail(notice.type), onError: (error) => errors.push(error) },
    });
    try {
      const store = await service.store();
      const chat = store.create();
      exchange(store, chat, 'one?', 'One.');
      return shown(store, chat);
    } finally {
      await service.dispose();
    }
  }

  it('is copied and migrated in the worker, before the window opens it, and not once more', async () => {
    const asked: string[] = [];
    const ask: ConversationWorker['ask'] = async (kind, value, waiting) => {
      assert.ok(!folder.names().includes(backup));
      asked.push(kind);
      const answer = await worker.ask(kind, value, waiting);
      assert.ok(folder.names().includes(backup));
      return answer;
    };
    assert.deepEqual(await opened(ask), ['one?', 'One.']);
    await opened(ask);
    assert.deepEqual([asked, errors], [['migrate'], []]);
  });

  it('opens nevertheless when the worker breaks', async () => {
    const broken = new Error('The worker is gone.');
    assert.deepEqual(await opened(() => Promise.reject(broken)), ['one?', 'One.']);
    assert.deepEqual(errors, [broken]);
    assert.ok(folder.names().includes(backup));
  });
});
