import assert from 'node:assert/strict';
import { setImmediate as oneTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { CredentialUnansweredError } from '../../src/client/credential.ts';
import type { FailureKind, FailureReason } from '../../src/wire/failure.ts';
import { startFaultServer } from '../support/faultServer.ts';
import {
  chatRequest,
  errorOf,
  failureOf,
  testCredential,
  withFaultServer,
} from '../support/faultServerCalls.ts';

const ignore = () => {};
const page = (words: string) => `<html><head><title>${words}</title></head><body>${words}</body></html>`;
const error = (message: string, code: string | null = null) =>
  JSON.stringify({ error: { message, type: 'test_error', param: null, code } });

for (const transport of ['direct', 'host'] as const) {
  describe(`replies that are no success, ${transport} transport`, () => {
    type Row = readonly [
      title: string,
      status: number,
      body: string,
      kind: FailureKind,
      reason?: FailureReason,
    ];
    const rows: readonly Row[] = [
      ['F35 a refused credential', 401, error('Incorrect API key'), 'authentication'],
      ['F35 a forbidden route', 403, error('Forbidden'), 'authentication'],
      ['an address without a gateway', 404, page('404 Not Found'), 'unreachable', 'not-a-gateway'],
      ['a crash', 500, '', 'server'],
      ['F39 an edge in HTML', 502, page('502 Bad Gateway'), 'server'],
      ['F38 no content', 204, '', 'malformed-reply', 'empty-reply'],
      ['F38 an empty success', 200, '', 'malformed-reply', 'empty-reply'],
      ['F26 a captive portal', 200, page('Sign in'), 'unreachable', 'not-a-gateway'],
      ['a list that is none', 200, '{"hello":"world"}', 'malformed-reply'],
      ['a list that is no JSON', 200, 'Hello', 'malformed-reply'],
      ['an error under a good status', 200, error('No money', 'insufficient_quota'), 'quota'],
      ['a message under a good status', 200, '{"success":false,"message":"Sign in"}', 'server'],
    ];
    for (const [title, status, body, kind, reason] of rows) {
      it(title, async () => {
        await withFaultServer(
          (connection) => connection.respond(status, {}, body),
          async ({ client, exchanges }) => {
            const failure = await failureOf(client.listModels({ requestId: 'request-1' }));
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

    it("keeps the gateway's own id of the request beside ours, cleared of the credential", async () => {
      await withFaultServer(
        (connection) =>
          connection.respond(400, { 'x-request-id': `theirs-${testCredential}` }, error('Wrong', 'x')),
        async ({ client }) => {
          const failure = await failureOf(client.listModels({ requestId: 'request-1' }));
          assert.deepEqual([failure.requestId, failure.gatewayRequestId], ['request-1', 'theirs-[redacted]']);
          const result = await client.chatCompletions(chatRequest, ignore, { requestId: 'request-2' });
          assert.deepEqual([result.requestId, result.gatewayRequestId], ['request-2', 'theirs-[redacted]']);
        },
        { transport },
      );
    });

    it("keeps the gateway's own id of a request that went well", async () => {
      const body = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
      await withFaultServer(
        (connection, { headers }) =>
          connection.respond(
            200,
            { 'x-request-id': headers['x-request-id'] === 'ours' ? 'ours' : 'theirs' },
            body,
          ),
        async ({ client }) => {
          const told = async (requestId: string) =>
            (await client.chatCompletions(chatRequest, ignore, { requestId })).gatewayRequestId;
          assert.equal(await told('request-1'), 'theirs');
          assert.equal(await told('ours'), undefined);
        },
        { transport },
      );
    });

    it('F30 429 tells how long to wait, when it does', async () => {
      await withFaultServer(
        (connection, { headers }) =>
          connection.respond(
            429,
            headers['x-request-id'] === 'told' ? { 'retry-after': '7' } : {},
            error('Slow down'),
          ),
        async ({ client }) => {
          const told = await failureOf(client.listModels({ requestId: 'told' }));
          assert.deepEqual([told.kind, told.retryAfterMs], ['rate-limited', 7000]);
          assert.match(told.message, /in 7 s/);
          assert.equal(told.gatewayMessage, 'Slow down');
          assert.equal((await failureOf(client.listModels())).retryAfterMs, undefined);
        },
        { transport },
      );
    });

    it('P1 T6 F37 a redirect is named and nothing is asked for there', async () => {
      const elsewhere = await startFaultServer((connection) => connection.respond(200, {}, '{"data":[]}'));
      for (const status of [301, 302, 303, 307, 308]) {
        await withFaultServer(
          (connection) => connection.respond(status, { location: `${elsewhere.baseUrl}/v1/models` }),
          async ({ server, client }) => {
            const list = await failureOf(client.listModels());
            const { outcome } = await client.chatCompletions(chatRequest, ignore);
            for (const failure of [list, errorOf(outcome)]) {
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

    it('T6 T21 a redirect to a host that is named by the credential does not tell it', async () => {
      await withFaultServer(
        (connection) => connection.respond(302, { location: `https://${testCredential}.example/` }),
        async ({ client }) => {
          const failure = await failureOf(client.listModels());
          assert.equal(failure.reason, 'redirect');
          assert.ok(!inspect(failure, { depth: null }).includes(testCredential));
        },
        { transport },
      );
    });

    it('F39 an error body without end is read to 64 KiB and then closed', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.head(500);
          while (await connection.write('x'.repeat(16_384)));
        },
        async ({ client }) => {
          const failure = await failureOf(client.listModels());
          assert.equal(failure.status, 500);
          assert.equal(failure.body?.length, 65_536);
          assert.equal(failure.gatewayMessage?.length, 2049);
        },
        { transport },
      );
    });

    it('an error body that breaks off keeps its status', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.head(401, { 'content-length': '1000' });
          await connection.write(error('Half'));
          connection.reset();
        },
        async ({ client }) => {
          const failure = await failureOf(client.listModels());
          assert.deepEqual([failure.kind, failure.status], ['authentication', 401]);
        },
        { transport },
      );
    });

    it('F27 an error in an unknown encoding is told by its status, without its bytes', async () => {
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
            const failure = await failureOf(client.listModels());
            assert.deepEqual([failure.kind, failure.status], [kind, status], encoding);
            assert.equal(failure.retryAfterMs, 7_000);
            assert.equal(failure.body ?? '', '');
          },
          { transport },
        );
      }
    });

    it('F27 an error body may be compressed', async () => {
      await withFaultServer(
        (connection) => connection.respond(401, { 'content-encoding': 'gzip' }, gzipSync(error('Packed'))),
        async ({ client }) => assert.equal((await failureOf(client.listModels())).gatewayMessage, 'Packed'),
        { transport },
      );
    });

    it('a list that breaks off is no list', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.head(200, { 'content-length': '1000' });
          await connection.write('{"data":[{"id":"a"}]');
          connection.end();
        },
        async ({ client }) => {
          const { kind, reason } = await failureOf(client.listModels());
          assert.equal(kind, 'unreachable');
          assert.ok(reason === 'cut' || reason === 'reset');
        },
        { transport },
      );
    });
  });

  describe(`the model list, ${transport} transport`, () => {
    it('P9 of 5,000 models comes whole, and of one that is too long the first 10,000 and how many more', async () => {
      const body = (count: number) =>
        JSON.stringify({ data: Array.from({ length: count }, (_, nth) => ({ id: `vendor/model-${nth}` })) });
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
          },
          { transport },
        );
      }
    });

    it('is asked for as the interface says', async () => {
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

    it('lies below the path of the base address', async () => {
      const server = await startFaultServer((connection) => connection.respond(200, {}, '{"data":null}'));
      await withFaultServer(ignore, async ({ client }) => assert.deepEqual(await client.listModels(), []), {
        transport,
        baseUrl: `${server.baseUrl}/api/`,
      });
      assert.equal(server.requests[0]?.path, '/api/v1/models');
      await server.close();
    });

    it('may hold 5,000 models', async () => {
      const data = Array.from({ length: 5000 }, (_, at) => ({
        id: `maker/model ${at} é`,
        owned_by: 'maker',
      }));
      await withFaultServer(
        (connection) => connection.respond(200, {}, JSON.stringify({ object: 'list', data })),
        async ({ client }) => {
          const models = await client.listModels();
          assert.equal(models.length, 5000);
          assert.deepEqual(models[4999], { id: 'maker/model 4999 é', owner: 'maker' });
        },
        { transport },
      );
    });

    it('ends as cancelled when it is cancelled', async () => {
      const abort = new AbortController();
      await withFaultServer(
        async (connection) => {
          abort.abort();
          await connection.closed;
        },
        async ({ client, server }) => {
          assert.equal((await failureOf(client.listModels({ signal: abort.signal }))).kind, 'cancelled');
          assert.equal((await failureOf(client.listModels({ signal: abort.signal }))).kind, 'cancelled');
          assert.equal(server.requests.length, 1);
        },
        { transport },
      );
    });
  });
}

