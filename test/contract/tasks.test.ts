import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ConnectionScript } from '../support/faultServer.ts';
import { failureOf, testCredential, withFaultServer } from '../support/faultServerCalls.ts';

const video = { model: 'model-a', input: { prompt: 'A cat' }, parameters: { size: '1280*720', x: 1 } };
const created = '{"output":{"task_status":"PENDING","task_id":"t1"},"request_id":"r"}';

const answering =
  (status: number, body = ''): ConnectionScript =>
  (connection) =>
    connection.respond(status, {}, body);

for (const transport of ['direct', 'host'] as const) {
  const options = { transport };

  describe(`creating a task, ${transport} transport`, () => {
    const creations: Readonly<Record<string, (client: GatewayClient) => Promise<unknown>>> = {
      videoSynthesis: (client) => client.videoSynthesis(video),
      startInteraction: (client) => client.startInteraction({ model: 'model-a', input: 'A cat' }),
    };

    it('native video synthesis asks for asynchronous work, by the gateway’s name for it', async () => {
      for (const [preset, header] of [
        ['interface', 'x-vendor-async'],
        ['provider', 'x-dashscope-async'],
      ] as const) {
        await withFaultServer(
          answering(200, created),
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

    it('takes the id from wherever it is', async () => {
      for (const body of [
        created,
        '{"id":"t1"}',
        '{"task_id":"t1","id":7}',
        '{"data":[{"task_id":"t1"}],"code":200}',
      ]) {
        await withFaultServer(
          answering(200, body),
          async ({ client }) => assert.equal((await client.videoSynthesis(video)).id, 't1', body),
          options,
        );
      }
    });

    it('F60 keeps the digits of an id that is a large number', async () => {
      await withFaultServer(
        answering(200, '{"data":{"task_id":1935639178641408000}}'),
        async ({ client }) => assert.equal((await client.videoSynthesis(video)).id, '1935639178641408000'),
        options,
      );
    });

    it('takes an answer that is nothing but the id for it, since the task may be paid for', async () => {
      for (const body of [
        '{"code":"success","message":"","data":"task-17"}',
        '{"code":1,"description":"Submit success","result":"task-17"}',
        '{"result":"task-17"}',
        '"task-17"',
      ]) {
        await withFaultServer(
          answering(200, body),
          async ({ client }) => assert.equal((await client.videoSynthesis(video)).id, 'task-17', body),
          options,
        );
      }
    });

    for (const body of [
      ...['', '{}', '{"request_id":"r","output":{}}', '[]', '"ok"', '"not 1 task"', '{"data":"accepted"}'],
      '{"code":401,"message":"bad token","data":"task-17"}',
    ]) {
      it(`F68 fails on ${JSON.stringify(body)}, which names no task, and keeps it`, async () => {
        await withFaultServer(
          answering(200, body),
          async ({ client }) => {
            const failure = await failureOf(client.videoSynthesis(video));
            assert.deepEqual(
              [failure.kind, failure.body],
              [body.includes('401') ? 'authentication' : 'malformed-reply', body],
            );
          },
          options,
        );
      });
    }

    it('T7 says so where the id of the task is none that could be sent', async () => {
      for (const [id, words] of [
        ['x'.repeat(10_240), /the id of its task is longer than 1024 characters/],
        ['a\nb', /the id of its task holds control characters/],
      ] as const) {
        await withFaultServer(
          answering(200, JSON.stringify({ id, status: 'queued' })),
          async ({ client }) => {
            const failure = await failureOf(client.videoSynthesis(video));
            assert.equal(failure.kind, 'malformed-reply');
            assert.match(failure.message, words);
          },
          options,
        );
      }
    });

    it('fails with what the gateway says under a good status', async () => {
      await withFaultServer(
        answering(200, '{"code":"InvalidApiKey","message":"No such key","request_id":"r"}'),
        async ({ client }) => {
          const failure = await failureOf(client.videoSynthesis(video));
          assert.deepEqual([failure.kind, failure.gatewayMessage], ['authentication', 'No such key']);
        },
        options,
      );
    });

    for (const [name, create] of Object.entries(creations)) {
      it(`F33 F69 ${name} is never sent twice, whatever becomes of it`, async () => {
        const plays: Readonly<Record<string, ConnectionScript>> = {
          'reset after the request': (connection) => connection.reset(),
          'closed after the request': (connection) => connection.end(),
          silence: () => {},
          'cut in the middle': async (connection) => {
            await connection.head(200, { 'content-length': '100' });
            await connection.write('{"id":"t');
            connection.end();
          },
          'server error': answering(500, '{"error":{"message":"No"}}'),
          'asked to retry': (connection) =>
            connection.respond(429, { 'retry-after': '0', 'x-should-retry': 'true' }, '{}'),
        };
        for (const [fault, play] of Object.entries(plays)) {
          await withFaultServer(
            play,
            async ({ server, client }) => {
              await failureOf(create(client));
              assert.equal(server.requests.length, 1, fault);
            },
            { ...options, timeouts: { firstByte: 100 } },
          );
        }
      });
    }
  });

  describe(`what a request that creates a task reports, ${transport} transport`, () => {
    const request = { model: 'model-a', input: 'A cat' };

    it('F69 the same Idempotency-Key goes along, and the id is told before the call is over', async () => {
      await withFaultServer(
        answering(200, '{"id":"t1","status":"queued"}'),
        async ({ server, client }) => {
          const told: string[] = [];
          const options = { idempotencyKey: 'key-1', onCreated: (id: string) => told.push(id) };
          await client.startInteraction(request, options).then(() => told.push('over'));
          assert.deepEqual(told, ['t1', 'over']);
          assert.equal(server.requests[0]?.headers['idempotency-key'], 'key-1');
        },
        options,
      );
    });

    it('F68 a reply that is cut keeps what came of it', async () => {
      const play: ConnectionScript = async (connection) => {
        await connection.head(200, { 'content-length': '100' });
        await connection.write('{"id":"t1","sta');
        connection.end();
      };
      await withFaultServer(
        play,
        async ({ client }) => {
          const failure = await failureOf(client.startInteraction(request));
          assert.deepEqual(
            [failure.kind, failure.body, failure.sent],
            ['unreachable', '{"id":"t1","sta', true],
          );
        },
        options,
      );
    });

    it('F3 a refused connection is known to have sent nothing', async () => {
      await withFaultServer(
        answering(200),
        async ({ server, client }) => {
          await server.close();
          assert.equal((await failureOf(client.startInteraction(request))).sent, false);
        },
        options,
      );
    });

    it('an interaction that is waited for is read as a task that ended', async () => {
      const steps =
        '[{"type":"model_output","content":[{"type":"video","mime_type":"video/mp4","data":"AAAA"}]}]';
      await withFaultServer(
        answering(200, `{"object":"interaction","status":"completed","steps":${steps}}`),
        async ({ server, client }) => {
          const { id, status, results } = await client.runInteraction(request);
          assert.deepEqual([id, status], [undefined, 'completed']);
          assert.equal(results[0]?.url, 'data:video/mp4;base64,AAAA');
          assert.equal(JSON.parse(server.requests[0]?.body ?? '').background, false);
        },
        options,
      );
    });

    it('F68 an interaction that neither ended nor has an id is a failure', async () => {
      await withFaultServer(
        answering(200, '{"object":"interaction","status":"in_progress"}'),
        async ({ client }) =>
          assert.equal((await failureOf(client.runInteraction(request))).kind, 'malformed-reply'),
        options,
      );
    });
  });

  describe(`reading a task, ${transport} transport`, () => {
    it('asks by its id, however that is spelled', async () => {
      await withFaultServer(
        answering(200, '{"id":"models/m/operations/o","done":true}'),
        async ({ server, client }) => {
          const { status } = await client.readTask('models/m/operations/o');
          assert.equal(status, 'completed');
          assert.equal(
            `${server.requests[0]?.method} ${server.requests[0]?.path}`,
            'GET /v1/tasks/models%2Fm%2Foperations%2Fo',
          );
        },
        options,
      );
    });

    const running: readonly (readonly [status: number, body: string])[] = [
      [202, ''],
      [204, ''],
      [200, ''],
      [202, '{"video":{"url":"https://files.example/v"}}'],
      [200, '{}'],
      [200, 'null'],
      [200, '{"status":"moderating"}'],
      [200, '{"id":"t1","error":null}'],
    ];
    for (const [status, body] of running) {
      it(`F73 a task is running by HTTP ${status} ${JSON.stringify(body)}`, async () => {
        await withFaultServer(
          answering(status, body),
          async ({ client }) => assert.equal((await client.readTask('t1')).status, 'running'),
          options,
        );
      });
    }

    it('a failed task is no failed call', async () => {
      await withFaultServer(
        answering(200, '{"id":"t1","status":"failed","error":{"code":"x","message":"It broke"}}'),
        async ({ client }) => {
          const { status, error } = await client.readTask('t1');
          assert.deepEqual([status, error], ['failed', { code: 'x', message: 'It broke' }]);
        },
        options,
      );
    });

    const faults: readonly (readonly [status: number, body: string, kind: string])[] = [
      [404, '{"error":{"message":"task not found"}}', 'invalid-parameters'],
      [400, '{"code":"task_not_exist","message":"No","data":null}', 'invalid-parameters'],
      [200, '{"code":"task_not_exist","message":"No","data":null}', 'server'],
      [200, '{"error":{"message":"No","type":"server_error"}}', 'server'],
      [200, '<html><title>Sign in</title></html>', 'unreachable'],
      [200, '{"id":"t1","sta', 'malformed-reply'],
      [200, 'not json', 'malformed-reply'],
    ];
    for (const [status, body, kind] of faults) {
      it(`F75 HTTP ${status} ${body} is ${kind}`, async () => {
        await withFaultServer(
          answering(status, body),
          async ({ client }) => {
            const failure = await failureOf(client.readTask('t1'));
            assert.deepEqual([failure.kind, failure.status], [kind, status]);
          },
          options,
        );
      });
    }

    it('F79 a relative result lies at the gateway', async () => {
      await withFaultServer(
        answering(200, '{"id":"t1","status":"completed","url":"/v1/videos/t1/content"}'),
        async ({ client, server }) => {
          const { results } = await client.readTask('t1');
          assert.deepEqual(results, [{ url: `${server.baseUrl}/v1/videos/t1/content` }]);
        },
        options,
      );
    });

    it('T22 a credential that the gateway repeats is not in the record that is kept', async () => {
      const encoded = Buffer.from(testCredential).toString('base64url');
      const message = `Key ${testCredential} (${encoded}) has no quota`;
      const record = { id: 't1', status: 'failed', error: { message }, echo: [{ message }] };
      await withFaultServer(
        answering(200, JSON.stringify(record)),
        async ({ client }) => {
          const snapshot = await client.readTask('t1');
          const kept = JSON.stringify(snapshot);
          assert.deepEqual([snapshot.status, /has no quota/.test(kept)], ['failed', true]);
          assert.doesNotMatch(kept, new RegExp(`${testCredential}|${encoded}`));
        },
        options,
      );
    });

    it('T7 an id that leads elsewhere is not asked for', async () => {
      await withFaultServer(
        answering(200, '{}'),
        async ({ client, server }) => {
          for (const id of ['', '.', '..', 'x'.repeat(1025), 'x'.repeat(10_240), 'a\nb', 'a\0', '\u0085']) {
            for (const act of ['readTask', 'cancelTask', 'deleteTask'] as const) {
              const failure = await failureOf(client[act](id));
              assert.deepEqual([failure.kind, failure.sent], ['invalid-parameters', false]);
            }
          }
          assert.equal(server.requests.length, 0);
          const long = await failureOf(client.readTask('x'.repeat(1025)));
          assert.match(long.message, /longer than 1024 characters/);
          await client.readTask(`video_${'YWJj'.repeat(250)}==`);
          assert.equal(server.requests.length, 1);
        },
        options,
      );
    });
  });

  describe(`listing tasks, ${transport} transport`, () => {
    const ids = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ id: `t${from + at}` }));
    const paged =
      (page: (query: URLSearchParams) => unknown): ConnectionScript =>
      (connection, { path }) =>
        connection.respond(200, {}, JSON.stringify(page(new URL(path, 'http://gateway').searchParams)));

    it('asks with the limit and stops when there are enough', async () => {
      await withFaultServer(
        paged(() => ({ data: ids(0, 5), has_more: true, last_id: 't4' })),
        async ({ client, server }) => {
          assert.equal((await client.listTasks(3)).length, 3);
          assert.deepEqual(
            server.requests.map(({ path }) => path),
            ['/v1/tasks?limit=3'],
          );
        },
        options,
      );
    });

    it('follows pages of every kind to the end', async () => {
      const kinds: Readonly<Record<string, (query: URLSearchParams) => object>> = {
        after: (query) => {
          const from = Number(query.get('after')?.slice(1) ?? -1) + 1;
          return { data: ids(from, 2), has_more: from < 4, last_id: `t${from + 1}` };
        },
        token: (query) => {
          const from = Number(query.get('pageToken') ?? 0);
          return { tasks: ids(from, 2), ...(from < 4 && { nextPageToken: String(from + 2) }) };
        },
        number: (query) => {
          const page = Number(query.get('page') ?? 1);
          return { data: { page, size: 2, total: 6, tasks: ids(page * 2 - 2, 2) } };
        },
        address: (query) => {
          const from = Number(query.get('cursor') ?? 0);
          return {
            results: ids(from, 2),
            next: from < 4 ? `https://elsewhere.example/x?cursor=${from + 2}` : null,
          };
        },
      };
      for (const [kind, page] of Object.entries(kinds)) {
        await withFaultServer(
          paged(page),
          async ({ client, server }) => {
            const tasks = await client.listTasks(100);
            assert.deepEqual(
              tasks.map(({ id }) => id),
              ['t0', 't1', 't2', 't3', 't4', 't5'],
              kind,
            );
            assert.equal(server.requests.length, 3, kind);
          },
          options,
        );
      }
    });

    it('never loops, whatever the pages promise', async () => {
      let count = 0;
      const endless: Readonly<
        Record<string, readonly [page: (query: URLSearchParams) => object, most: number]>
      > = {
        'the same cursor': [() => ({ data: ids(count++ * 2, 2), next_cursor: 'c' }), 2],
        'the same tasks': [() => ({ data: ids(0, 2), has_more: true, next_cursor: String(count++) }), 2],
        'no cursor': [() => ({ data: ids(0, 2), has_more: true }), 2],
        'empty pages': [() => ({ data: [], has_more: true, next_cursor: String(count++) }), 1],
        'two cursors in turn': [
          (query) => ({ data: ids(count++ * 2, 2), next_cursor: query.get('cursor') === 'a' ? 'b' : 'a' }),
          3,
        ],
        'no end': [() => ({ data: ids(count++ * 2, 2), next_cursor: String(count) }), 100],
      };
      for (const [name, [page, most]] of Object.entries(endless)) {
        await withFaultServer(
          paged(page),
          async ({ client, server }) => {
            await client.listTasks(1_000_000);
            assert.ok(server.requests.length <= most, `${name}: ${server.requests.length} requests`);
          },
          options,
        );
      }
    });

    it('a list that is none is an error, and an empty one is not', async () => {
      for (const [body, kind] of [
        ['{"object":"list","data":null}', undefined],
        ['[]', undefined],
        ['{"items":[]}', undefined],
        ['{"ok":true}', 'malformed-reply'],
        ['', 'malformed-reply'],
        ['{"error":{"message":"No","code":"invalid_api_key"}}', 'authentication'],
        ['{"code":401,"message":"bad token","data":null}', 'authentication'],
        ['{"success":false,"message":"No","tasks":[]}', 'server'],
      ] as const) {
        await withFaultServer(
          answering(200, body),
          async ({ client }) => {
            if (kind === undefined) assert.deepEqual(await client.listTasks(5), []);
            else assert.equal((await failureOf(client.listTasks(5))).kind, kind, body);
          },
          options,
        );
      }
    });
  });

  describe(`cancelling and deleting a task, ${transport} transport`, () => {
    const acts = { cancelTask: 'POST /v1/tasks/t1/cancel', deleteTask: 'DELETE /v1/tasks/t1' } as const;

    for (const act of ['cancelTask', 'deleteTask'] as const) {
      it(`${act} returns the record where the answer holds it, and nothing where it does not`, async () => {
        for (const [status, body, state] of [
          [200, '{"id":"t1","status":"cancelled"}', 'failed'],
          [200, '{"id":"t1","status":"completed"}', 'completed'],
          [200, '{}', undefined],
          [200, '{"id":"t1","deleted":true}', undefined],
          [200, '{"success":true}', undefined],
          [202, '', undefined],
          [204, '', undefined],
        ] as const) {
          await withFaultServer(
            answering(status, body),
            async ({ client, server }) => {
              assert.equal((await client[act]('t1'))?.status, state, body);
              assert.equal(`${server.requests[0]?.method} ${server.requests[0]?.path}`, acts[act]);
            },
            options,
          );
        }
      });

      it(`${act} that is refused fails with the gateway's words`, async () => {
        for (const [status, body] of [
          [400, '{"code":"UnsupportedOperation","message":"No"}'],
          [405, '{"message":"No"}'],
          [409, '{"error":{"code":"task_not_cancellable","message":"No"}}'],
          [422, '{"detail":"No"}'],
          [501, '{"error":{"message":"No"}}'],
          [200, '{"success":false,"message":"No"}'],
          [200, '{"success":0,"message":"No"}'],
          [200, '{"header":{"code":10005,"message":"No"}}'],
          [200, '[{"error":{"code":403,"message":"No"}}]'],
        ] as const) {
          await withFaultServer(
            answering(status, body),
            async ({ client }) => {
              const failure = await failureOf(client[act]('t1'));
              assert.deepEqual([failure.status, failure.gatewayMessage], [status, 'No']);
            },
            options,
          );
        }
      });

      it(`${act} is sent once, even when the connection dies`, async () => {
        await withFaultServer(
          (connection) => connection.reset(),
          async ({ client, server }) => {
            await failureOf(client[act]('t1'));
            assert.equal(server.requests.length, 1);
          },
          options,
        );
      });
    }

    it('a deletion that did nothing is told as that, however a good status says so', async () => {
      for (const body of [
        ...['{"deleted_count":0}', '{"code":0,"data":{"affected":0}}', '{"deleted":[]}', '{"deleted":null}'],
        ...['{"result":"failed"}', '{"status":"not_deleted"}', '{"Deleted":false}', '[{"deleted":false}]'],
        ...['{"message":"cannot delete a running task"}', '{"message":"删除失败"}', '"Method Not Allowed"'],
        'false',
      ]) {
        await withFaultServer(
          answering(200, body),
          async ({ client }) => {
            const failure = await failureOf(client.deleteTask('t1'));
            assert.equal(failure.status, 200, body);
          },
          options,
        );
      }
    });

    it('a deletion that was done is told as that, whatever else is said of it', async () => {
      for (const body of [
        ...['{"deleted":["t1"]}', '{"deleted_count":1}', '{"message":"Task deleted"}', '{"msg":"删除成功"}'],
        ...['"ok"', '{"status":"deleted"}', '{"code":0,"msg":"","data":null}', '{"result":"ok"}', 'true'],
      ]) {
        await withFaultServer(
          answering(200, body),
          async ({ client }) => assert.equal(await client.deleteTask('t1'), undefined, body),
          options,
        );
      }
    });

    const missing = '{"error":{"message":"No such task"}}';
    const answersTo =
      (removed: readonly [number, string], read: readonly [number, string]): ConnectionScript =>
      (connection, request) =>
        answering(...(request.method === 'GET' ? read : removed))(connection, request);

    it('a task that is not there counts as deleted, but cannot be cancelled', async () => {
      for (const status of [404, 410]) {
        await withFaultServer(
          answering(status, missing),
          async ({ client, server }) => {
            assert.equal(await client.deleteTask('t1'), undefined);
            assert.deepEqual(
              server.requests.map(({ method }) => method),
              ['DELETE', 'GET'],
            );
            assert.equal((await failureOf(client.cancelTask('t1'))).status, status);
          },
          options,
        );
      }
    });

    it('whether a deleted task can still be read is waited for no longer than the caller allows', async () => {
      const silent: ConnectionScript = () => {};
      await withFaultServer(
        (connection, request) =>
          (request.method === 'GET' ? silent : answering(404, missing))(connection, request),
        async ({ client, server }) => {
          const failure = await failureOf(client.deleteTask('t1', { timeouts: { firstByte: 100 } }));
          assert.equal(failure.status, 404);
          assert.deepEqual(
            server.requests.map(({ method }) => method),
            ['DELETE', 'GET'],
          );
        },
        options,
      );
    });

    const notDeleted: readonly (readonly [what: string, status: number, body: string, read?: number])[] = [
      ['the page of another server', 404, '<html><title>404 Not Found</title></html>'],
      ['a wrong address', 404, '{"error":{"message":"Invalid URL (DELETE /v1/tasks/t1)"}}'],
      ['nothing', 404, ''],
      ['that something was not found', 404, '{"detail":"Not Found"}'],
      ['that there is no such task, which can be read', 404, missing, 200],
      ['that there is no such task, which cannot be told', 404, missing, 500],
      ['that it may not', 405, '{"message":"No"}'],
      ['that it cannot', 501, '{"message":"No"}'],
      ['that it did not', 200, '{"deleted":false}'],
      ['an error', 200, '{"error":{"message":"It runs"}}'],
      ['that it failed', 200, '{"success":false}'],
      ['a code', 200, '{"code":1001,"message":"It runs","data":null}'],
      ['a web page', 200, '<html><title>Sign in</title></html>'],
    ];
    for (const [what, status, body, read = 404] of notDeleted) {
      it(`a task is not deleted where the gateway answers with ${what}: ${status} ${body}`, async () => {
        await withFaultServer(
          answersTo([status, body], [read, read === 200 ? '{"id":"t1","status":"running"}' : missing]),
          async ({ client }) => {
            const failure = await failureOf(client.deleteTask('t1'));
            assert.deepEqual([failure.status, failure.body], [status, body]);
          },
          options,
        );
      });
    }

    it("the gateway's own request id is kept beside ours, of what was read and of what was refused", async () => {
      const named =
        (status: number, body: string): ConnectionScript =>
        (connection) =>
          connection.respond(status, { 'x-request-id': 'theirs-1' }, body);
      await withFaultServer(
        named(200, '{"id":"t1","status":"running"}'),
        async ({ client }) => {
          for (const call of [
            client.videoSynthesis(video),
            client.readTask('t1'),
            client.cancelTask('t1'),
            client.deleteTask('t1'),
          ]) {
            assert.equal((await call)?.gatewayRequestId, 'theirs-1');
          }
        },
        options,
      );
      await withFaultServer(
        named(409, '{"error":{"message":"No"}}'),
        async ({ client }) => {
          for (const call of [client.readTask('t1'), client.cancelTask('t1'), client.deleteTask('t1')]) {
            const { requestId, gatewayRequestId } = await failureOf(call);
            assert.equal(gatewayRequestId, 'theirs-1');
            assert.notEqual(requestId, gatewayRequestId);
          }
        },
        options,
      );
    });

    it('a cancel has a body, which some servers want', async () => {
      await withFaultServer(
        answering(200, '{}'),
        async ({ client, server }) => {
          await client.cancelTask('t1');
          assert.equal(server.requests[0]?.body, '{}');
        },
        options,
      );
    });
  });
}
