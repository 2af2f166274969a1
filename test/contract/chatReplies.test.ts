import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ChatResult } from '../../src/client/types.ts';
import type { ChatEvent, Outcome } from '../../src/wire/chatEvent.ts';
import type { FaultConnection } from '../support/faultServer.ts';
import { chatRequest, withFaultServer } from '../support/faultServerCalls.ts';
import { type StreamFixture, streamFixtures } from '../unit/wire/streamFixtures.ts';

/** Sends a recorded reply in three reads, with an unsuitable Content-Type. */
async function play(connection: FaultConnection, { bytes }: StreamFixture): Promise<void> {
  await connection.writeHead(200, { 'content-type': 'image/png', 'transfer-encoding': 'chunked' });
  const third = Math.ceil(bytes.length / 3);
  for (const piece of [0, third, 2 * third].map((at) => bytes.subarray(at, at + third))) {
    if (piece.length > 0) await connection.write(`${piece.length.toString(16)}\r\n`);
    if (piece.length > 0) await connection.write(piece);
    if (piece.length > 0) await connection.write('\r\n');
  }
  await connection.write('0\r\n\r\n');
}

type ClientCall = (client: GatewayClient, stream: boolean, onEvents: OnEvents) => Promise<ChatResult>;
type OnEvents = (events: readonly ChatEvent[]) => void;

const { model, messages } = chatRequest;
const contents = [{ parts: [{ text: 'Hi' }] }];

/** The folders of recordings, with the client call for each format. */
const clientCalls: Readonly<Record<string, ClientCall>> = {
  '.': (client, stream, onEvents) => client.chatCompletions({ ...chatRequest, stream }, onEvents),
  messages: (client, stream, onEvents) =>
    client.messages({ model, messages, max_tokens: 9, stream }, onEvents),
  responses: (client, stream, onEvents) => client.responses({ model, input: 'Hi', stream }, onEvents),
  contentGeneration: (client, stream, onEvents) =>
    client[stream ? 'streamGenerateContent' : 'generateContent'](model, { contents }, onEvents),
  interactions: (client, stream, onEvents) => client.interactions({ model, input: 'Hi', stream }, onEvents),
};

function findOutcome({ name, expected: { events, end } }: StreamFixture): Outcome['kind'] {
  if (name === 'document-queued' || name === 'document-in-progress') return 'pending';
  if (end.failure?.kind === 'cancelled') return 'cancelled';
  return end.kind === 'interrupted' && events.length === 0 ? 'failed' : end.kind;
}

for (const transport of ['direct', 'host'] as const) {
  for (const [folder, send] of Object.entries(clientCalls)) {
    const format = folder === '.' ? 'chatCompletions' : folder;
    describe(`the client, reading recorded ${format} replies over a socket, ${transport} transport,`, () => {
      for (const fixture of streamFixtures(folder)) {
        for (const stream of [true, false]) {
          it(`returns the expected events and outcome: ${fixture.name}, requested as ${stream ? 'a stream' : 'a document'}`, async () => {
            await withFaultServer(
              (connection) => play(connection, fixture),
              async ({ client }) => {
                const events: ChatEvent[] = [];
                const { outcome } = await send(client, stream, (batch) => events.push(...batch));
                const { events: expected, end } = fixture.expected;
                assert.deepEqual(events, expected);
                assert.equal(outcome.kind, findOutcome(fixture));
                if ('error' in outcome) {
                  assert.equal(outcome.error.kind, end.failure?.kind);
                  assert.equal(outcome.error.reason, end.failure?.reason);
                  assert.equal(outcome.error.gatewayMessage, end.failure?.gatewayMessage);
                }
              },
              { transport },
            );
          });
        }
      }
    });
  }
}
