import { createGatewayClient, type GatewayClient } from '../../src/client/gatewayClient.ts';
import type { CallOptions, ClientOptions, ExchangeRecord } from '../../src/client/types.ts';
import type { ChatEvent, Outcome } from '../../src/wire/chatEvent.ts';
import { GatewayError } from '../../src/wire/failures/gatewayError.ts';
import {
  type ConnectionScript,
  type FaultServer,
  type FaultServerOptions,
  startFaultServer,
} from './faultServer.ts';

export const testCredential = 'test-credential-0123456789';

export const chatRequest = {
  model: 'model-a',
  messages: [{ role: 'user' as const, content: 'Hi' }],
  stream: true,
};

export interface FaultServerFixture {
  readonly server: FaultServer;
  readonly client: GatewayClient;
  readonly exchanges: readonly ExchangeRecord[];
}

/** Runs `test` with a client of a server that follows `script`, and closes both. */
export async function withFaultServer(
  script: ConnectionScript,
  test: (fixture: FaultServerFixture) => Promise<void>,
  options: Partial<ClientOptions> & FaultServerOptions = {},
): Promise<void> {
  const server = await startFaultServer(script, options);
  const exchanges: ExchangeRecord[] = [];
  const client = createGatewayClient({
    baseUrl: server.baseUrl,
    credential: async () => testCredential,
    onExchange: (exchange) => exchanges.push(exchange),
    ...options,
  });
  try {
    await test({ server, client, exchanges });
  } finally {
    await client.close();
    await server.close();
  }
}

/** Returns the failure of a call. */
export async function catchFailure(call: Promise<unknown>): Promise<GatewayError> {
  try {
    await call;
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

/** Returns the error of a failed chat. */
export function readError(outcome: Outcome): GatewayError {
  if ('error' in outcome) return outcome.error;
  throw new Error(`the chat ended ${outcome.kind}`);
}

export function joinTexts(events: readonly ChatEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

/** Creates an event of a stream that adds text, or ends the choice. */
export function createChunk(content: string, finish: string | null = null): string {
  const choice = { index: 0, delta: { content }, finish_reason: finish };
  return `data: ${JSON.stringify({ id: 'c', model: 'model-a', choices: [choice] })}\n\n`;
}

/** Streams a chat and joins its text. */
export async function streamChat(client: GatewayClient, options: CallOptions = {}) {
  const events: ChatEvent[] = [];
  const result = await client.chatCompletions(chatRequest, (batch) => events.push(...batch), options);
  return { ...result, text: joinTexts(events) };
}
