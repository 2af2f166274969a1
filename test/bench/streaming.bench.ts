// The cost of decoding a streamed reply, compared with its bare parts and the openai package.
import OpenAI from 'openai';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { BareParts } from './bareParts.ts';
import { startServer } from './startServer.ts';
import { reportStreamCost } from './streamCost.ts';

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

await reportStreamCost(eventCount - 1, {
  events: `${eventCount} chunks`,
  client: withClient,
  bareParts: withBareParts,
  peer: withOpenai,
  peerName: 'openai package',
  peerTarget: 1 / 3,
});
await client.close();
await bareParts.close();
server.close();
