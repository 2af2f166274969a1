import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { UsageQuery } from '../../../../src/conversations/store/usageLedger.ts';
import { ConversationWorker } from '../../../../src/conversations/worker/conversationWorker.ts';
import { StoreFolder } from '../../../support/conversationStores.ts';

const replies = 150_000;
/** A blocked thread has only a few turns of its event loop. */
const minTurns = 100;
const queries: readonly UsageQuery[] = [
  { by: ['day'] },
  { by: ['month'] },
  { by: ['model', 'gateway'] },
  { by: ['gateway'], from: Date.UTC(2030, 0, 1) },
];

/** The number of turns of this thread's event loop until the work was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    turns += 1;
    await setImmediate();
  }
  await done;
  return turns;
}

describe('summing up usage in the worker', () => {
  const program = fileURLToPath(new URL('../../../../src/conversations/worker/main.ts', import.meta.url));
  let folder: StoreFolder;
  let worker: ConversationWorker;

  beforeEach(() => {
    folder = new StoreFolder();
    worker = new ConversationWorker(program, { file: folder.file });
  });

  afterEach(async () => {
    await worker.close();
    folder.remove();
  });

  it('returns the sums of a large table without blocking the calling thread', async () => {
    const { usage, database } = folder.open();
    database.run(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${replies})
       INSERT INTO usage (conversation, message, at, day, gateway, gatewayName, model, inputTokens, outputTokens, usd,
         costSource, isCut)
       SELECT 'chat ' || (n % 5000), n, n * 6000000, date(n * 6000, 'unixepoch'), 'gateway ' || (n % 7), 'Gateway',
         'model ' || (n % 40), 10, iif(n % 3 = 0, NULL, 5), iif(n % 2 = 0, NULL, 0.5), 'gateway', n % 11 = 0 FROM n`,
    );
    await worker.request('sumUsage', []);
    const summing = worker.request('sumUsage', queries);
    assert.ok((await turnsDuring(summing)) > minTurns);
    assert.deepEqual(
      await summing,
      queries.map((query) => usage.sum(query)),
    );
  }).timeout(30_000);

  it('returns no sums if there is no usage', async () => {
    folder.open();
    assert.deepEqual(await worker.request('sumUsage', queries), [[], [], [], []]);
  });
});
