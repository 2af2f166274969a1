// The time that the client adds to the first token, on a warm connection.
import { performance } from 'node:perf_hooks';
import { Agent, request } from 'undici';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { median, report } from './report.ts';
import { startServer } from './startServer.ts';

const warmUpCalls = 500;
const callCount = 3_000;
const maxMs = 0.08;

const server = await startServer('streamServer.ts');
const body = {
  model: 'bench-model',
  messages: [{ role: 'user' as const, content: 'go' }],
  stream: true,
  max_tokens: 2,
};

const client = createGatewayClient({ baseUrl: server.baseUrl, credential: async () => 'test-credential' });
async function withClient(): Promise<number> {
  const start = performance.now();
  let first = 0;
  await client.chatCompletions(body, (events) => {
    if (first === 0 && events.some((event) => event.type === 'text')) first = performance.now();
  });
  return first - start;
}

const dispatcher = new Agent();
async function withBareRequest(): Promise<number> {
  const start = performance.now();
  let first = 0;
  const reply = await request(`${server.baseUrl}/v1/chat/completions`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test-credential' },
    body: JSON.stringify(body),
  });
  for await (const _ of reply.body) if (first === 0) first = performance.now();
  return first - start;
}

const ours: number[] = [];
const bare: number[] = [];
for (let call = 0; call < warmUpCalls + callCount; call++) {
  const times = [await withClient(), await withBareRequest()];
  if (call < warmUpCalls) continue;
  ours.push(times[0] ?? 0);
  bare.push(times[1] ?? 0);
}
await client.close();
await dispatcher.close();
server.close();

const added = median(ours) - median(bare);
report({
  figure: 'Time to first token above a bare undici request, p50',
  value: `${added.toFixed(3)} ms (${median(ours).toFixed(3)} / ${median(bare).toFixed(3)})`,
  target: `<= ${maxMs.toFixed(2)} ms`,
  met: added <= maxMs,
});
