import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { UsageQuery } from '../../../../src/conversations/store/usageLedger.ts';
import { ConversationWorker } from '../../../../src/conversations/worker/conversationWorker.ts';
import { StoreFolder } from '../../../support/conversationStores.ts';

const replies = 150_000;
const queries: readonly UsageQuery[] = [
  { by: ['day'] },
  { by: ['month'] },
  { by: ['model', 'gateway'] },
  { by: ['gateway'], from: Date.UTC(2030, 0, 1) },
];

/** The longest blocking of the thread, in milliseconds. */
async function longestStall(during: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  try {
    await during();
    return Math.max(longest, performance.now() - last);
  } finally {
    clearInterval(timer);
  }
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
    const begun = performance.now();
    const here = queries.map((query) => usage.sums(query));
    const took = performance.now() - begun;
    let there: unknown;
    const stall = await longestStall(async () => {
      there = await worker.request('sumUsage', queries);
    });
    assert.deepEqual(there, here);
    assert.ok(stall < took / 3, `${stall} ms of ${took} ms`);
  }).timeout(30_000);

  it('returns no sums if there is no usage', async () => {
    folder.open();
    assert.deepEqual(await worker.request('sumUsage', queries), [[], [], [], []]);
  });
});
