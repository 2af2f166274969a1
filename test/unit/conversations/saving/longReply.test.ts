import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Conversation } from '../../../../src/conversations/conversation/conversation.ts';
import { ConversationService } from '../../../../src/conversations/conversationService.ts';
import { ConversationWorker } from '../../../../src/conversations/worker/conversationWorker.ts';
import { WorkerEndedError } from '../../../../src/storage/worker/requestWorker.ts';
import {
  createResult,
  createTextEvent,
  readShownTexts,
  StoreFolder,
} from '../../../support/conversationStores.ts';

describe('P9 a reply of several megabytes', () => {
  const program = fileURLToPath(new URL('../../../../src/conversations/worker/main.ts', import.meta.url));
  const text = 'long '.repeat(500_000);
  let folder: StoreFolder;
  let worker: ConversationWorker;
  /** The kinds of the requests to the worker. */
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

  /** Adds a question, receives `text`, and returns the stored chat. */
  async function storeReply(ask: ConversationWorker['request']) {
    const recording: ConversationWorker['request'] = (kind, ...rest) => {
      kinds.push(kind);
      return ask(kind, ...rest);
    };
    const problems: unknown[] = [];
    const service = new ConversationService({
      file: folder.file,
      worker: { request: recording },
      onNotice: (notice) => problems.push(notice),
      onError: (error) => problems.push(error),
    });
    const conversation = new Conversation();
    const saver = service.createSaver(conversation, {
      readFacts: () => ({ gateway: 'demo', model: 'model' }),
      onProblem: (problem) => problems.push(problem),
    });
    const settings = { model: 'model', format: 'messages', parameters: {} } as const;
    const turn = conversation.addQuestion({ text: 'Why?', images: [], ...settings });
    await saver.storeTurns([turn]);
    conversation.appendEvents(turn.id, [createTextEvent(text)]);
    const result = createResult();
    conversation.finish(turn.id, result);
    await saver.storeResult(turn.id, result);
    const store = await service.store();
    const stored = { texts: readShownTexts(store, saver.id), usage: store.usage.sum({ by: [] }) };
    await service.dispose();
    assert.deepEqual(problems, []);
    return stored;
  }

  it('is stored and counted by the worker', async () => {
    const { texts, usage } = await storeReply((...parameters) => worker.request(...parameters));
    assert.ok(kinds.includes('finishReply'));
    assert.deepEqual(texts, ['Why?', text]);
    assert.equal(usage[0]?.replies, 1);
  });

  it('is stored by the window and counted once if the worker ends before or after it stored the reply', async () => {
    for (const isStored of [false, true]) {
      const { texts, usage } = await storeReply(async (kind, ...rest) => {
        if (kind !== 'finishReply') return worker.request(kind, ...rest);
        if (isStored) await worker.request(kind, ...rest);
        throw new WorkerEndedError('The worker ended.');
      });
      assert.deepEqual(texts, ['Why?', text]);
      assert.equal(usage[0]?.replies, isStored ? 2 : 1, 'one counted reply for each chat');
    }
  });
});
