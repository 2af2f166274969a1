import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { createNetworkFailure } from '../../src/client/networkFailure.ts';
import { TaskWaitError, waitForTask } from '../../src/client/waitForTask.ts';
import type { TaskSnapshot } from '../../src/wire/apis/taskRecord/snapshot.ts';
import { GatewayError } from '../../src/wire/failures/gatewayError.ts';
import type { ConnectionScript } from '../support/faultServer.ts';
import { catchFailure, type FaultServerFixture, withFaultServer } from '../support/faultServerCalls.ts';

type ScriptedReply =
  | ConnectionScript
  | readonly [status: number, body: string, headers?: Readonly<Record<string, string>>];

const running = [200, '{"id":"t1","status":"running"}'] as const;
const completed = [200, '{"id":"t1","status":"completed","video_url":"https://files.example/v"}'] as const;

/** Replies to the reads of a task in turn; the last reply repeats. */
function replyInTurn(...replies: readonly ScriptedReply[]): ConnectionScript {
  let reads = 0;
  return (connection, request) => {
    const reply = replies[Math.min(reads, replies.length - 1)] ?? running;
    reads += 1;
    if (typeof reply === 'function') return reply(connection, request);
    const [status, body, headers = {}] = reply;
    return connection.respond(status, headers, body);
  };
}

async function catchWaitError(wait: Promise<unknown>): Promise<TaskWaitError> {
  const error = await wait.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (TaskWaitError.is(error)) return error;
  throw new Error(`the wait did not end as it should: ${String(error)}`);
}

const withDirectServer = (play: ConnectionScript, test: (scene: FaultServerFixture) => Promise<void>) =>
  withFaultServer(play, test, { transport: 'direct' });

