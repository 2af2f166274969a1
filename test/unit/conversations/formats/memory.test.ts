import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { importConversations } from '../../../../src/conversations/formats/importConversations.ts';
import { longRuns } from '../../../support/longRuns.ts';

const chunkBytes = 1024 * 1024;
const totalBytes = (longRuns ? 2_000 : 200) * chunkBytes;
/** The memory in use in addition to the conversation that is read. */
const maxGrowth = 64 * chunkBytes;
const samples = 10;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const message = { author: { role: 'user' }, content: { content_type: 'text', parts: ['x'.repeat(10_000)] } };
const conversation = Buffer.from(
  `${JSON.stringify({ id: 'c', title: 'Many', mapping: { a: { id: 'a', message }, b: { id: 'b', parent: 'a', message } } })},`,
);

async function* manyConversations(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[');
  const chunk = Buffer.concat(
    Array.from({ length: Math.ceil(chunkBytes / conversation.length) }, () => conversation),
  );
  // Each chunk has its own memory, like the chunks of a file.
  for (let at = 0; at < totalBytes; at += chunk.length) yield Buffer.from(chunk);
}

async function* endlessString(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[{"id":"c","title":"Endless","text":"');
  for (let at = 0; at < totalBytes; at += chunkBytes) yield Buffer.alloc(chunkBytes, 'x');
}

/** The memory in use, without garbage. */
async function measureMemory(): Promise<number> {
  // Buffers are freed by another thread, after their owners have been collected.
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await pause(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('the memory of an import', () => {
  for (const [formatName, source] of [
    ['many conversations', manyConversations],
    ['one endless conversation', endlessString],
  ] as const) {
    it(`is bounded, for a large file of ${formatName}`, async () => {
      const before = await measureMemory();
      let most = Number.NEGATIVE_INFINITY;
      let [read, sampled] = [0, 0];
      async function* watched() {
        for await (const chunk of source()) {
          yield chunk;
          read += chunk.length;
          if (read - sampled < totalBytes / samples) continue;
          sampled = read;
          most = Math.max(most, (await measureMemory()) - before);
        }
      }
      let count = 0;
      for await (const _ of importConversations(watched(), { maxConversationBytes: 8 * chunkBytes }))
        count += 1;
      assert.ok(count > 0 && Number.isFinite(most));
      assert.ok(most < maxGrowth, `${Math.round(most / chunkBytes)} MiB`);
    }).timeout(longRuns ? 120_000 : 20_000);
  }
});
