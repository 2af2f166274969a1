// Whether memory stays flat over a thousand streams of a megabyte each, half of them chat completions and
// half messages.
import { setTimeout as pause } from 'node:timers/promises';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { report } from './report.ts';
import { startServer } from './startServer.ts';

const warmUpStreams = 100;
const streamCount = 1_000;
const streamsAtOnce = 10;
const megabyteBytes = 1024 * 1024;
/** Events of about 190 bytes and of about 130. */
const chatEventCount = 5_600;
const messagesEventCount = 8_200;
const maxGrowth = 2 * megabyteBytes;

const server = await startServer('streamServer.ts');
const client = createGatewayClient({ baseUrl: server.baseUrl, credential: async () => 'test-credential' });
const question = {
  model: 'bench-model',
  messages: [{ role: 'user' as const, content: 'go' }],
  stream: true as const,
};

async function stream(nth: number): Promise<void> {
  const { outcome } =
    nth % 2 === 0
      ? await client.chatCompletions({ ...question, max_tokens: chatEventCount }, () => {})
      : await client.messages({ ...question, max_tokens: messagesEventCount }, () => {});
  if (outcome.kind !== 'complete') throw new Error(outcome.kind);
}

/** The memory in use after this many more streams were read and their garbage was collected. */
async function memoryAfter(streams: number): Promise<number> {
  for (let at = 0; at < streams; at += streamsAtOnce) {
    await Promise.all(Array.from({ length: streamsAtOnce }, (_, nth) => stream(nth)));
  }
  // The buffers of the last reads are freed concurrently, after their owners have been collected.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await pause(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const before = await memoryAfter(warmUpStreams);
const after = await memoryAfter(streamCount);
await client.close();
server.close();

const mb = (value: number) => `${(value / megabyteBytes).toFixed(1)} MB`;
report({
  figure: `growth of memory over ${streamCount} streams of 1 MB`,
  value: `${mb(after - before)} (${mb(before)} to ${mb(after)})`,
  target: `<= ${mb(maxGrowth)}`,
  met: after - before <= maxGrowth,
});