describe('the credential', () => {
  it('P3 T21 is in nothing that comes back, even when the gateway repeats it', async () => {
    const echo = `You sent ${testCredential} as Bearer ${testCredential}`;
    await withFaultServer(
      (connection) => connection.respond(401, {}, error(echo)),
      async ({ client, exchanges }) => {
        const failure = await failureOf(client.listModels());
        const { outcome } = await client.chatCompletions(chatRequest, ignore);
        const { stack, cause, ...rest } = failure;
        const seen = JSON.stringify([
          failure.message,
          stack,
          cause,
          rest,
          exchanges,
          outcome,
          errorOf(outcome),
        ]);
        for (let at = 0; at + 12 <= testCredential.length; at++) {
          assert.ok(!seen.includes(testCredential.slice(at, at + 12)));
        }
        assert.match(failure.gatewayMessage ?? '', /^You sent \[redacted\]/);
      },
    );
  });

  it('is left out when there is none', async () => {
    await withFaultServer(
      (connection) => connection.respond(200, {}, '{"data":[]}'),
      async ({ client, server }) => {
        await client.listModels();
        assert.equal(server.requests[0]?.headers.authorization, undefined);
      },
      { credential: async () => undefined },
    );
  });

  it('F104 never carries a line break or a space into a header', async () => {
    for (const credential of ['a\r\nx-injected: 1', 'a b', 'é', '']) {
      await withFaultServer(
        (connection) => connection.respond(200, {}, '{"data":[]}'),
        async ({ client, server }) => {
          assert.equal((await failureOf(client.listModels())).kind, 'authentication');
          assert.equal(server.connections, 0);
        },
        { credential: async () => credential },
      );
    }
  });

  it('F101 F102 that cannot be read, or not now, stops the call and can be cancelled', async () => {
    const abort = new AbortController();
    const stuck = Promise.withResolvers<string>();
    await withFaultServer(
      ignore,
      async ({ client }) => {
        const call = failureOf(client.listModels({ signal: abort.signal }));
        abort.abort();
        assert.equal((await call).kind, 'cancelled');
      },
      { credential: () => stuck.promise },
    );
    await withFaultServer(
      ignore,
      async ({ client }) => assert.equal((await failureOf(client.listModels())).kind, 'authentication'),
      { credential: () => Promise.reject(new Error('keyring locked')) },
    );
    await withFaultServer(
      ignore,
      async ({ client, server }) => {
        const { kind, reason, sent, message } = await failureOf(client.listModels());
        assert.deepEqual([kind, reason, sent], ['authentication', 'credential-unanswered', false]);
        assert.match(message, /did not answer in time, so nothing was sent: try again/);
        assert.equal(server.connections, 0);
      },
      { credential: () => Promise.reject(new CredentialUnansweredError('busy')) },
    );
  });
});

describe('the connection', () => {
  it('is used again for the next call', async () => {
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
