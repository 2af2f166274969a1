// Whether memory stays flat over a thousand streams of a megabyte each, half of them chat completions and
// half messages.
import { setTimeout as pause } from 'node:timers/promises';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { report } from './report.ts';
import { startServer } from './startServer.ts';

const WARM_UP = 100;
const STREAMS = 1_000;
const AT_ONCE = 10;
const MEGABYTE = 1024 * 1024;
/** Events of about 190 bytes and of about 130. */
const CHAT_EVENTS = 5_600;
const MESSAGES_EVENTS = 8_200;
const MOST_GROWTH = 2 * MEGABYTE;

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
      ? await client.chatCompletions({ ...question, max_tokens: CHAT_EVENTS }, () => {})
      : await client.messages({ ...question, max_tokens: MESSAGES_EVENTS }, () => {});
  if (outcome.kind !== 'complete') throw new Error(outcome.kind);
}

/** The memory in use once that many streams more were read and their garbage is gone. */
async function memoryAfter(streams: number): Promise<number> {
  for (let at = 0; at < streams; at += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => stream(nth)));
  }
  // The buffers of the last reads are freed beside the program, once their owners are gone.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await pause(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const before = await memoryAfter(WARM_UP);
const after = await memoryAfter(STREAMS);
await client.close();
server.close();

const mb = (value: number) => `${(value / MEGABYTE).toFixed(1)} MB`;
report({
  figure: `growth of memory over ${STREAMS} streams of 1 MB`,
  value: `${mb(after - before)} (${mb(before)} to ${mb(after)})`,
  target: `<= ${mb(MOST_GROWTH)}`,
  met: after - before <= MOST_GROWTH,
});
