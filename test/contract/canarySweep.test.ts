import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { createGatewayClient, type GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ClientOptions, ExchangeRecord } from '../../src/client/types.ts';
import { writePowerShellCurl, writeShCurl } from '../../src/requests/formats/curl.ts';
import { createHar } from '../../src/requests/formats/har.ts';
import { writeRequestReport } from '../../src/requests/formats/requestReport.ts';
import { readSentRequest, writeHttpFile } from '../../src/requests/formats/sentRequest.ts';
import { createRequestRecord, type RequestRecord } from '../../src/requests/requestRecord.ts';
import { toProblem } from '../../src/tasks/record/taskProblem.ts';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import type { GatewayError } from '../../src/wire/failures/gatewayError.ts';
import { addEcho, assertNoCanary, canary, echo, echoHeaders } from '../support/canary.ts';
import { readFailureReplies } from '../support/failureReplies.ts';
import { type ConnectionScript, type FaultServer, startFaultServer } from '../support/faultServer.ts';
import { chatRequest, createChunk } from '../support/faultServerCalls.ts';
import { findClosedPort } from '../support/forwardProxy.ts';

/** All the forms in which one exchange is stored, shown or exported. */
function listSinks(exchange: ExchangeRecord, record: RequestRecord): Readonly<Record<string, string>> {
  const { transcript: _, error, ...facts } = exchange;
  const { figures } = record;
  const [content, storedContent] = [
    record.content(),
    record.content({ maxBodyBytes: 64 * 1024, hidesAll: true }),
  ];
  const opened = { figures, ...(content && { content }) };
  const request = readSentRequest(opened);
  const versions = { 'Model Gateway': '1' };
  const commands =
    typeof request === 'object'
      ? [writeShCurl(request), writePowerShellCurl(request), writeHttpFile(request)]
      : [];
  return {
    record: JSON.stringify(facts),
    figures: JSON.stringify(figures),
    document: JSON.stringify(content ?? {}),
    'file of failures': JSON.stringify(storedContent ?? {}),
    HAR: JSON.stringify(createHar([opened], { name: 'test', version: '1' })),
    report: writeRequestReport(opened, versions),
    commands: commands.join('\n'),
    ...(error && listErrorSinks(error)),
  };
}

function listErrorSinks(error: GatewayError): Readonly<Record<string, string>> {
  return {
    message: error.message,
    stack: error.stack ?? '',
    causes: inspect(error, { depth: Number.POSITIVE_INFINITY }),
    json: JSON.stringify(error),
    'ledger of tasks': JSON.stringify(toProblem(error)),
  };
}

type ClientCall = (client: GatewayClient, events: ChatEvent[]) => Promise<unknown>;

const sendChat: ClientCall = (client, events) =>
  client.chatCompletions({ ...chatRequest, user: canary }, (batch) => events.push(...batch));
const listModels: ClientCall = (client) => client.listModels();

/** Runs a call and looks for the credential in all its traces. Returns the classes of the failures. */
async function sweep(options: Partial<ClientOptions>, call: ClientCall): Promise<readonly string[]> {
  const exchanges: ExchangeRecord[] = [];
  const events: ChatEvent[] = [];
  const client = createGatewayClient({
    baseUrl: 'https://gateway.invalid',
    credential: async () => canary,
    recordsTranscripts: true,
    onExchange: (exchange) => exchanges.push(exchange),
    ...options,
  });
  const settled = await call(client, events).catch((error: unknown) => error);
  await client.close();
  assertNoCanary(inspect(settled, { depth: Number.POSITIVE_INFINITY }), 'the result');
  assertNoCanary(JSON.stringify(events), 'an event');
  assert.ok(exchanges.length > 0, 'the exchange is reported');
  for (const exchange of exchanges) {
    const sinks = listSinks(exchange, createRequestRecord(exchange, 'test'));
    for (const [name, text] of Object.entries(sinks)) assertNoCanary(text, name);
  }
  return exchanges.map(({ error }) => [error?.kind, error?.reason].filter(Boolean).join('/'));
}

describe('D13 the credential in stored, shown and exported forms of failed requests', () => {
  let server: FaultServer;
  let script: ConnectionScript;

  before(async () => {
    server = await startFaultServer((connection, request) => script(connection, request));
  });

  after(() => server.close());

  const local = (next: ConnectionScript) => {
    script = next;
    return { baseUrl: server.baseUrl };
  };

  it('does not appear after any reply in the table of failure replies', async () => {
    const seen = new Set<string>();
    for (const row of readFailureReplies()) {
      const location = { location: `https://${canary.toLowerCase()}.example/?key=${canary}` };
      const sent = { ...echoHeaders, ...row.headers, ...(row.status < 400 && row.status >= 300 && location) };
      const reply: ConnectionScript = (connection) =>
        connection.respond(row.status, sent as Record<string, string>, addEcho(row));
      try {
        const [found = ''] = await sweep(local(reply), row.group === 'models' ? listModels : sendChat);
        seen.add(found);
      } catch (error) {
        throw new Error(`${row.title}: ${String(error)}`, { cause: error });
      }
    }
    for (const kind of [
      'authentication',
      'model-unavailable',
      'invalid-parameters',
      'rate-limited',
      'quota',
      'server',
    ])
      assert.ok(seen.has(kind), kind);
  });

  const broken: readonly (readonly [string, () => Promise<Partial<ClientOptions>>, string])[] = [
    ['a name that is not resolved', async () => ({ transport: 'direct' }), 'unreachable/dns'],
    [
      'a port that refuses connections',
      async () => ({ baseUrl: `http://127.0.0.1:${await findClosedPort()}` }),
      'unreachable/refused',
    ],
    [
      'silence',
      async () => ({ ...local(() => {}), timeouts: { firstByte: 50 } }),
      'unreachable/first-byte-timeout',
    ],
    [
      'a reply that is cut off',
      async () =>
        local(async (connection) => {
          await connection.beginStream();
          await connection.write(createChunk(`You sent ${canary.slice(0, 7)}`));
          await connection.write(createChunk(canary.slice(7, 13)));
          await connection.write(createChunk(canary.slice(13)));
          connection.reset();
        }),
      'server/cut',
    ],
    [
      'a reply that is not JSON',
      async () => local((connection) => connection.respond(200, echoHeaders, `{${echo}`)),
      'malformed-reply',
    ],
    [
      'a web page',
      async () => local((connection) => connection.respond(200, echoHeaders, `<!doctype html><p>${echo}`)),
      'unreachable/not-a-gateway',
    ],
    [
      'a credential that cannot be sent',
      async () => ({ ...local(() => {}), credential: async () => `${canary} ${canary}` }),
      'authentication',
    ],
    [
      'a credential store that fails',
      async () => ({ ...local(() => {}), credential: () => Promise.reject(new Error('locked')) }),
      'authentication',
    ],
    [
      'an address that contains it',
      async () => ({ baseUrl: `https://jo:${canary}@gateway.example/?key=${canary}` }),
      'unreachable/unusable-address',
    ],
  ];
  for (const [title, options, failure] of broken) {
    it(`does not appear after ${title}`, async () => {
      const found = await sweep(await options(), sendChat);
      assert.ok(
        found.some((each) => each.startsWith(failure)),
        `${found}`,
      );
    });
  }
});
