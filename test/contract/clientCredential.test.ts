import assert from 'node:assert/strict';
import { CredentialTimeoutError } from '../../src/client/credential.ts';
import {
  catchFailure,
  chatRequest,
  readError,
  testCredential,
  withFaultServer,
} from '../support/faultServerCalls.ts';

const ignore = () => {};
const error = (message: string) =>
  JSON.stringify({ error: { message, type: 'test_error', param: null, code: null } });

describe('the credential', () => {
  it('P3 T21 is in no result, error or record, even when the gateway repeats it', async () => {
    const echo = `You sent ${testCredential} as Bearer ${testCredential}`;
    await withFaultServer(
      (connection) => connection.respond(401, {}, error(echo)),
      async ({ client, exchanges }) => {
        const failure = await catchFailure(client.listModels());
        const { outcome } = await client.chatCompletions(chatRequest, ignore);
        const { stack, cause, ...rest } = failure;
        const seen = JSON.stringify([
          failure.message,
          stack,
          cause,
          rest,
          exchanges,
          outcome,
          readError(outcome),
        ]);
        for (let at = 0; at + 12 <= testCredential.length; at++) {
          assert.ok(!seen.includes(testCredential.slice(at, at + 12)));
        }
        assert.match(failure.gatewayMessage ?? '', /^You sent \[redacted\]/);
      },
    );
  });

  it('adds no Authorization header when none is set', async () => {
    await withFaultServer(
      (connection) => connection.respond(200, {}, '{"data":[]}'),
      async ({ client, server }) => {
        await client.listModels();
        assert.equal(server.requests[0]?.headers.authorization, undefined);
      },
      { credential: async () => undefined },
    );
  });

  it('F104 is refused before connecting if it is empty or has a line break, a space or a non-ASCII letter', async () => {
    for (const credential of ['a\r\nx-injected: 1', 'a b', 'é', '']) {
      await withFaultServer(
        (connection) => connection.respond(200, {}, '{"data":[]}'),
        async ({ client, server }) => {
          assert.equal((await catchFailure(client.listModels())).kind, 'authentication');
          assert.equal(server.connections, 0);
        },
        { credential: async () => credential },
      );
    }
  });

  it('F101 F102 fails the call when its store fails or does not respond, and waiting for it can be cancelled', async () => {
    const abort = new AbortController();
    const stuck = Promise.withResolvers<string>();
    await withFaultServer(
      ignore,
      async ({ client }) => {
        const call = catchFailure(client.listModels({ signal: abort.signal }));
        abort.abort();
        assert.equal((await call).kind, 'cancelled');
      },
      { credential: () => stuck.promise },
    );
    await withFaultServer(
      ignore,
      async ({ client }) => assert.equal((await catchFailure(client.listModels())).kind, 'authentication'),
      { credential: () => Promise.reject(new Error('keyring locked')) },
    );
    await withFaultServer(
      ignore,
      async ({ client, server }) => {
        const { kind, reason, wasSent, message } = await catchFailure(client.listModels());
        assert.deepEqual([kind, reason, wasSent], ['authentication', 'credential-timeout', false]);
        assert.match(message, /did not respond in time, so nothing was sent: try again/);
        assert.equal(server.connections, 0);
      },
      { credential: () => Promise.reject(new CredentialTimeoutError('busy')) },
    );
  });
});
