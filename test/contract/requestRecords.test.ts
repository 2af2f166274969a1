import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ClientOptions } from '../../src/client/types.ts';
import { createRequestRecord, type RequestRecord, requestState } from '../../src/requests/requestRecord.ts';
import type { ConnectionScript, FaultServerOptions } from '../support/faultServer.ts';
import { createChunk, streamChat, testCredential, withFaultServer } from '../support/faultServerCalls.ts';
import { makeCertificate } from '../support/faultServerCertificates.ts';

/** The record of one call. */
async function recordCall(
  script: ConnectionScript,
  call: (client: GatewayClient) => Promise<unknown>,
  options: Partial<ClientOptions> & FaultServerOptions = {},
): Promise<RequestRecord> {
  let record: RequestRecord | undefined;
  await withFaultServer(
    script,
    async ({ client, exchanges }) => {
      await call(client).catch(() => {});
      const [exchange, ...others] = exchanges;
      assert.ok(exchange, 'it is reported');
      assert.equal(others.length, 0, 'the exchange is reported once');
      record = createRequestRecord(exchange, 'test');
    },
    { recordsTranscripts: true, ...options },
  );
  assert.ok(record);
  return record;
}

const streaming: ConnectionScript = async (connection) => {
  await connection.beginStream();
  await connection.write(createChunk('Hel'));
  await connection.write(createChunk('lo', 'stop'));
  await connection.write('data: [DONE]\n\n');
  connection.end();
};

function assertInOrder(...times: readonly (number | undefined)[]): void {
  for (const [nth, time = Number.NaN] of times.entries()) {
    assert.ok(time >= (times[nth - 1] ?? 0), `${times.join(' <= ')}`);
  }
}

for (const transport of ['direct', 'host'] as const) {
  describe(`the record of a request, ${transport} transport`, () => {
    it('contains both sides of a stream, its events and its times, but not the credential', async () => {
      const record = await recordCall(streaming, streamChat, { transport });
      const { figures } = record;
      assert.deepEqual(
        [figures.route, figures.model, figures.status, requestState(figures)],
        ['chatCompletions', 'model-a', 200, 'succeeded'],
      );
      assertInOrder(
        figures.sentMs,
        figures.headersMs,
        figures.firstByteMs,
        figures.lastByteMs,
        figures.totalMs,
      );
      const content = record.content();
      assert.equal(content?.requestHeaders.authorization, 'Bearer $MODEL_GATEWAY_CREDENTIAL');
      assert.match(content?.requestBody?.text ?? '', /"content":"Hi"/);
      assert.equal(content?.reply.isStream, true);
      assert.deepEqual(
        content?.reply.beginning.map(({ text }) => /content":"(\w+)|DONE/.exec(text)?.[0]),
        ['content":"Hel', 'content":"lo', 'DONE'],
      );
      assert.ok(!JSON.stringify([figures, content]).includes(testCredential));
    });

    it('contains the body of a failure, without the credential in it', async () => {
      const record = await recordCall(
        (connection) =>
          connection.respond(
            403,
            { 'content-type': 'application/json', 'x-request-id': 'theirs-1' },
            `{"error":{"message":"no, ${testCredential}"}}`,
          ),
        (client) => client.listModels(),
        { transport },
      );
      const { figures } = record;
      assert.deepEqual(
        [figures.status, figures.failure?.kind, figures.gatewayRequestId],
        [403, 'authentication', 'theirs-1'],
      );
      const all = JSON.stringify([figures, record.content()]);
      assert.ok(!all.includes(testCredential));
      assert.match(all, /no, \[redacted\]/);
    });

    it('contains the part that arrived before a reply was cut off', async () => {
      const record = await recordCall(
        async (connection) => {
          await connection.beginStream();
          await connection.write(createChunk('Half'));
          connection.reset();
        },
        streamChat,
        { transport },
      );
      assert.equal(requestState(record.figures), 'failed');
      assert.match(JSON.stringify(record.content()?.reply), /Half/);
    });

    it('reports a timeout, a stop and a refused connection, without a reply', async () => {
      const silent: ConnectionScript = () => {};
      const timedOut = await recordCall(silent, (client) => client.listModels(), {
        transport,
        timeouts: { firstByte: 50 },
      });
      assert.equal(timedOut.figures.failure?.reason, 'first-byte-timeout');
      assert.ok(timedOut.figures.sentMs !== undefined);
      assert.deepEqual(timedOut.content()?.reply.beginning, []);

      const stopping = new AbortController();
      const stopped = await recordCall(
        () => stopping.abort(),
        (client) => client.listModels({ signal: stopping.signal }),
        { transport },
      );
      assert.equal(requestState(stopped.figures), 'cancelled');

      const refused = await recordCall(silent, (client) => client.listModels(), {
        transport,
        baseUrl: 'http://127.0.0.1:9',
      });
      assert.deepEqual([refused.figures.failure?.kind, refused.figures.sentMs], ['unreachable', undefined]);
    });

    it('reports an untrusted certificate', async () => {
      const certificate = makeCertificate({ name: 'self', address: '127.0.0.1' });
      const untrusted = await recordCall(
        () => {},
        (client) => client.listModels(),
        { transport, tls: certificate },
      );
      assert.equal(untrusted.figures.failure?.reason, 'tls-unknown-authority');
    });

    it('contains a whole compressed reply in decoded form', async () => {
      const { gzipSync } = await import('node:zlib');
      const record = await recordCall(
        (connection) =>
          connection.respond(
            200,
            { 'content-type': 'application/json', 'content-encoding': 'gzip' },
            gzipSync('{"data":[{"id":"model-a"}]}'),
          ),
        (client) => client.listModels(),
        { transport },
      );
      assert.equal(record.content()?.reply.beginning[0]?.text, '{"data":[{"id":"model-a"}]}');
    });
  });
}

