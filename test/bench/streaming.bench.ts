// What decoding a streamed reply costs, against its bare parts and against the openai package.
import OpenAI from 'openai';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { BareParts } from './bareParts.ts';
import { cpuTimes, streamCount } from './cpuTime.ts';
import { report } from './report.ts';
import { startServer } from './startServer.ts';

const eventCount = 2_000;

const server = await startServer('streamServer.ts');
const body = {
  model: 'bench-model',
  messages: [{ role: 'user' as const, content: 'go' }],
  stream: true as const,
  max_tokens: eventCount,
};

const client = createGatewayClient({ baseUrl: server.baseUrl, credential: async () => 'test-credential' });
async function withClient(): Promise<number> {
  let texts = 0;
  const { outcome } = await client.chatCompletions(body, (events) => {
    for (const event of events) if (event.type === 'text') texts++;
  });
  if (outcome.kind !== 'complete') throw new Error(outcome.kind);
  return texts;
}

const bareParts = new BareParts();
function withBareParts(): Promise<number> {
  return bareParts.stream(
    `${server.baseUrl}/v1/chat/completions`,
    body,
    (data) => data !== '[DONE]' && Boolean(JSON.parse(data).choices[0]?.delta?.content),
  );
}

const openai = new OpenAI({ baseURL: `${server.baseUrl}/v1`, apiKey: 'test-credential' });
async function withOpenai(): Promise<number> {
  let texts = 0;
  for await (const chunk of await openai.chat.completions.create(body)) {
    if (chunk.choices[0]?.delta.content) texts++;
  }
  return texts;
}

const [ours = 0, bare = 0, peer = 0] = await cpuTimes(eventCount - 1, [
  withClient,
  withBareParts,
  withOpenai,
]);
await client.close();
await bareParts.close();
server.close();

const ms = (value: number) => `${value.toFixed(0)} ms`;
report({
  figure: `CPU of ${streamCount} x ${eventCount} chunks: client / undici + parser + JSON.parse`,
  value: `${(ours / bare).toFixed(2)} (${ms(ours)} / ${ms(bare)})`,
  target: '<= 1.15',
  met: ours / bare <= 1.15,
});
report({
  figure: `CPU of ${streamCount} x ${eventCount} chunks: client / openai package`,
  value: `${(ours / peer).toFixed(2)} (${ms(ours)} / ${ms(peer)})`,
  target: '<= 0.33',
  met: ours / peer <= 1 / 3,
});
