import assert from 'node:assert/strict';
import { setImmediate as oneTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { FailureKind, FailureReason } from '../../src/wire/failures/gatewayError.ts';
import { startFaultServer } from '../support/faultServer.ts';
import {
  catchFailure,
  chatRequest,
  readError,
  testCredential,
  withFaultServer,
} from '../support/faultServerCalls.ts';

const ignore = () => {};
const page = (words: string) => `<html><head><title>${words}</title></head><body>${words}</body></html>`;
const error = (message: string, code: string | null = null) =>
  JSON.stringify({ error: { message, type: 'test_error', param: null, code } });

for (const transport of ['direct', 'host'] as const) {
  describe(`replies of a gateway, ${transport} transport`, () => {
    type Row = readonly [
      title: string,
      status: number,
      body: string,
      kind: FailureKind,
      reason?: FailureReason,
    ];
    const rows: readonly Row[] = [
      [
        'F35 that refuse the credential are authentication errors',
        401,
        error('Incorrect API key'),
        'authentication',
      ],
      ['F35 that forbid the route are authentication errors', 403, error('Forbidden'), 'authentication'],
      ['with a 404 page are not from a gateway', 404, page('404 Not Found'), 'unreachable', 'not-a-gateway'],
      ['with status 500 and no body are server errors', 500, '', 'server'],
      ['F39 with status 502 and HTML are server errors', 502, page('502 Bad Gateway'), 'server'],
      ['F38 with status 204 are empty', 204, '', 'malformed-reply', 'empty-reply'],
      ['F38 with status 200 and no body are empty', 200, '', 'malformed-reply', 'empty-reply'],
      [
        'F26 with a captive portal are not from a gateway',
        200,
        page('Sign in'),
        'unreachable',
        'not-a-gateway',
      ],
      ['with JSON that is not a list are malformed', 200, '{"hello":"world"}', 'malformed-reply'],
      ['with a list that is not JSON are malformed', 200, 'Hello', 'malformed-reply'],
      ['with an error under status 200 are errors', 200, error('No money', 'insufficient_quota'), 'quota'],
      [
        'with only a message under status 200 are errors',
        200,
        '{"success":false,"message":"Sign in"}',
        'server',
      ],
    ];
    for (const [title, status, body, kind, reason] of rows) {
      it(title, async () => {
        await withFaultServer(
          (connection) => connection.respond(status, {}, body),
          async ({ client, exchanges }) => {
            const failure = await catchFailure(client.listModels({ requestId: 'request-1' }));
            assert.deepEqual([failure.kind, failure.reason], [kind, reason]);
            assert.equal(failure.requestId, 'request-1');
            assert.ok(failure.requestedAt instanceof Date);
            assert.equal(failure.status, status);
            assert.equal(failure.body ?? '', body);
            assert.equal(exchanges[0]?.status, status);
            assert.equal(exchanges[0]?.failure, failure.message);
          },
          { transport },
        );
      });
    }

    it("that are errors carry the gateway's request id next to ours, with the credential redacted", async () => {
      await withFaultServer(
        (connection) =>
          connection.respond(400, { 'x-request-id': `theirs-${testCredential}` }, error('Wrong', 'x')),
        async ({ client }) => {
          const failure = await catchFailure(client.listModels({ requestId: 'request-1' }));
          assert.deepEqual([failure.requestId, failure.gatewayRequestId], ['request-1', 'theirs-[redacted]']);
          const result = await client.chatCompletions(chatRequest, ignore, { requestId: 'request-2' });
          assert.deepEqual([result.requestId, result.gatewayRequestId], ['request-2', 'theirs-[redacted]']);
        },
        { transport },
      );
    });

    it("that are successful carry the gateway's request id, unless it equals ours", async () => {
      const body = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
      await withFaultServer(
        (connection, { headers }) =>
          connection.respond(
            200,
            { 'x-request-id': headers['x-request-id'] === 'ours' ? 'ours' : 'theirs' },
            body,
          ),
        async ({ client }) => {
          const gatewayId = async (requestId: string) =>
            (await client.chatCompletions(chatRequest, ignore, { requestId })).gatewayRequestId;
          assert.equal(await gatewayId('request-1'), 'theirs');
          assert.equal(await gatewayId('ours'), undefined);
        },
        { transport },
      );
    });

    it('F30 with status 429 carry the retry delay if the gateway sent one', async () => {
      await withFaultServer(
        (connection, { headers }) =>
          connection.respond(
            429,
            headers['x-request-id'] === 'told' ? { 'retry-after': '7' } : {},
            error('Slow down'),
          ),
        async ({ client }) => {
          const failure = await catchFailure(client.listModels({ requestId: 'told' }));
          assert.deepEqual([failure.kind, failure.retryAfterMs], ['rate-limited', 7000]);
          assert.match(failure.message, /in 7 s/);
          assert.equal(failure.gatewayMessage, 'Slow down');
          assert.equal((await catchFailure(client.listModels())).retryAfterMs, undefined);
        },
        { transport },
      );
    });

    it('P1 T6 F37 that redirect are errors that name the target, and nothing is sent there', async () => {
      const elsewhere = await startFaultServer((connection) => connection.respond(200, {}, '{"data":[]}'));
      for (const status of [301, 302, 303, 307, 308]) {
        await withFaultServer(
          (connection) => connection.respond(status, { location: `${elsewhere.baseUrl}/v1/models` }),
          async ({ server, client }) => {
            const list = await catchFailure(client.listModels());
            const { outcome } = await client.chatCompletions(chatRequest, ignore);
            for (const failure of [list, readError(outcome)]) {
              assert.deepEqual([failure.kind, failure.reason], ['unreachable', 'redirect']);
              assert.ok(failure.message.includes(elsewhere.baseUrl));
            }
            assert.equal(server.requests.length, 2);
          },
          { transport },
        );
      }
      assert.equal(elsewhere.connections, 0);
      await elsewhere.close();
    });

    it('T6 T21 that redirect to a host named by the credential do not reveal it', async () => {
      await withFaultServer(
        (connection) => connection.respond(302, { location: `https://${testCredential}.example/` }),
        async ({ client }) => {
          const failure = await catchFailure(client.listModels());
          assert.equal(failure.reason, 'redirect');
          assert.ok(!inspect(failure, { depth: null }).includes(testCredential));
        },
        { transport },
      );
    });

    it('F39 with an endless error body are read to 64 KiB and then closed', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.writeHead(500);
          while (await connection.write('x'.repeat(16_384)));
        },
        async ({ client }) => {
          const failure = await catchFailure(client.listModels());
          assert.equal(failure.status, 500);
          assert.equal(failure.body?.length, 65_536);
          assert.equal(failure.gatewayMessage?.length, 2049);
        },
        { transport },
      );
    });

    it('keep their status when the error body breaks off', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.writeHead(401, { 'content-length': '1000' });
          await connection.write(error('Half'));
          connection.reset();
        },
        async ({ client }) => {
          const failure = await catchFailure(client.listModels());
          assert.deepEqual([failure.kind, failure.status], ['authentication', 401]);
        },
        { transport },
      );
    });

    it('F27 with an error in an unknown encoding are classified by status, without the body', async () => {
      for (const [status, encoding, kind] of [
        [401, 'x-secret', 'authentication'],
        [429, 'snappy', 'rate-limited'],
        [503, 'gzip, aws-chunked', 'server'],
        [402, 'gzip', 'quota'],
      ] as const) {
        await withFaultServer(
          (connection) =>
            connection.respond(status, { 'content-encoding': encoding, 'retry-after': '7' }, error('Hidden')),
          async ({ client }) => {
            const failure = await catchFailure(client.listModels());
            assert.deepEqual([failure.kind, failure.status], [kind, status], encoding);
            assert.equal(failure.retryAfterMs, 7_000);
            assert.equal(failure.body ?? '', '');
          },
          { transport },
        );
      }
    });

    it('F27 with a compressed error body are decoded', async () => {
      await withFaultServer(
        (connection) => connection.respond(401, { 'content-encoding': 'gzip' }, gzipSync(error('Packed'))),
        async ({ client }) =>
          assert.equal((await catchFailure(client.listModels())).gatewayMessage, 'Packed'),
        { transport },
      );
    });

    it('that break off in the middle of a list are errors', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.writeHead(200, { 'content-length': '1000' });
          await connection.write('{"data":[{"id":"a"}]');
          connection.end();
        },
        async ({ client }) => {
          const { kind, reason } = await catchFailure(client.listModels());
          assert.equal(kind, 'unreachable');
          assert.ok(reason === 'cut' || reason === 'reset');
        },
        { transport },
      );
    });
  });

  describe(`the model list, ${transport} transport`, () => {
    it('P9 is returned whole with 5,000 models; of a longer list, the first 10,000 and the number of the rest', async () => {
      const body = (count: number) =>
        JSON.stringify({
          data: Array.from({ length: count }, (_, nth) => ({
            id: `maker/model ${nth} é`,
            owned_by: 'maker',
          })),
        });
      for (const [count, listed] of [
        [5_000, 5_000],
        [10_007, 10_000],
      ] as const) {
        await withFaultServer(
          (connection) => connection.respond(200, {}, body(count)),
          async ({ client }) => {
            let beyond = 0;
            const onOmitted = (more: number) => {
              beyond = more;
            };
            const models = await client.listModels({ onOmitted });
            assert.deepEqual([models.length, beyond], [listed, count - listed]);
            assert.deepEqual(models.at(-1), { id: `maker/model ${listed - 1} é`, owner: 'maker' });
          },
          { transport },
        );
      }
    });

    it('is requested with the method, path and headers of the interface', async () => {
      await withFaultServer(
        (connection) => connection.respond(200, {}, '{"object":"list","data":[]}'),
        async ({ server, client }) => {
          assert.deepEqual(await client.listModels(), []);
          const [request] = server.requests;
          assert.equal(`${request?.method} ${request?.path}`, 'GET /v1/models');
          assert.equal(request?.headers.authorization, `Bearer ${testCredential}`);
          assert.equal(request?.headers['content-type'], 'application/json');
          assert.match(request?.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
          assert.equal(request?.headers['x-vendor-api-key'], undefined);
        },
        { transport },
      );
    });

    it('is requested below the path of the base address', async () => {
      const server = await startFaultServer((connection) => connection.respond(200, {}, '{"data":null}'));
      await withFaultServer(ignore, async ({ client }) => assert.deepEqual(await client.listModels(), []), {
        transport,
        baseUrl: `${server.baseUrl}/api/`,
      });
      assert.equal(server.requests[0]?.path, '/api/v1/models');
      await server.close();
    });

    it('fails as cancelled when it is cancelled', async () => {
      const abort = new AbortController();
      await withFaultServer(
        async (connection) => {
          abort.abort();
          await connection.closed;
        },
        async ({ client, server }) => {
          assert.equal((await catchFailure(client.listModels({ signal: abort.signal }))).kind, 'cancelled');
          assert.equal((await catchFailure(client.listModels({ signal: abort.signal }))).kind, 'cancelled');
          assert.equal(server.requests.length, 1);
        },
        { transport },
      );
    });
  });
}

describe('the connection to a gateway', () => {
  it('is reused for the next call', async () => {
    await withFaultServer(
      (connection) => connection.respond(200, {}, '{"data":[]}'),
      async ({ client, server }) => {
        await client.listModels();
        await oneTurn();
        await client.listModels();
        assert.equal(server.connections, 1);
      },
    );
  });
});