describe('the record of a request', () => {
  it('has no bodies if the client does not record them', async () => {
    const record = await recordCall(streaming, streamChat, { recordsTranscripts: false });
    assert.equal(record.content(), undefined);
    assert.equal(record.figures.status, 200);
  });

  it('exists for a request that could not be sent, without possible secrets of its address', async () => {
    const unreadable = await recordCall(streaming, (client) => client.listModels(), {
      credential: () => Promise.reject(new Error('locked')),
    });
    assert.equal(unreadable.figures.failure?.kind, 'authentication');
    assert.equal(unreadable.figures.transport, undefined);
    assert.equal(requestState(unreadable.figures), 'failed');
    const secret = await recordCall(streaming, (client) => client.listModels(), {
      baseUrl: 'https://user:canary-password@gateway.example/v?key=canary-key',
    });
    assert.equal(secret.figures.failure?.reason, 'unusable-address');
    assert.equal(secret.figures.url, 'https://gateway.example/v/v1/models');
    assert.doesNotMatch(JSON.stringify(secret.figures), /canary/);
  });

  it('names the model of a request that was stopped before it was sent, from its body or its path', async () => {
    const signal = AbortSignal.abort();
    const calls = [
      (client: GatewayClient) =>
        client.chatCompletions({ model: 'model-a', messages: [] }, () => {}, { signal }),
      (client: GatewayClient) => client.generateContent('model-b', { contents: [] }, () => {}, { signal }),
    ];
    const stopped = await Promise.all(calls.map((call) => recordCall(streaming, call)));
    assert.deepEqual(
      stopped.map(({ figures }) => [figures.model, requestState(figures), figures.transport]),
      [
        ['model-a', 'cancelled', undefined],
        ['model-b', 'cancelled', undefined],
      ],
    );
  });

  it('reports missing prices of a gateway as a success, but a failure of the gateway as a failure', async () => {
    const records = [404, 405, 500].map((status) =>
      recordCall(
        (connection) => connection.respond(status, {}, 'Not Found'),
        (client) => client.readTokenPrices(),
      ),
    );
    const states = (await Promise.all(records)).map(({ figures }) => requestState(figures));
    assert.deepEqual(states, ['succeeded', 'succeeded', 'failed']);
  });

  it('names the proxy that could not be used', async () => {
    const record = await recordCall(
      () => {},
      (client) => client.listModels(),
      { proxy: () => 'proxy.example:8080', baseUrl: 'https://gateway.example' },
    );
    assert.match(record.figures.failure?.message ?? '', /proxy\.example:8080/);
  });
});
