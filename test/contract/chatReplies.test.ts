import assert from 'node:assert/strict';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import type { FaultConnection } from '../support/faultServer.ts';
import { chatRequest, withFaultServer } from '../support/faultServerCalls.ts';
import { type StreamFixture, streamFixtures } from '../unit/wire/streamFixtures.ts';

/** Sends a recorded reply in three reads, under a Content-Type that fits as badly as it can. */
async function play(connection: FaultConnection, { bytes }: StreamFixture): Promise<void> {
  await connection.head(200, { 'content-type': 'image/png', 'transfer-encoding': 'chunked' });
  const third = Math.ceil(bytes.length / 3);
  for (const piece of [0, third, 2 * third].map((at) => bytes.subarray(at, at + third))) {
    if (piece.length > 0) await connection.write(`${piece.length.toString(16)}\r\n`);
    if (piece.length > 0) await connection.write(piece);
    if (piece.length > 0) await connection.write('\r\n');
  }
  await connection.write('0\r\n\r\n');
}

for (const transport of ['direct', 'host'] as const) {
  describe(`every recorded deviation over a socket, ${transport} transport`, () => {
    for (const fixture of streamFixtures()) {
      for (const stream of [true, false]) {
        it(`${fixture.name}, asked for ${stream ? 'a stream' : 'a document'}`, async () => {
          await withFaultServer(
            (connection) => play(connection, fixture),
            async ({ client }) => {
              const events: ChatEvent[] = [];
              const { outcome } = await client.chat({ ...chatRequest, stream }, (batch) =>
                events.push(...batch),
              );
              const { events: expected, end } = fixture.expected;
              assert.deepEqual(events, expected);
              assert.equal(
                outcome.kind,
                end.kind === 'interrupted' && events.length === 0 ? 'failed' : end.kind,
              );
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
