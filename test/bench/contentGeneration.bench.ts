// The cost of decoding a streamed content-generation reply, compared with its bare parts and @google/genai.
import { GoogleGenAI } from '@google/genai';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { BareParts } from './bareParts.ts';
import { startServer } from './startServer.ts';
import { reportStreamCost } from './streamCost.ts';

const eventCount = 2_000;
const modelId = 'bench-model';

const server = await startServer('streamServer.ts');
const generationConfig = { maxOutputTokens: eventCount };
const contents = [{ role: 'user' as const, parts: [{ text: 'go' }] }];

const client = createGatewayClient({ baseUrl: server.baseUrl, credential: async () => 'test-credential' });
async function withClient(): Promise<number> {
  let texts = 0;
  const { outcome } = await client.streamGenerateContent(
    modelId,
    { contents, generationConfig },
    (events) => {
      for (const event of events) if (event.type === 'text') texts++;
    },
  );
  if (outcome.kind !== 'complete') throw new Error(outcome.kind);
  return texts;
}

const bareParts = new BareParts();
function withBareParts(): Promise<number> {
  return bareParts.stream(
    `${server.baseUrl}/v1beta/models/${modelId}:streamGenerateContent?alt=sse`,
    { contents, generationConfig },
    (data) => Boolean(JSON.parse(data).candidates[0]?.content?.parts[0]?.text),
  );
}

const genai = new GoogleGenAI({ apiKey: 'test-credential', httpOptions: { baseUrl: server.baseUrl } });
async function withGenai(): Promise<number> {
  let texts = 0;
  const stream = await genai.models.generateContentStream({
    model: modelId,
    contents,
    config: generationConfig,
  });
  for await (const chunk of stream) if (chunk.candidates?.[0]?.content?.parts?.[0]?.text) texts++;
  return texts;
}

await reportStreamCost(eventCount - 1, {
  events: `${eventCount} content-generation events`,
  client: withClient,
  bareParts: withBareParts,
  peer: withGenai,
  peerName: '@google/genai',
  peerTarget: 0.2,
});
await client.close();
await bareParts.close();
server.close();
