import type { Transcript } from '../../src/client/transcript.ts';
import type { ExchangeRecord } from '../../src/client/types.ts';
import { createRequestRecord, type RequestRecord } from '../../src/requests/requestRecord.ts';
import { createCredentialRedactor } from '../../src/wire/secrets/redact.ts';

/** The credential of a recorded request. It must not appear anywhere. */
export const canary = 'canary-7Yq2-credential-Zk81';

/** Creates a transcript of a request with a body and a reply, as the client does. */
export function createTranscript(
  requestBody: string,
  pieces: readonly (readonly [atMs: number, text: string])[],
  replyHeaders: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Transcript {
  const beginning = pieces.map(([atMs, text]) => ({ atMs, bytes: Buffer.from(text) }));
  return {
    requestHeaders: {
      'content-type': 'application/json',
      authorization: 'Bearer $MODEL_GATEWAY_CREDENTIAL',
    },
    credentialHeader: 'authorization',
    requestBody,
    replyHeaders,
    reply: () => ({ beginning, omittedBytes: 0, end: [] }),
    replyBytes: beginning.reduce((sum, { bytes }) => sum + bytes.length, 0),
    secrets: () => [canary],
    ...createCredentialRedactor([canary]),
  };
}

/** Creates the record of a chat; `facts` replaces the default values. */
export function createRecord(facts: Partial<ExchangeRecord> = {}): RequestRecord {
  return createRequestRecord(
    {
      route: 'chatCompletions',
      method: 'POST',
      url: 'https://gateway.example/v1/chat/completions',
      model: 'model-a',
      requestId: 'ours-1',
      requestedAt: new Date(1_790_000_000_000),
      status: 200,
      sentMs: 12,
      headersMs: 40,
      firstByteMs: 41,
      lastByteMs: 90,
      totalMs: 95,
      bytesReceived: 1234,
      transport: 'undici',
      transcript: createTranscript('{"model":"model-a","messages":[]}', [[41, '{"id":"c"}']]),
      ...facts,
    },
    'work',
  );
}
