import assert from 'node:assert/strict';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import { catchFailure, joinTexts, withFaultServer } from '../support/faultServerCalls.ts';

const request = {
  model: 'model-a',
  input: 'A cat',
  response_format: { type: 'video', aspect_ratio: '16:9' },
  generation_config: { video_config: { task: 'text_to_video' } },
};
const createdInteraction = {
  id: 'v1_x',
  object: 'interaction',
  status: 'completed',
  steps: [
    { type: 'user_input', content: [{ type: 'video', uri: 'https://files.example/mine' }] },
    { type: 'model_output', content: [{ type: 'video', uri: 'https://files.example/made' }] },
  ],
};

for (const transport of ['direct', 'host'] as const) {
  describe(`interactions, ${transport} transport`, () => {
    it('wait for a result longer than the timeouts of a chat', async () => {
      await withFaultServer(
        async (connection) => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          await connection.respond(200, {}, JSON.stringify(createdInteraction));
        },
        async ({ server, client }) => {
          const events: ChatEvent[] = [];
          const { outcome, id } = await client.interactions(request, (batch) => events.push(...batch));
          assert.deepEqual([outcome, id], [{ kind: 'complete' }, 'v1_x']);
          assert.deepEqual(
            events.filter(({ type }) => type === 'mediaLink'),
            [{ type: 'mediaLink', choice: 0, mimeType: 'video/mp4', url: 'https://files.example/made' }],
          );
          assert.equal(
            `${server.requests[0]?.method} ${server.requests[0]?.path}`,
            'POST /v1beta/interactions',
          );
          assert.deepEqual(JSON.parse(server.requests[0]?.body ?? ''), request);
        },
        { transport, timeouts: { firstByte: 100, idle: 100, noData: 100 } },
      );
    });

    it('have the timeouts of a chat when they are streamed, or when the caller sets timeouts', async () => {
      for (const [stream, timeouts] of [
        [true, {}],
        [false, { firstByte: 100 }],
      ] as const) {
        await withFaultServer(
          () => {},
          async ({ client }) => {
            const { outcome } = await client.interactions({ ...request, stream }, () => {}, {
              timeouts,
            });
            assert.equal('error' in outcome && outcome.error.reason, 'first-byte-timeout');
          },
          { transport, timeouts: { firstByte: 100 } },
        );
      }
    });

    it('F62 close the socket and are cancelled when they are stopped while waiting', async () => {
      const closed = Promise.withResolvers<unknown>();
      const abort = new AbortController();
      await withFaultServer(
        async (connection) => {
          void connection.closed.then(closed.resolve);
          abort.abort();
        },
        async ({ client }) => {
          const { outcome } = await client.interactions(request, () => {}, { signal: abort.signal });
          assert.deepEqual(outcome, { kind: 'cancelled' });
          await closed.promise;
        },
        { transport },
      );
    });

    it('end as pending when the gateway puts them in the background', async () => {
      await withFaultServer(
        (connection) =>
          connection.respond(200, {}, '{"id":"v1_x","object":"interaction","status":"in_progress"}'),
        async ({ client }) => {
          const { outcome, id } = await client.interactions(request, () => {});
          assert.deepEqual([outcome, id], [{ kind: 'pending' }, 'v1_x']);
        },
        { transport },
      );
    });

    it('end at the completion event, even when the gateway never closes the connection', async () => {
      const lines = [
        { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'Hi' } },
        { event_type: 'interaction.completed', interaction: { status: 'completed' } },
      ].map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`);
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(lines.join(''));
        },
        async ({ client }) => {
          const events: ChatEvent[] = [];
          const { outcome } = await client.interactions({ ...request, stream: true }, (batch) =>
            events.push(...batch),
          );
          assert.deepEqual([outcome, joinTexts(events)], [{ kind: 'complete' }, 'Hi']);
        },
        { transport },
      );
    });

    it('are a task with an id when they are started in the background', async () => {
      await withFaultServer(
        (connection) =>
          connection.respond(200, {}, '{"id":"v1_x","object":"interaction","status":"in_progress"}'),
        async ({ server, client }) => {
          const { id, status, rawStatus } = await client.startInteraction(request);
          assert.deepEqual([id, status, rawStatus], ['v1_x', 'running', 'in_progress']);
          assert.deepEqual(JSON.parse(server.requests[0]?.body ?? ''), { ...request, background: true });
        },
        { transport },
      );
    });

    it('that are refused are classified by their error code', async () => {
      const codes: readonly (readonly [status: number, code: string, kind: string])[] = [
        [400, 'invalid_request', 'invalid-parameters'],
        [400, 'parameter_unknown', 'invalid-parameters'],
        [401, 'authentication', 'authentication'],
        [402, 'payment_required', 'quota'],
        [404, 'model_not_found', 'model-unavailable'],
        [429, 'rate_limit_exceeded', 'rate-limited'],
        [429, 'quota_exceeded', 'quota'],
      ];
      for (const [status, code, kind] of codes) {
        await withFaultServer(
          (connection) => connection.respond(status, {}, JSON.stringify({ error: { code, message: 'No' } })),
          async ({ client }) => {
            const failure = await catchFailure(client.startInteraction(request));
            assert.deepEqual([failure.kind, failure.status, failure.gatewayMessage], [kind, status, 'No']);
          },
          { transport },
        );
      }
    });
  });
}
