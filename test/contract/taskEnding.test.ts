import assert from 'node:assert/strict';
import type { ConnectionScript } from '../support/faultServer.ts';
import { replyWith } from '../support/faultServer.ts';
import { catchFailure, withFaultServer } from '../support/faultServerCalls.ts';

for (const transport of ['direct', 'host'] as const) {
  const options = { transport };

  describe(`ending a task, ${transport} transport,`, () => {
    const acts = { cancelTask: 'POST /v1/tasks/t1/cancel', deleteTask: 'DELETE /v1/tasks/t1' } as const;

    for (const act of ['cancelTask', 'deleteTask'] as const) {
      it(`by ${act} returns the record if the reply contains one, and otherwise undefined`, async () => {
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
            replyWith(status, body),
            async ({ client, server }) => {
              assert.equal((await client[act]('t1'))?.status, state, body);
              assert.equal(`${server.requests[0]?.method} ${server.requests[0]?.path}`, acts[act]);
            },
            options,
          );
        }
      });

      it(`by ${act} fails with the gateway's message when it is refused`, async () => {
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
            replyWith(status, body),
            async ({ client }) => {
              const failure = await catchFailure(client[act]('t1'));
              assert.deepEqual([failure.status, failure.gatewayMessage], [status, 'No']);
            },
            options,
          );
        }
      });

      it(`by ${act} sends one request, even when the connection breaks`, async () => {
        await withFaultServer(
          (connection) => connection.reset(),
          async ({ client, server }) => {
            await catchFailure(client[act]('t1'));
            assert.equal(server.requests.length, 1);
          },
          options,
        );
      });
    }

    it('by deleteTask fails if a reply with status 200 reports in any form that nothing was deleted', async () => {
      for (const body of [
        '{"deleted_count":0}',
        '{"code":0,"data":{"affected":0}}',
        '{"deleted":[]}',
        '{"deleted":null}',
        '{"result":"failed"}',
        '{"status":"not_deleted"}',
        '{"Deleted":false}',
        '[{"deleted":false}]',
        '{"message":"cannot delete a running task"}',
        '{"message":"删除失败"}',
        '"Method Not Allowed"',
        'false',
      ]) {
        await withFaultServer(
          replyWith(200, body),
          async ({ client }) => {
            const failure = await catchFailure(client.deleteTask('t1'));
            assert.equal(failure.status, 200, body);
          },
          options,
        );
      }
    });

    it('by deleteTask succeeds if a reply reports in any form that the task was deleted', async () => {
      for (const body of [
        '{"deleted":["t1"]}',
        '{"deleted_count":1}',
        '{"message":"Task deleted"}',
        '{"msg":"删除成功"}',
        '"ok"',
        '{"status":"deleted"}',
        '{"code":0,"msg":"","data":null}',
        '{"result":"ok"}',
        'true',
      ]) {
        await withFaultServer(
          replyWith(200, body),
          async ({ client }) => assert.equal(await client.deleteTask('t1'), undefined, body),
          options,
        );
      }
    });

    const missing = '{"error":{"message":"No such task"}}';
    const createReplies =
      (removed: readonly [number, string], read: readonly [number, string]): ConnectionScript =>
      (connection, request) =>
        replyWith(...(request.method === 'GET' ? read : removed))(connection, request);

    it('that is missing succeeds by deleteTask and fails by cancelTask', async () => {
      for (const status of [404, 410]) {
        await withFaultServer(
          replyWith(status, missing),
          async ({ client, server, exchanges }) => {
            assert.equal(await client.deleteTask('t1'), undefined);
            assert.deepEqual(
              server.requests.map(({ method }) => method),
              ['DELETE', 'GET'],
            );
            assert.equal(exchanges.at(-1)?.isExpected, true, 'the check does not count as failed');
            assert.equal((await catchFailure(client.cancelTask('t1'))).status, status);
          },
          options,
        );
      }
    });

    it('by deleteTask checks whether a missing task can be read for no longer than the caller’s timeout', async () => {
      const silent: ConnectionScript = () => {};
      await withFaultServer(
        (connection, request) =>
          (request.method === 'GET' ? silent : replyWith(404, missing))(connection, request),
        async ({ client, server }) => {
          const failure = await catchFailure(client.deleteTask('t1', { timeouts: { firstByte: 100 } }));
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
      ['an error about the address', 404, '{"error":{"message":"Invalid URL (DELETE /v1/tasks/t1)"}}'],
      ['an empty body', 404, ''],
      ['an unspecific not-found error', 404, '{"detail":"Not Found"}'],
      ['a missing task that can still be read', 404, missing, 200],
      ['a missing task that cannot be checked', 404, missing, 500],
      ['a refused method', 405, '{"message":"No"}'],
      ['an unsupported operation', 501, '{"message":"No"}'],
      ['a deletion that is false', 200, '{"deleted":false}'],
      ['an error', 200, '{"error":{"message":"It runs"}}'],
      ['a success that is false', 200, '{"success":false}'],
      ['an error code', 200, '{"code":1001,"message":"It runs","data":null}'],
      ['a web page', 200, '<html><title>Sign in</title></html>'],
    ];
    for (const [what, status, body, read = 404] of notDeleted) {
      it(`by deleteTask fails if the gateway replies with ${what}: ${status} ${body}`, async () => {
        await withFaultServer(
          createReplies([status, body], [read, read === 200 ? '{"id":"t1","status":"running"}' : missing]),
          async ({ client }) => {
            const failure = await catchFailure(client.deleteTask('t1'));
            assert.deepEqual([failure.status, failure.body], [status, body]);
          },
          options,
        );
      });
    }

    it("returns the gateway's request id after success and after a refusal, as creating and reading it do", async () => {
      const replyWithRequestId =
        (status: number, body: string): ConnectionScript =>
        (connection) =>
          connection.respond(status, { 'x-request-id': 'theirs-1' }, body);
      await withFaultServer(
        replyWithRequestId(200, '{"id":"t1","status":"running"}'),
        async ({ client }) => {
          for (const call of [
            client.videoSynthesis({ model: 'model-a', input: { prompt: 'A cat' } }),
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
        replyWithRequestId(409, '{"error":{"message":"No"}}'),
        async ({ client }) => {
          for (const call of [client.readTask('t1'), client.cancelTask('t1'), client.deleteTask('t1')]) {
            const { requestId, gatewayRequestId } = await catchFailure(call);
            assert.equal(gatewayRequestId, 'theirs-1');
            assert.notEqual(requestId, gatewayRequestId);
          }
        },
        options,
      );
    });

    it('by cancelTask sends a body, which some servers require', async () => {
      await withFaultServer(
        replyWith(200, '{}'),
        async ({ client, server }) => {
          await client.cancelTask('t1');
          assert.equal(server.requests[0]?.body, '{}');
        },
        options,
      );
    });
  });
}
