// The time that a reply for VS Code's own chat adds to its first part, compared with the bare client with the same
// request: an agent's conversation with tools, in the format that needs the most work. Only VS Code's classes are
// mocked.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { VerbatimTurns } from '../../src/conversations/verbatim/verbatimTurns.ts';
import { textFormat } from '../../src/wire/apis/textFormats.ts';
import { median, report } from './report.ts';
import { startServer } from './startServer.ts';

const warmUpCalls = 300;
const callCount = 1_500;
const maxMs = 0.3;

const cancelCount = 200;
const maxCancelMs = 100;

const vscode = `
class Part { constructor(value) { this.value = value; } }
export const LanguageModelTextPart = Part;
export const LanguageModelThinkingPart = Part;
export class LanguageModelDataPart {}
export const l10n = { t: (text) => text };
export const workspace = { getConfiguration: () => ({ get: () => undefined, inspect: () => undefined }) };
`;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: `data:text/javascript,${encodeURIComponent(vscode)}`, shortCircuit: true }
      : next(specifier, context),
});
const { GatewayReplies } = await import('../../src/host/agents/languageModels/reply/gatewayReplies.ts');
const { readVsCodeMessages } = await import('../../src/host/agents/languageModels/reply/vsCodeMessages.ts');
const { modelRequest } = await import('../../src/host/agents/languageModels/reply/modelRequest.ts');
const { readRequestSettings } = await import('../../src/host/agents/languageModels/requestSettings.ts');
const { arrangeToolTurns } = await import('../../src/host/agents/languageModels/reply/vsCodeMessages.ts');

const request = { gateway: 'local', model: 'bench-model', format: 'chatCompletions' } as const;
const tools = Array.from({ length: 40 }, (_, nth) => ({
  name: `tool_${nth}`,
  description: 'Does something with a file of the workspace. '.repeat(5),
  inputSchema: { type: 'object', properties: { path: { type: 'string' }, lines: { type: 'array' } } },
}));
const messages = Array.from({ length: 10 }, (_, nth) => [
  { role: 1, content: [{ value: 'Go on with the next file. '.repeat(10) }] },
  {
    role: 2,
    content: [{ value: 'I read it.' }, { callId: `call${nth}`, name: 'tool_1', input: { path: 'a.ts' } }],
  },
  { role: 1, content: [{ callId: `call${nth}`, content: [{ value: 'const x = 1;\n'.repeat(40) }] }] },
]).flat();
const options = { tools, toolMode: 1, modelOptions: { max_tokens: 2 } };

const server = await startServer('streamServer.ts');
let client = createGatewayClient({ baseUrl: server.baseUrl, credential: async () => 'test-credential' });
const turns = new VerbatimTurns({ add: async () => {}, find: async () => [] }, () => {});
const gateway = { kind: 'gateway', name: 'local', baseUrl: server.baseUrl } as const;
const connection = { find: () => ({ gateway, state: { models: [] }, getClient: async () => client }) };
const changes = { onDidChange: () => ({ dispose() {} }) };
const gateways = { ...changes, all: [gateway] };
const conversations = { change: async () => {} };
const log = {
  warn: (_: string, problem: string) => {
    throw new Error(problem);
  },
};
const replies = new GatewayReplies({
  connection,
  gateways,
  credentials: changes,
  turns,
  conversations,
  log,
} as never);
const model = { ...request, gateway: `local@${server.baseUrl}`, id: 'bench', maxOutputTokens: 8192 };
const never = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };

async function withProvider(): Promise<number> {
  const start = performance.now();
  let first = 0;
  const progress = { report: () => (first ||= performance.now()) };
  await replies.respond(model as never, messages as never, options as never, progress, never);
  return first - start;
}

const { body } = modelRequest({
  turnModel: request,
  messages: arrangeToolTurns(readVsCodeMessages(messages)),
  turns: new Map(),
  settings: readRequestSettings(options),
  caching: {},
});
async function withClient(): Promise<number> {
  const start = performance.now();
  let first = 0;
  await client.sendFormatRequest(
    { format: textFormat(request.format), model: request.model, body },
    (events) => {
      if (first === 0 && events.some(({ type }) => type === 'text')) first = performance.now();
    },
  );
  return first - start;
}

const ours: number[] = [];
const bare: number[] = [];
for (let call = 0; call < warmUpCalls + callCount; call++) {
  const times = [await withProvider(), await withClient()];
  if (call < warmUpCalls) continue;
  ours.push(times[0] ?? 0);
  bare.push(times[1] ?? 0);
}
server.close();

/** Cancels a reply at its first part, and returns how long the upstream's socket stays open. */
async function measureCancel(): Promise<number> {
  const begun = new Promise<ServerResponse>((resolve) => hanging.once('request', (_, res) => resolve(res)));
  let cancel = () => {};
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => {
      cancel = listener;
      return { dispose() {} };
    },
  };
  const first = Promise.withResolvers<void>();
  const progress = { report: () => first.resolve() };
  const reply = replies.respond(
    model as never,
    messages as never,
    options as never,
    progress,
    token as never,
  );
  const response = await begun;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('data: {"choices":[{"index":0,"delta":{"content":"Word"}}]}\n\n');
  await first.promise;
  const closed = once(response, 'close');
  const start = performance.now();
  cancel();
  await closed;
  const ms = performance.now() - start;
  await reply;
  return ms;
}

const hanging = createServer();
hanging.listen(0, '127.0.0.1');
await once(hanging, 'listening');
const hangingUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
await client.close();
client = createGatewayClient({ baseUrl: hangingUrl, credential: async () => 'test-credential' });
const closings: number[] = [];
for (let call = 0; call < cancelCount; call++) closings.push(await measureCancel());
await client.close();
hanging.close();

const added = median(ours) - median(bare);
report({
  figure: 'VS Code’s chat: time to first part above the client, p50 (30 messages, 40 tools)',
  value: `${added.toFixed(3)} ms (${median(ours).toFixed(3)} / ${median(bare).toFixed(3)})`,
  target: `<= ${maxMs.toFixed(2)} ms`,
  met: added <= maxMs,
});

const longest = Math.max(...closings);
report({
  figure: 'VS Code’s chat: from cancelling a reply until its socket is closed, the longest (and p50)',
  value: `${longest.toFixed(1)} ms (${median(closings).toFixed(1)} ms)`,
  target: `<= ${maxCancelMs} ms`,
  met: longest <= maxCancelMs,
});
