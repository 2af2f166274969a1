// What decoding a streamed reply costs, against its bare parts and against the openai package.
import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import { Agent, request } from 'undici';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { median, report } from './report.ts';
import { startStreamServer } from './startStreamServer.ts';

const STREAMS = 100;
const AT_ONCE = 10;
const EVENTS = 2_000;
const ROUNDS = 7;

const server = await startStreamServer();
const body = {
  model: 'bench-model',
  messages: [{ role: 'user' as const, content: 'go' }],
  stream: true as const,
  max_tokens: EVENTS,
};

const client = createGatewayClient({ baseUrl: server.baseUrl, credential: async () => 'test-credential' });
async function withClient(): Promise<number> {
  let texts = 0;
  const { outcome } = await client.chat(body, (events) => {
    for (const event of events) if (event.type === 'text') texts++;
  });
  if (outcome.kind !== 'complete') throw new Error(outcome.kind);
  return texts;
}

const dispatcher = new Agent();
async function withBareParts(): Promise<number> {
  let texts = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return;
      if (JSON.parse(data).choices[0]?.delta?.content) texts++;
    },
  });
  const reply = await request(`${server.baseUrl}/v1/chat/completions`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test-credential' },
    body: JSON.stringify(body),
  });
  const utf8 = new TextDecoder();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  reply.body.on('data', (bytes) => parser.feed(utf8.decode(bytes, { stream: true })));
  reply.body.on('end', resolve);
  reply.body.on('error', reject);
  await promise;
  return texts;
}

const openai = new OpenAI({ baseURL: `${server.baseUrl}/v1`, apiKey: 'test-credential' });
async function withOpenai(): Promise<number> {
  let texts = 0;
  for await (const chunk of await openai.chat.completions.create(body)) {
    if (chunk.choices[0]?.delta.content) texts++;
  }
  return texts;
}

async function cpuMs(stream: () => Promise<number>): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (let at = 0; at < STREAMS; at += AT_ONCE) {
    for (const texts of await Promise.all(Array.from({ length: AT_ONCE }, stream))) {
      if (texts !== EVENTS - 1) throw new Error(`${texts} texts`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const contestants = [withClient, withBareParts, withOpenai];
for (const stream of contestants) await cpuMs(stream);
const rounds: number[][] = contestants.map(() => []);
for (let round = 0; round < ROUNDS; round++) {
  for (const [at, stream] of contestants.entries()) rounds[at]?.push(await cpuMs(stream));
}
const [ours = 0, bare = 0, peer = 0] = rounds.map(median);
await client.close();
await dispatcher.close();
server.close();

const ms = (value: number) => `${value.toFixed(0)} ms`;
report({
  figure: `CPU of ${STREAMS} x ${EVENTS} chunks: client / undici + parser + JSON.parse`,
  value: `${(ours / bare).toFixed(2)} (${ms(ours)} / ${ms(bare)})`,
  target: '<= 1.15',
  met: ours / bare <= 1.15,
});
report({
  figure: `CPU of ${STREAMS} x ${EVENTS} chunks: client / openai package`,
  value: `${(ours / peer).toFixed(2)} (${ms(ours)} / ${ms(peer)})`,
  target: '<= 0.33',
  met: ours / peer <= 1 / 3,
});
