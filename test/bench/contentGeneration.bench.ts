// What decoding a streamed content-generation reply costs, against its bare parts and @google/genai.
import { GoogleGenAI } from '@google/genai';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { BareParts } from './bareParts.ts';
import { cpuTimes, streamCount } from './cpuTime.ts';
import { report } from './report.ts';
import { startServer } from './startServer.ts';

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

const [ours = 0, bare = 0, peer = 0] = await cpuTimes(eventCount - 1, [withClient, withBareParts, withGenai]);
await client.close();
await bareParts.close();
server.close();

const ms = (value: number) => `${value.toFixed(0)} ms`;
report({
  figure: `CPU of ${streamCount} x ${eventCount} content-generation events: client / undici + parser + JSON.parse`,
  value: `${(ours / bare).toFixed(2)} (${ms(ours)} / ${ms(bare)})`,
  target: '<= 1.15',
  met: ours / bare <= 1.15,
});
report({
  figure: `CPU of ${streamCount} x ${eventCount} content-generation events: client / @google/genai`,
  value: `${(ours / peer).toFixed(2)} (${ms(ours)} / ${ms(peer)})`,
  target: '<= 0.20',
  met: ours / peer <= 0.2,
});
