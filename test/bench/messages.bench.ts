// The cost of decoding a streamed messages reply, compared with its bare parts and @anthropic-ai/sdk.
import Anthropic from '@anthropic-ai/sdk';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { BareParts } from './bareParts.ts';
import { startServer } from './startServer.ts';
import { reportStreamCost } from './streamCost.ts';

const eventCount = 2_000;

const server = await startServer('streamServer.ts');
const body = {
  model: 'bench-model',
  max_tokens: eventCount,
  messages: [{ role: 'user' as const, content: 'go' }],
  stream: true as const,
};

const client = createGatewayClient({ baseUrl: server.baseUrl, credential: async () => 'test-credential' });
async function withClient(): Promise<number> {
  let texts = 0;
  const { outcome } = await client.messages(body, (events) => {
    for (const event of events) if (event.type === 'text') texts++;
  });
  if (outcome.kind !== 'complete') throw new Error(outcome.kind);
  return texts;
}

const bareParts = new BareParts();
function withBareParts(): Promise<number> {
  return bareParts.stream(`${server.baseUrl}/v1/messages`, body, (data) =>
    Boolean(JSON.parse(data).delta?.text),
  );
}

const anthropic = new Anthropic({ baseURL: server.baseUrl, apiKey: 'test-credential' });
async function withAnthropic(): Promise<number> {
  let texts = 0;
  for await (const event of await anthropic.messages.create(body)) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') texts++;
  }
  return texts;
}

await reportStreamCost(eventCount - 1, {
  events: `${eventCount} messages events`,
  client: withClient,
  bareParts: withBareParts,
  peer: withAnthropic,
  peerName: '@anthropic-ai/sdk',
  peerTarget: 1,
});
await client.close();
await bareParts.close();
server.close();
