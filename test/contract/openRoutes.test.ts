import assert from 'node:assert/strict';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import { joinTexts, readError, testCredential, withFaultServer } from '../support/faultServerCalls.ts';

const ignore = () => {};
const question = { model: 'model-a', messages: [{ role: 'user' as const, content: 'Hi' }], max_tokens: 9 };
const message = JSON.stringify({ type: 'message', id: 'msg_1', content: [], stop_reason: 'end_turn' });
const createResponse = (status: string, text?: string) =>
  JSON.stringify({
    id: 'resp_1',
    object: 'response',
    status,
    output: text === undefined ? [] : [{ type: 'message', content: [{ type: 'output_text', text }] }],
  });

const messagesEvents = [
  { type: 'message_start', message: { id: 'msg_1', model: 'model-a' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
];
const responsesEvents = [
  { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' },
  { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } },
];
const writeEvents = (events: readonly object[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

/** The headers that carry a credential in some gateway. */
function findCredentialHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => (value.includes(testCredential) ? [name] : []));
}

for (const transport of ['direct', 'host'] as const) {
  describe(`the messages format, ${transport} transport`, () => {
    it('sends requests as its provider expects them, with the header names of the interface', async () => {
      await withFaultServer(
        (connection) => connection.respond(200, {}, message),
        async ({ server, client }) => {
          await client.messages(question, ignore, { betas: ['one', 'two'] });
          const [request] = server.requests;
          assert.equal(`${request?.method} ${request?.path}`, 'POST /v1/messages');
          assert.deepEqual(JSON.parse(request?.body ?? ''), question);
          assert.equal(request?.headers['vendor-version'], '2023-06-01');
          assert.equal(request?.headers['vendor-beta'], 'one,two');
          assert.deepEqual(findCredentialHeaders(request?.headers ?? {}), ['authorization']);
        },
        { transport },
      );
    });

    it('uses the path, the credential header and the header names that are set for the gateway', async () => {
      await withFaultServer(
        (connection) => connection.respond(200, {}, message),
        async ({ server, client }) => {
          await client.messages(question, ignore);
          const [request] = server.requests;
          assert.equal(request?.path, '/anthropic/v1/messages');
          assert.equal(request?.headers['anthropic-version'], '2023-06-01');
          assert.equal(request?.headers['anthropic-beta'], undefined);
          assert.equal(request?.headers['vendor-version'], undefined);
          assert.deepEqual(findCredentialHeaders(request?.headers ?? {}), ['x-api-key']);
        },
        {
          transport,
          headers: { preset: 'provider' },
          openRoutes: { messages: { path: '/anthropic/v1/messages', credential: 'api-key' } },
        },
      );
    });

    it('puts the model of a partner into the path, and sends the version in the body only', async () => {
      await withFaultServer(
        (connection) => connection.respond(200, {}, message),
        async ({ server, client }) => {
          const { messages, max_tokens } = question;
          const body = { vendor_version: 'tag-2023-10-16', messages, max_tokens };
          await client.messages({ ...body, model: 'model-a@20990101' }, ignore);
          const [request] = server.requests;
          assert.equal(request?.path, '/publishers/p/models/model-a%4020990101:rawPredict');
          assert.deepEqual(JSON.parse(request?.body ?? ''), body);
          assert.equal(request?.headers['vendor-version'], undefined);
        },
        { transport, openRoutes: { messages: { path: '/publishers/p/models/{model}:rawPredict' } } },
      );
    });

    it('F49 is complete at message_stop, whether or not the gateway closes the connection', async () => {
      for (const after of ['reset', 'stay'] as const) {
        await withFaultServer(
          async (connection) => {
            await connection.beginStream();
            await connection.write(writeEvents(messagesEvents));
            if (after === 'reset') connection.reset();
          },
          async ({ client }) => {
            const events: ChatEvent[] = [];
            const result = await client.messages({ ...question, stream: true }, (batch) =>
              events.push(...batch),
            );
            assert.deepEqual(result.outcome, { kind: 'complete' });
            assert.equal(result.id, 'msg_1');
            assert.equal(joinTexts(events), 'Hi');
          },
          { transport, timeouts: { total: 30_000 } },
        );
      }
    });

    it('F47 keeps the text and is interrupted without message_stop', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(writeEvents(messagesEvents.slice(0, -1)));
          connection.end();
        },
        async ({ client }) => {
          const events: ChatEvent[] = [];
          const { outcome } = await client.messages({ ...question, stream: true }, (batch) =>
            events.push(...batch),
          );
          assert.equal(outcome.kind, 'interrupted');
          assert.equal(joinTexts(events), 'Hi');
        },
        { transport },
      );
    });

    it('classifies the errors of its provider and of the cloud platform', async () => {
      const families: readonly (readonly [status: number, body: object, kind: string])[] = [
        [
          400,
          { type: 'error', error: { type: 'invalid_request_error', message: 'No' } },
          'invalid-parameters',
        ],
        [429, [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'No' } }], 'rate-limited'],
        [404, [{ error: { code: 404, status: 'NOT_FOUND', message: 'No' } }], 'model-unavailable'],
        [529, { type: 'error', error: { type: 'overloaded_error', message: 'No' } }, 'server'],
        [402, { type: 'error', error: { type: 'billing_error', message: 'No' } }, 'quota'],
      ];
      for (const [status, body, kind] of families) {
        await withFaultServer(
          (connection) => connection.respond(status, {}, JSON.stringify(body)),
          async ({ client }) => {
            const error = readError((await client.messages(question, ignore)).outcome);
            assert.deepEqual([error.kind, error.status, error.gatewayMessage], [kind, status, 'No']);
          },
          { transport },
        );
      }
    });
  });

  describe(`the responses format, ${transport} transport`, () => {
    it('creates, reads and cancels a response below one path', async () => {
      await withFaultServer(
        (connection, { method, path }) =>
          connection.respond(
            200,
            {},
            path.endsWith('/cancel')
              ? createResponse('cancelled', 'Ha')
              : method === 'GET'
                ? createResponse('in_progress', 'Ha')
                : createResponse('queued'),
          ),
        async ({ server, client }) => {
          const created = await client.responses({ model: 'model-a', input: 'Hi', background: true }, ignore);
          assert.deepEqual([created.outcome.kind, created.id], ['pending', 'resp_1']);
          const events: ChatEvent[] = [];
          const read = await client.readResponse('resp_1', (batch) => events.push(...batch));
          assert.deepEqual([read.outcome.kind, joinTexts(events)], ['pending', 'Ha']);
          const stopped = await client.cancelResponse('resp_1', ignore);
          assert.equal(stopped.outcome.kind, 'cancelled');
          assert.deepEqual(
            server.requests.map(({ method, path, body }) => `${method} ${path} ${body}`),
            [
              'POST /api/responses {"model":"model-a","input":"Hi","background":true}',
              'GET /api/responses/resp_1 ',
              'POST /api/responses/resp_1/cancel {}',
            ],
          );
          for (const { headers } of server.requests) {
            assert.deepEqual(findCredentialHeaders(headers), ['x-vendor-api-key']);
          }
        },
        { transport, openRoutes: { responses: { path: '/api/responses', credential: 'vendor-api-key' } } },
      );
    });

    it('is complete at response.completed, even if the gateway leaves the connection open', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(writeEvents(responsesEvents));
        },
        async ({ server, client }) => {
          const events: ChatEvent[] = [];
          const { outcome } = await client.responses(
            { model: 'model-a', input: 'Hi', stream: true },
            (batch) => events.push(...batch),
          );
          assert.equal(server.requests[0]?.path, '/v1/responses');
          assert.deepEqual([outcome.kind, joinTexts(events)], ['complete', 'Hi']);
        },
        { transport },
      );
    });

    it('reports invalid parameters, not a missing model, if a gateway does not store responses', async () => {
      await withFaultServer(
        (connection) => connection.respond(404, {}, '{"error":{"message":"Invalid URL"}}'),
        async ({ client }) => {
          const error = readError((await client.readResponse('resp_1', ignore)).outcome);
          assert.equal(error.kind, 'invalid-parameters');
        },
        { transport },
      );
    });

    it('T7 encodes or refuses ids, so that none leads to another path', async () => {
      await withFaultServer(
        (connection) => connection.respond(200, {}, createResponse('completed')),
        async ({ server, client }) => {
          const ids = ['../x', '//evil', 'http://evil', '%2e%2e/', 'a?b', 'a#b', 'a\u0000b', 'a/b', '=+ é'];
          for (const id of ids) {
            await client.readResponse(id, ignore);
            const { path } = server.requests.at(-1) ?? { path: '' };
            assert.match(path, /^\/v1\/responses\/[^/?#]+$/);
            assert.equal(decodeURIComponent(path.slice('/v1/responses/'.length)), id);
          }
          for (const id of ['..', '.', '']) {
            assert.equal(
              readError((await client.readResponse(id, ignore)).outcome).kind,
              'invalid-parameters',
            );
          }
          assert.equal(server.requests.length, ids.length);
        },
        { transport },
      );
    });

    it('P1 refuses a path that leads to another origin', async () => {
      for (const path of ['@127.0.0.1:1/x', '.evil.example/x', '/../x', '/x?y=1', 'x']) {
        await withFaultServer(
          ignore,
          async ({ server, client }) => {
            const { outcome } = await client.responses({ model: 'model-a' }, ignore);
            assert.equal(readError(outcome).kind, 'invalid-parameters', path);
            assert.equal(server.connections, 0);
          },
          { transport, openRoutes: { responses: { path } } },
        );
      }
    });
  });
}
