import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { writeShCurl } from '../../src/requests/formats/curl.ts';
import { readSentRequest, type SentRequest } from '../../src/requests/formats/sentRequest.ts';
import { createRequestRecord } from '../../src/requests/requestRecord.ts';
import type { ConnectionScript, FaultServer, ReceivedRequest } from '../support/faultServer.ts';
import { startFaultServer } from '../support/faultServer.ts';
import { streamChat, testCredential, withFaultServer } from '../support/faultServerCalls.ts';

const shells = ['sh', 'bash'] as const;

/** Runs a script as a user who pastes it does. */
async function run(shell: string, script: string): Promise<void> {
  const child = spawn(shell, ['-s'], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, MODEL_GATEWAY_CREDENTIAL: testCredential },
  });
  let errors = '';
  child.stderr.on('data', (bytes) => {
    errors += String(bytes);
  });
  child.stdin.end(`${script.replace('curl ', 'curl --silent --show-error --noproxy "*" ')}\n`);
  const [code] = await once(child, 'close');
  assert.equal(code, 0, errors);
}

/** Removes the headers that differ between clients: for the connection, and for the host. */
function dropConnectionHeaders({ method, path, headers, body }: ReceivedRequest): object {
  const { connection: _, host: __, 'content-length': length, ...others } = headers;
  return { method, path, body, length, headers: others };
}

const reply: ConnectionScript = async (connection) => {
  await connection.respond(200, { 'content-type': 'application/json' }, '{}');
};

describe('a request copied as a command', function () {
  this.timeout(60_000);
  let server: FaultServer;

  before(async () => {
    assert.equal(spawnSync('sh', ['-c', 'curl --version']).status, 0, 'sh and curl must be installed');
    server = await startFaultServer(reply);
  });
  after(() => server?.close());

  function createRequest(body: string): SentRequest {
    return {
      method: 'POST',
      url: `${server.baseUrl}/v1/chat/completions`,
      headers: [
        { name: 'content-type', value: 'application/json', takesCredential: false },
        { name: 'authorization', value: 'Bearer ', takesCredential: true },
      ],
      body,
    };
  }

  async function sendWithCommand(shell: string, request: SentRequest): Promise<ReceivedRequest> {
    await run(shell, writeShCurl(request));
    return server.requests.at(-1) ?? assert.fail('no request arrived');
  }

  const hostile = [
    `{"a":"it's \\"quoted\\" 'twice'"}`,
    '{"a":"$HOME `id` $(id) $PATH %PATH% !! ~ * ? [a] {b,c} #x \\\\ \\\\\\\\"}',
    '{"a":"line\\nbreak"}\n{"b":"a real\nbreak\r\nand\ttab"}\n\n',
    '{"a":"\\u0000 \\0 \\x00 %00 NUL-like"}',
    '{"a":"grüße 你好 🙂 \u2028 \u202e"}',
    '@/etc/passwd',
    '--data @/etc/passwd',
    '',
    "'",
    "''''",
    '\\',
    `{"large":"${"it's $HOME 你好 \\n ".repeat(20_000)}"}`,
  ];
  for (const shell of shells) {
    it(`sends the same bytes with ${shell} for any content`, async () => {
      for (const body of hostile) {
        const request = await sendWithCommand(shell, createRequest(body));
        assert.equal(request.body, body);
        assert.equal(request.headers.authorization, `Bearer ${testCredential}`);
        assert.equal(request.headers['content-length'], String(Buffer.byteLength(body)));
        assert.equal(request.headers.expect, undefined);
      }
    });
  }

  it('sends any text unchanged', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 }).filter((each) => !each.includes('\0'));
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        assert.equal(
          (await sendWithCommand('sh', createRequest(body.toWellFormed()))).body,
          body.toWellFormed(),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('sends the method, path, headers and body that the client sent', async () => {
    await withFaultServer(
      reply,
      async ({ server, client, exchanges }) => {
        await streamChat(client).catch(() => {});
        await client.cancelTask('task=1 [x]{y}').catch(() => {});
        await client.listTaskPage({ limit: '3' }).catch(() => {});
        const sent = [...server.requests];
        for (const [nth, exchange] of exchanges.entries()) {
          const { figures, content } = createRequestRecord(exchange, 'test');
          const request = readSentRequest({ figures, content: content() ?? assert.fail() });
          assert.ok(typeof request === 'object');
          await run('sh', writeShCurl(request));
          const again = server.requests.at(-1) ?? assert.fail();
          assert.deepEqual(dropConnectionHeaders(again), dropConnectionHeaders(sent[nth] ?? assert.fail()));
        }
        assert.equal(server.requests.length, 2 * sent.length);
      },
      { recordsTranscripts: true },
    );
  });

  it('P1 does not contain the credential', async () => {
    await withFaultServer(
      reply,
      async ({ client, exchanges }) => {
        await streamChat(client).catch(() => {});
        const { figures, content } = createRequestRecord(exchanges[0] ?? assert.fail(), 'test');
        const request = readSentRequest({ figures, content: content() ?? assert.fail() });
        assert.ok(typeof request === 'object');
        assert.ok(!writeShCurl(request).includes(testCredential));
      },
      { recordsTranscripts: true },
    );
  });
});
