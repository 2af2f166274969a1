import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import { joinTexts, readError, withFaultServer } from '../support/faultServerCalls.ts';

const request = { contents: [{ role: 'user' as const, parts: [{ text: 'Hi' }] }] };

const reply = (text: string, finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, ...(finishReason && { finishReason }) }],
  modelVersion: 'model-a',
});
const event = (text: string, finishReason?: string) =>
  `data: ${JSON.stringify(reply(text, finishReason))}\r\n\r\n`;

async function stream(client: GatewayClient, model = 'model-a') {
  const events: ChatEvent[] = [];
  const result = await client.streamGenerateContent(model, request, (batch) => events.push(...batch));
  return { ...result, text: joinTexts(events) };
}

for (const transport of ['direct', 'host'] as const) {
  describe(`content generation, ${transport} transport`, () => {
    it('requests events, with the model in the path and the body unchanged', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(event('Hel') + event('lo', 'STOP'));
          connection.end();
        },
        async ({ server, client }) => {
          const { outcome, text, model } = await stream(client, 'maker/model:a 1');
          assert.deepEqual([outcome, text, model], [{ kind: 'complete' }, 'Hello', 'model-a']);
          const [sent] = server.requests;
          assert.equal(
            `${sent?.method} ${sent?.path}`,
            'POST /v1beta/models/maker%2Fmodel%3Aa%201:streamGenerateContent?alt=sse',
          );
          assert.deepEqual(JSON.parse(sent?.body ?? ''), request);
        },
        { transport },
      );
    });

    it('returns a whole reply without a stream', async () => {
      await withFaultServer(
        (connection) => connection.respond(200, {}, JSON.stringify(reply('Hello', 'STOP'))),
        async ({ server, client }) => {
          const events: ChatEvent[] = [];
          const { outcome } = await client.generateContent('model-a', request, (batch) =>
            events.push(...batch),
          );
          assert.deepEqual([outcome, joinTexts(events)], [{ kind: 'complete' }, 'Hello']);
          assert.equal(server.requests[0]?.path, '/v1beta/models/model-a:generateContent');
        },
        { transport },
      );
    });

    it('delivers a JSON array while it arrives', async () => {
      const eventReceived = Promise.withResolvers<void>();
      await withFaultServer(
        async (connection) => {
          await connection.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
          await connection.write(`[${JSON.stringify(reply('Hel'), null, 2)}`);
          await eventReceived.promise;
          await connection.write(`\n,\n${JSON.stringify(reply('lo', 'STOP'), null, 2)}\n]`);
          connection.end();
        },
        async ({ client }) => {
          const events: ChatEvent[] = [];
          const { outcome } = await client.streamGenerateContent('model-a', request, (batch) => {
            events.push(...batch);
            eventReceived.resolve();
          });
          assert.deepEqual([outcome, joinTexts(events)], [{ kind: 'complete' }, 'Hello']);
        },
        { transport },
      );
    });

    it('F52 keeps the text and reports a bare error in the middle of the stream', async () => {
      const error = { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } };
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(event('Half') + JSON.stringify(error, null, 2));
          connection.end();
        },
        async ({ client }) => {
          const { outcome, text } = await stream(client);
          assert.equal(text, 'Half');
          assert.deepEqual(
            [readError(outcome).kind, readError(outcome).gatewayMessage],
            ['server', 'Overloaded'],
          );
        },
        { transport },
      );
    });

    it('F47 keeps the text and is interrupted at a clean end before every candidate has finished', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(event('Half'));
          connection.end();
        },
        async ({ client }) => {
          const { outcome, text } = await stream(client);
          assert.deepEqual([outcome.kind, text], ['interrupted', 'Half']);
        },
        { transport },
      );
    });

    it('F50 is complete despite a reset after every candidate has finished', async () => {
      const eventReceived = Promise.withResolvers<void>();
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(event('All', 'STOP'));
          await eventReceived.promise;
          connection.reset();
        },
        async ({ client }) => {
          const { outcome } = await client.streamGenerateContent('m', request, () => eventReceived.resolve());
          assert.deepEqual(outcome, { kind: 'complete' });
        },
        { transport },
      );
    });

    const refusals: readonly (readonly [
      status: number,
      error: object,
      kind: string,
      retryAfterMs?: number,
    ])[] = [
      [
        400,
        { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] },
        'authentication',
      ],
      [400, { code: 400, status: 'INVALID_ARGUMENT' }, 'invalid-parameters'],
      [
        429,
        { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '22s' }] },
        'rate-limited',
        22_000,
      ],
      [429, { code: 429, details: [{ violations: [{ quotaId: 'RequestsPerDay' }] }] }, 'quota'],
      [404, { code: 404, status: 'NOT_FOUND' }, 'model-unavailable'],
      [503, { code: 503, status: 'UNAVAILABLE' }, 'server'],
    ];
    for (const [status, error, kind, retryAfterMs] of refusals) {
      it(`reports ${status} ${JSON.stringify(error)} as ${kind}, also inside a list`, async () => {
        for (const body of [{ error }, [{ error }]]) {
          await withFaultServer(
            (connection) => connection.respond(status, {}, JSON.stringify(body)),
            async ({ client }) => {
              const failure = readError((await stream(client)).outcome);
              assert.deepEqual([failure.kind, failure.retryAfterMs], [kind, retryAfterMs]);
            },
            { transport },
          );
        }
      });
    }
  });
}
