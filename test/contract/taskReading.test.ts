import assert from 'node:assert/strict';
import type { ConnectionScript } from '../support/faultServer.ts';
import { replyWith } from '../support/faultServer.ts';
import { catchFailure, testCredential, withFaultServer } from '../support/faultServerCalls.ts';

for (const transport of ['direct', 'host'] as const) {
  const options = { transport };

  describe(`reading a task, ${transport} transport`, () => {
    it('requests it by its encoded id', async () => {
      await withFaultServer(
        replyWith(200, '{"id":"models/m/operations/o","done":true}'),
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
      it(`F73 returns a running task for HTTP ${status} ${JSON.stringify(body)}`, async () => {
        await withFaultServer(
          replyWith(status, body),
          async ({ client }) => assert.equal((await client.readTask('t1')).status, 'running'),
          options,
        );
      });
    }

    it('returns a failed task without failing itself', async () => {
      await withFaultServer(
        replyWith(200, '{"id":"t1","status":"failed","error":{"code":"x","message":"It broke"}}'),
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
      it(`F75 reports HTTP ${status} ${body} as ${kind}`, async () => {
        await withFaultServer(
          replyWith(status, body),
          async ({ client }) => {
            const failure = await catchFailure(client.readTask('t1'));
            assert.deepEqual([failure.kind, failure.status], [kind, status]);
          },
          options,
        );
      });
    }

    it('F79 resolves a relative result address at the gateway', async () => {
      await withFaultServer(
        replyWith(200, '{"id":"t1","status":"completed","url":"/v1/videos/t1/content"}'),
        async ({ client, server }) => {
          const { results } = await client.readTask('t1');
          assert.deepEqual(results, [{ url: `${server.baseUrl}/v1/videos/t1/content` }]);
        },
        options,
      );
    });

    it('T22 redacts a repeated credential in the returned record', async () => {
      const encoded = Buffer.from(testCredential).toString('base64url');
      const message = `Key ${testCredential} (${encoded}) has no quota`;
      const record = { id: 't1', status: 'failed', error: { message }, echo: [{ message }] };
      await withFaultServer(
        replyWith(200, JSON.stringify(record)),
        async ({ client }) => {
          const snapshot = await client.readTask('t1');
          const stored = JSON.stringify(snapshot);
          assert.deepEqual([snapshot.status, /has no quota/.test(stored)], ['failed', true]);
          assert.doesNotMatch(stored, new RegExp(`${testCredential}|${encoded}`));
        },
        options,
      );
    });

    it('T7 rejects an id that changes the path or is too long, without sending a request', async () => {
      await withFaultServer(
        replyWith(200, '{}'),
        async ({ client, server }) => {
          for (const id of ['', '.', '..', 'x'.repeat(1025), 'x'.repeat(10_240), 'a\nb', 'a\0', '\u0085']) {
            for (const act of ['readTask', 'cancelTask', 'deleteTask'] as const) {
              const failure = await catchFailure(client[act](id));
              assert.deepEqual([failure.kind, failure.wasSent], ['invalid-parameters', false]);
            }
          }
          assert.equal(server.requests.length, 0);
          const long = await catchFailure(client.readTask('x'.repeat(1025)));
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

    it('sends the limit, and stops when there are enough tasks', async () => {
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

    it('follows every kind of paging to the end', async () => {
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
        'nested cursor': (query) => {
          const from = Number(query.get('cursor') ?? 0);
          return { data: ids(from, 2), meta: { next_cursor: from < 4 ? String(from + 2) : null } };
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

    it('ends for every sequence of pages', async () => {
      let count = 0;
      const endless: Readonly<
        Record<string, readonly [page: (query: URLSearchParams) => object, most: number]>
      > = {
        'the same cursor': [() => ({ data: ids(count++ * 2, 2), next_cursor: 'c' }), 2],
        'the same tasks': [() => ({ data: ids(0, 2), has_more: true, next_cursor: `c${count++}` }), 4],
        'no cursor': [() => ({ data: ids(0, 2), has_more: true }), 2],
        'empty pages': [() => ({ data: [], has_more: true, next_cursor: `c${count++}` }), 3],
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

    it('fails on a reply that is not a list, but accepts an empty list', async () => {
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
          replyWith(200, body),
          async ({ client }) => {
            if (kind === undefined) assert.deepEqual(await client.listTasks(5), []);
            else assert.equal((await catchFailure(client.listTasks(5))).kind, kind, body);
          },
          options,
        );
      }
    });
  });
}
