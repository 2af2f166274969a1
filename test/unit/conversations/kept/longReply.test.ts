import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Conversation } from '../../../../src/conversations/conversation/conversation.ts';
import { ConversationService } from '../../../../src/conversations/conversationService.ts';
import { ConversationWorker } from '../../../../src/conversations/worker/conversationWorker.ts';
import { WorkerEndedError } from '../../../../src/storage/worker/requestWorker.ts';
import { ending, StoreFolder, shown, words } from '../../../support/conversationStores.ts';

describe('P9 a reply of several megabytes', () => {
  const program = fileURLToPath(new URL('../../../../src/conversations/worker/main.ts', import.meta.url));
  const text = 'long '.repeat(500_000);
  let folder: StoreFolder;
  let worker: ConversationWorker;
  /** The kinds of what the worker was asked. */
  const kinds: string[] = [];

  beforeEach(() => {
    folder = new StoreFolder();
    worker = new ConversationWorker(program, { file: folder.file });
    kinds.length = 0;
  });
  afterEach(async () => {
    await worker.close();
    folder.remove();
  });

  /** Asks, receives `text`, and returns the stored chat. */
  async function keep(ask: ConversationWorker['ask']) {
    const recording: ConversationWorker['ask'] = (kind, ...rest) => {
      kinds.push(kind);
      return ask(kind, ...rest);
    };
    const problems: unknown[] = [];
    const service = new ConversationService({
      ...{ file: folder.file, worker: { ask: recording } },
      ...{ onNotice: (notice) => problems.push(notice), onError: (error) => problems.push(error) },
    });
    const conversation = new Conversation();
    const keeper = service.keep(conversation, {
      facts: () => ({ gateway: 'demo', model: 'model' }),
      onProblem: (problem) => problems.push(problem),
    });
    const how = { model: 'model', format: 'messages', parameters: {} } as const;
    const turn = conversation.ask({ text: 'Why?', images: [], ...how });
    await keeper.asked([turn]);
    conversation.apply(turn.id, [words(text)]);
    const result = ending();
    conversation.finish(turn.id, result);
    await keeper.ended(turn.id, result);
    const store = await service.store();
    const kept = { texts: shown(store, keeper.id), usage: store.usage.sums({ by: [] }) };
    await service.dispose();
    assert.deepEqual(problems, []);
    return kept;
  }

  it('is stored by the worker, and the window goes on meanwhile', async () => {
    const { texts, usage } = await keep((...asked) => worker.ask(...asked));
    assert.ok(kinds.includes('finishReply'));
    assert.deepEqual(texts, ['Why?', text]);
    assert.equal(usage[0]?.answers, 1);
  });

  it('is stored by the window, and counted once, when the worker ends before or after it did', async () => {
    for (const isStored of [false, true]) {
      const { texts, usage } = await keep(async (kind, ...rest) => {
        if (kind !== 'finishReply') return worker.ask(kind, ...rest);
        if (isStored) await worker.ask(kind, ...rest);
        throw new WorkerEndedError('The worker ended.');
      });
      assert.deepEqual(texts, ['Why?', text]);
      assert.equal(usage[0]?.answers, isStored ? 2 : 1, 'one for each chat');
    }
  });
});