describe('waiting for a task', () => {
  it('reads it until it has ended, and reports each snapshot', async () => {
    await withDirectServer(
      replyInTurn(running, [200, '{"id":"t1","status":"moderating"}'], completed),
      async ({ client, server }) => {
        const seen: TaskSnapshot[] = [];
        const task = await client.waitForTask('t1', { intervalMs: 5, onSnapshot: (each) => seen.push(each) });
        assert.deepEqual([task.status, task.results], ['completed', [{ url: 'https://files.example/v' }]]);
        assert.deepEqual(
          seen.map(({ status, rawStatus }) => [status, rawStatus]),
          [
            ['running', 'running'],
            ['running', 'moderating'],
            ['completed', 'completed'],
          ],
        );
        assert.equal(server.requests.length, 3);
      },
    );
  });

  it('returns the snapshot of a task that failed or was cancelled', async () => {
    await withDirectServer(replyInTurn([200, '{"id":"t1","status":"canceled"}']), async ({ client }) => {
      assert.equal((await client.waitForTask('t1', { intervalMs: 5 })).failedAs, 'cancelled');
    });
  });

  it('F31 F75 continues after temporary failures: error statuses, broken connections and a missing task', async () => {
    const play = replyInTurn(
      [404, '{"error":{"message":"No such task"}}'],
      [503, '<html>'],
      (connection) => connection.reset(),
      (connection) => connection.reset(),
      [200, '{"id":"t1","sta'],
      [200, '{"id":"t1","status":"not_found"}'],
      running,
      [502, ''],
      completed,
    );
    await withDirectServer(play, async ({ client }) => {
      assert.equal((await client.waitForTask('t1', { intervalMs: 5 })).status, 'completed');
    });
  });

  it('continues after the network was unreachable before anything was sent', async () => {
    const lost = createNetworkFailure(
      Object.assign(new Error('connect'), { code: 'ENETUNREACH' }),
      'gateway.example:443',
      'connecting',
    );
    const request = { requestedAt: new Date(), requestId: 'r', wasSent: false };
    const reads: (() => TaskSnapshot)[] = [
      () => {
        throw new GatewayError({ ...lost, ...request });
      },
      () => ({ id: 't1', status: 'completed', results: [], raw: {} }),
    ];
    const client = { readTask: async () => (reads.shift() ?? assert.fail())() };
    assert.equal((await waitForTask(client, 't1', { intervalMs: 5 })).status, 'completed');
  });

  it('stops at once for an address that may not be used', async () => {
    const client = createGatewayClient({
      baseUrl: 'ftp://gateway.example',
      credential: async () => undefined,
    });
    const failure = await catchFailure(client.waitForTask('t1', { intervalMs: 5, timeoutMs: 1_000 }));
    assert.equal(failure.reason, 'unusable-address');
    await client.close();
  });

  const refusals: readonly (readonly [status: number, body: string, kind: string])[] = [
    [401, '{"error":{"message":"No"}}', 'authentication'],
    [403, '{"error":{"message":"No"}}', 'authentication'],
    [400, '{"error":{"message":"No"}}', 'invalid-parameters'],
    [404, '{"error":{"message":"Invalid URL (GET /v1/tasks/t1)"}}', 'unreachable'],
    [200, '{"code":401,"message":"bad token","data":null}', 'authentication'],
    [200, '<html><title>Sign in</title></html>', 'unreachable'],
  ];
  for (const [status, body, kind] of refusals) {
    it(`stops after a refusal: ${status} ${body}`, async () => {
      await withDirectServer(replyInTurn([status, body]), async ({ client, server }) => {
        const failure = await catchFailure(client.waitForTask('t1', { intervalMs: 5 }));
        assert.deepEqual([failure.kind, server.requests.length], [kind, 1]);
      });
    });
  }

  it('P10 never polls earlier than the gateway allows', async () => {
    const times: number[] = [];
    const reply = replyInTurn([429, '{}', { 'retry-after': '1' }], completed);
    const play: ConnectionScript = (connection, request) => {
      times.push(performance.now());
      return reply(connection, request);
    };
    await withDirectServer(play, async ({ client }) => {
      await client.waitForTask('t1', { intervalMs: 5 });
      const [first = 0, second = 0] = times;
      assert.ok(second - first >= 990, `requested again after ${second - first} ms`);
    });
  });

  it('P11 ends after its timeout, with the last snapshot', async () => {
    await withDirectServer(
      replyInTurn([200, '{"id":"t1","status":"running","progress":45}']),
      async ({ client }) => {
        const error = await catchWaitError(client.waitForTask('t1', { intervalMs: 10, timeoutMs: 1000 }));
        assert.deepEqual(
          [error.reason, error.taskId, error.snapshot?.status, error.snapshot?.progress],
          ['timed-out', 't1', 'running', 45],
        );
      },
    );
  });

  it('P11 ends after its timeout even if the gateway is silent or sends a long retry time', async () => {
    for (const reply of [() => {}, [429, '{}', { 'retry-after': '3600' }]] as const) {
      await withDirectServer(replyInTurn(reply), async ({ client, server }) => {
        const error = await catchWaitError(client.waitForTask('t1', { intervalMs: 10, timeoutMs: 1000 }));
        assert.deepEqual([error.reason, error.snapshot, server.requests.length], ['timed-out', undefined, 1]);
        assert.ok(GatewayError.is(error.cause));
      });
    }
  });

  it('P11 is aborted at once: before it began, during a request and during a pause', async () => {
    const plays: readonly ConnectionScript[] = [replyInTurn(running), () => {}];
    for (const play of plays) {
      const requestReceived = Promise.withResolvers<void>();
      const watched: ConnectionScript = (connection, request) => {
        requestReceived.resolve();
        return play(connection, request);
      };
      await withDirectServer(watched, async ({ client }) => {
        const stop = new AbortController();
        const wait = catchFailure(client.waitForTask('t1', { intervalMs: 3_600_000, signal: stop.signal }));
        await requestReceived.promise;
        stop.abort();
        assert.equal((await wait).kind, 'cancelled');
      });
    }
    await withDirectServer(replyInTurn(running), async ({ client, server }) => {
      const failure = await catchFailure(client.waitForTask('t1', { signal: AbortSignal.abort() }));
      assert.deepEqual([failure.kind, server.requests.length], ['cancelled', 0]);
    });
  });

  it('refuses an invalid interval or timeout', async () => {
    await withDirectServer(replyInTurn(completed), async ({ client, server }) => {
      for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await assert.rejects(client.waitForTask('t1', { intervalMs: value }), RangeError);
        await assert.rejects(client.waitForTask('t1', { timeoutMs: value }), RangeError);
      }
      assert.equal(server.requests.length, 0);
    });
  });

  it('ends with the error that its listener throws', async () => {
    await withDirectServer(replyInTurn(running), async ({ client }) => {
      const wait = client.waitForTask('t1', {
        onSnapshot: () => {
          throw new TypeError('mine');
        },
      });
      await assert.rejects(wait, TypeError);
    });
  });
});
