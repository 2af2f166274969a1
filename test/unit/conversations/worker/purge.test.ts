import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { ConversationWorker } from '../../../../src/conversations/worker/conversationWorker.ts';
import { addExchange, StoreFolder } from '../../../support/conversationStores.ts';

describe('the conversation worker', () => {
  const program = fileURLToPath(new URL('../../../../src/conversations/worker/main.ts', import.meta.url));

  it('erases conversations that were deleted long ago, and no others', async () => {
    const folder = new StoreFolder();
    const store = folder.open();
    const worker = new ConversationWorker(program, { file: folder.file });
    try {
      const [existing, deleted] = [store.create(), store.create()];
      for (const chat of [existing, deleted]) addExchange(store, chat, 'Why?', 'Because.');
      store.delete(deleted);
      store.database.run('UPDATE conversations SET deletedAt = 1 WHERE id = ?', deleted);
      await worker.request('purge', undefined);
      assert.equal(store.getWithMessages(deleted), undefined);
      assert.equal(store.readPath(existing).length, 2);
    } finally {
      await worker.close();
      folder.remove();
    }
  });
});
