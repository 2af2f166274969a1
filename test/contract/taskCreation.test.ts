import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ConnectionScript } from '../support/faultServer.ts';
import { replyWith } from '../support/faultServer.ts';
import { catchFailure, withFaultServer } from '../support/faultServerCalls.ts';

const video = { model: 'model-a', input: { prompt: 'A cat' }, parameters: { size: '1280*720', x: 1 } };
const created = '{"output":{"task_status":"PENDING","task_id":"t1"},"request_id":"r"}';

for (const transport of ['direct', 'host'] as const) {
  const options = { transport };

  describe(`creating a task, ${transport} transport`, () => {
    const creations: Readonly<Record<string, (client: GatewayClient) => Promise<unknown>>> = {
      videoSynthesis: (client) => client.videoSynthesis(video),
      startInteraction: (client) => client.startInteraction({ model: 'model-a', input: 'A cat' }),
    };

    it('requests asynchronous video synthesis with the header name of the gateway', async () => {
      for (const [preset, header] of [
        ['interface', 'x-vendor-async'],
        ['provider', 'x-dashscope-async'],
      ] as const) {
        await withFaultServer(
          replyWith(200, created),
          async ({ server, client }) => {
            const { id, status } = await client.videoSynthesis(video);
            const [sent] = server.requests;
            assert.deepEqual([id, status], ['t1', 'running']);
            assert.equal(sent?.path, '/api/v1/services/aigc/video-generation/video-synthesis');
            assert.equal(sent?.headers[header], 'enable');
            assert.deepEqual(JSON.parse(sent?.body ?? ''), video);
          },
          { ...options, headers: { preset } },
        );
      }
    });

    it('reads the id from every known place', async () => {
      for (const body of [
        created,
        '{"id":"t1"}',
        '{"task_id":"t1","id":7}',
        '{"data":[{"task_id":"t1"}],"code":200}',
      ]) {
        await withFaultServer(
          replyWith(200, body),
          async ({ client }) => assert.equal((await client.videoSynthesis(video)).id, 't1', body),
          options,
        );
      }
    });

    it('F60 preserves all digits of an id that is a large number', async () => {
      await withFaultServer(
        replyWith(200, '{"data":{"task_id":1935639178641408000}}'),
        async ({ client }) => assert.equal((await client.videoSynthesis(video)).id, '1935639178641408000'),
        options,
      );
    });

    it('accepts a reply that is only an id, since the task may be billed', async () => {
      for (const body of [
        '{"code":"success","message":"","data":"task-17"}',
        '{"code":1,"description":"Submit success","result":"task-17"}',
        '{"result":"task-17"}',
        '"task-17"',
      ]) {
        await withFaultServer(
          replyWith(200, body),
          async ({ client }) => assert.equal((await client.videoSynthesis(video)).id, 'task-17', body),
          options,
        );
      }
    });

    for (const body of [
      '',
      '{}',
      '{"request_id":"r","output":{}}',
      '[]',
      '"ok"',
      '"not 1 task"',
      '{"data":"accepted"}',
      '{"code":401,"message":"bad token","data":"task-17"}',
    ]) {
      it(`F68 fails on ${JSON.stringify(body)}, which names no task, with the reply in the error`, async () => {
        await withFaultServer(
          replyWith(200, body),
          async ({ client }) => {
            const failure = await catchFailure(client.videoSynthesis(video));
            assert.deepEqual(
              [failure.kind, failure.body],
              [body.includes('401') ? 'authentication' : 'malformed-reply', body],
            );
          },
          options,
        );
      });
    }

    it('T7 fails on an id that cannot be sent, with the reason', async () => {
      for (const [id, words] of [
        ['x'.repeat(10_240), /the ID of its task is longer than 1024 characters/],
        ['a\nb', /the ID of its task has control characters/],
      ] as const) {
        await withFaultServer(
          replyWith(200, JSON.stringify({ id, status: 'queued' })),
          async ({ client }) => {
            const failure = await catchFailure(client.videoSynthesis(video));
            assert.equal(failure.kind, 'malformed-reply');
            assert.match(failure.message, words);
          },
          options,
        );
      }
    });

    it('fails with the gateway’s error under status 200', async () => {
      await withFaultServer(
        replyWith(200, '{"code":"InvalidApiKey","message":"No such key","request_id":"r"}'),
        async ({ client }) => {
          const failure = await catchFailure(client.videoSynthesis(video));
          assert.deepEqual([failure.kind, failure.gatewayMessage], ['authentication', 'No such key']);
        },
        options,
      );
    });

    for (const [name, create] of Object.entries(creations)) {
      it(`F33 F69 sends ${name} only once for every kind of failure`, async () => {
        const plays: Readonly<Record<string, ConnectionScript>> = {
          'reset after the request': (connection) => connection.reset(),
          'closed after the request': (connection) => connection.end(),
          silence: () => {},
          'cut in the middle': async (connection) => {
            await connection.writeHead(200, { 'content-length': '100' });
            await connection.write('{"id":"t');
            connection.end();
          },
          'server error': replyWith(500, '{"error":{"message":"No"}}'),
          'asked to retry': (connection) =>
            connection.respond(429, { 'retry-after': '0', 'x-should-retry': 'true' }, '{}'),
        };
        for (const [fault, play] of Object.entries(plays)) {
          await withFaultServer(
            play,
            async ({ server, client }) => {
              await catchFailure(create(client));
              assert.equal(server.requests.length, 1, fault);
            },
            { ...options, timeouts: { firstByte: 100 } },
          );
        }
      });
    }
  });

  describe(`a request that creates a task, ${transport} transport`, () => {
    const request = { model: 'model-a', input: 'A cat' };

    it('F69 sends its Idempotency-Key, and reports the id before the call ends', async () => {
      await withFaultServer(
        replyWith(200, '{"id":"t1","status":"queued"}'),
        async ({ server, client }) => {
          const received: string[] = [];
          const options = { idempotencyKey: 'key-1', onCreated: (id: string) => received.push(id) };
          await client.startInteraction(request, options).then(() => received.push('over'));
          assert.deepEqual(received, ['t1', 'over']);
          assert.equal(server.requests[0]?.headers['idempotency-key'], 'key-1');
        },
        options,
      );
    });

    it('F68 fails with the received part of a reply that is cut', async () => {
      const play: ConnectionScript = async (connection) => {
        await connection.writeHead(200, { 'content-length': '100' });
        await connection.write('{"id":"t1","sta');
        connection.end();
      };
      await withFaultServer(
        play,
        async ({ client }) => {
          const failure = await catchFailure(client.startInteraction(request));
          assert.deepEqual(
            [failure.kind, failure.body, failure.wasSent],
            ['unreachable', '{"id":"t1","sta', true],
          );
        },
        options,
      );
    });

    it('F3 reports after a refused connection that nothing was sent', async () => {
      await withFaultServer(
        replyWith(200),
        async ({ server, client }) => {
          await server.close();
          assert.equal((await catchFailure(client.startInteraction(request))).wasSent, false);
        },
        options,
      );
    });

    it('returns an ended task for an interaction that waits for its result', async () => {
      const steps =
        '[{"type":"model_output","content":[{"type":"video","mime_type":"video/mp4","data":"AAAA"}]}]';
      await withFaultServer(
        replyWith(200, `{"object":"interaction","status":"completed","steps":${steps}}`),
        async ({ server, client }) => {
          const { id, status, results } = await client.runInteraction(request);
          assert.deepEqual([id, status], [undefined, 'completed']);
          assert.equal(results[0]?.url, 'data:video/mp4;base64,AAAA');
          assert.equal(JSON.parse(server.requests[0]?.body ?? '').background, false);
        },
        options,
      );
    });

    it('F68 fails if an interaction has neither ended nor has an id', async () => {
      await withFaultServer(
        replyWith(200, '{"object":"interaction","status":"in_progress"}'),
        async ({ client }) =>
          assert.equal((await catchFailure(client.runInteraction(request))).kind, 'malformed-reply'),
        options,
      );
    });
  });
}
