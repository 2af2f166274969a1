import assert from 'node:assert/strict';
import type { SpendingGuard } from '../../src/client/types.ts';
import { createTinyClip, MemoryTarget, withDownloader } from '../support/downloadServers.ts';
import type { ConnectionScript } from '../support/faultServer.ts';
import {
  catchFailure,
  createChunk,
  readError,
  streamChat,
  testCredential,
  withFaultServer,
} from '../support/faultServerCalls.ts';

const renewedCredential = 'renewed-credential-9876543210';
const renewCredential = async () => renewedCredential;

/** Refuses every credential but the given one, and repeats what it received. */
function acceptOnly(credential: string): ConnectionScript {
  return (connection, { headers }) => {
    if (headers.authorization === `Bearer ${credential}`)
      return connection.respond(
        200,
        { 'content-type': 'text/event-stream' },
        `${createChunk('Hi', 'stop')}data: [DONE]\n\n`,
      );
    const echo = { error: { message: `Expired: ${headers.authorization}`, code: 'token_expired' } };
    return connection.respond(401, { 'content-type': 'application/json' }, JSON.stringify(echo));
  };
}

describe('a credential that is renewed', () => {
  it('is used for the same request after a 401, and the first exchange does not count as failed', async () => {
    await withFaultServer(
      acceptOnly(renewedCredential),
      async ({ client, server, exchanges }) => {
        const { outcome, text, requestId } = await streamChat(client);
        assert.deepEqual([outcome.kind, text], ['complete', 'Hi']);
        const [first, second, ...others] = server.requests;
        assert.equal(first?.body.toString(), second?.body.toString());
        assert.deepEqual(others, []);
        assert.deepEqual(
          exchanges.map((each) => [each.status, each.isExpected ?? false, each.requestId === requestId]),
          [
            [401, true, true],
            [200, false, true],
          ],
        );
      },
      { renewCredential },
    );
  });

  it('P17 counts only the usage of the repeated request, not of the refused one', async () => {
    const settled: unknown[] = [];
    const spending: SpendingGuard = {
      reserve: async () => ({ settle: (spent) => settled.push(spent?.textLength) }),
    };
    await withFaultServer(
      acceptOnly(renewedCredential),
      async ({ client }) => {
        assert.equal((await streamChat(client)).text, 'Hi');
        assert.deepEqual(settled, [undefined, 2]);
      },
      { renewCredential, spending },
    );
  });

  it('P5 is used once: after a second 401 the request fails', async () => {
    await withFaultServer(
      acceptOnly('another'),
      async ({ client, server }) => {
        const error = readError((await streamChat(client)).outcome);
        assert.deepEqual([error.kind, error.status, server.requests.length], ['authentication', 401, 2]);
        assert.doesNotMatch(
          JSON.stringify([error.message, error.body, error.gatewayMessage]),
          /0123456789|9876543210/,
        );
      },
      { renewCredential },
    );
  });

  it('is not sent if it equals the refused one or is invalid, or if the renewal fails', async () => {
    const renewals: readonly (() => Promise<string | undefined>)[] = [
      async () => testCredential,
      async () => undefined,
      async () => 'two\nlines',
      () => Promise.reject(new Error('canary')),
    ];
    for (const renew of renewals) {
      await withFaultServer(
        acceptOnly(renewedCredential),
        async ({ client, server }) => {
          assert.equal(readError((await streamChat(client)).outcome).status, 401);
          assert.equal(server.requests.length, 1);
        },
        { renewCredential: renew },
      );
    }
  });

  it('P5 is not requested after a reply that does not prove that nothing was created', async () => {
    const replies: readonly ConnectionScript[] = [
      ...[403, 408, 429, 500, 504].map(
        (status): ConnectionScript =>
          (connection) =>
            connection.respond(status, {}, '{"error":{"message":"token expired","code":"invalid_api_key"}}'),
      ),
      (connection) => connection.reset(),
    ];
    for (const reply of replies) {
      let renewals = 0;
      await withFaultServer(
        reply,
        async ({ client, server }) => {
          readError((await streamChat(client)).outcome);
          assert.deepEqual([renewals, server.requests.length], [0, 1]);
        },
        {
          renewCredential: async () => {
            renewals += 1;
            return renewedCredential;
          },
        },
      );
    }
  });

  it('T21 is hidden in transcripts, together with the refused one', async () => {
    const repeats: ConnectionScript = (connection, { headers }) => {
      const status = headers.authorization?.includes('renewed') ? 200 : 401;
      const body = JSON.stringify({ data: [], echo: `${testCredential} ${renewedCredential}` });
      connection.respond(status, { 'content-type': 'application/json' }, body);
    };
    await withFaultServer(
      repeats,
      async ({ client, exchanges }) => {
        await client.listModels();
        const [, last] = exchanges;
        const { transcript } = last ?? assert.fail();
        const reply = Buffer.concat(
          [...(transcript?.reply().beginning ?? [])].map(({ bytes }) => bytes),
        ).toString();
        assert.match(reply, /9876543210/);
        assert.doesNotMatch(transcript?.hide(reply) ?? reply, /0123456789|9876543210/);
        assert.equal(transcript?.requestHeaders.authorization, 'Bearer $MODEL_GATEWAY_CREDENTIAL');
      },
      { renewCredential, recordsTranscripts: true },
    );
  });

  it('is used for a download from the gateway', async () => {
    const clip = createTinyClip();
    const gateway: ConnectionScript = (connection, { headers }) =>
      headers.authorization === `Bearer ${renewedCredential}`
        ? connection.respond(200, { 'content-type': 'video/mp4' }, clip)
        : connection.respond(401, {}, '{}');
    await withDownloader(
      { gateway, options: { renewCredential } },
      async ({ gateway: server, downloader }) => {
        const target = new MemoryTarget();
        await downloader.download(`${server.baseUrl}/a`, target);
        assert.deepEqual(target.bytes, clip);
        assert.equal(server.requests.length, 2);
      },
    );
  });

  it('F62 is no longer requested after the call was cancelled', async () => {
    const abort = new AbortController();
    const stuck = Promise.withResolvers<string>();
    await withFaultServer(
      acceptOnly(renewedCredential),
      async ({ client, server }) => {
        const error = await catchFailure(client.listModels({ signal: abort.signal }));
        assert.equal(error.status ?? error.kind, 401);
        assert.equal(server.requests.length, 1);
      },
      {
        renewCredential: () => {
          abort.abort();
          return stuck.promise;
        },
      },
    );
  });
});
