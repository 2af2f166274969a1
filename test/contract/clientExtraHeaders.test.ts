import assert from 'node:assert/strict';
import type { ExtraHeader } from '../../src/client/types.ts';
import { createTinyClip, MemoryTarget, withDownloader } from '../support/downloadServers.ts';
import type { ConnectionScript } from '../support/faultServer.ts';
import { catchFailure, streamChat, withFaultServer } from '../support/faultServerCalls.ts';

const secret = 'canary-header-value-5566778899';
const headers: readonly ExtraHeader[] = [
  { name: 'X-Organization', value: 'blue team', isSecret: false },
  { name: 'X-Proxy-Token', value: secret, isSecret: true },
];
const extraHeaders = async () => headers;
const empty: ConnectionScript = (connection) => connection.respond(200, {}, '{"data":[]}');

describe('further headers of a gateway', () => {
  it('are sent with every request to it, and do not replace the headers of the client', async () => {
    await withFaultServer(
      empty,
      async ({ client, server }) => {
        await client.listModels();
        await streamChat(client);
        await client.readTask('task_1').catch(() => {});
        assert.ok(server.requests.length >= 3);
        for (const { headers: sent } of server.requests) {
          assert.equal(sent['x-organization'], 'blue team');
          assert.equal(sent['x-proxy-token'], secret);
          assert.match(String(sent.authorization), /^Bearer test-credential/);
          assert.equal(sent['user-agent'], 'model-gateway');
        }
      },
      { extraHeaders },
    );
  });

  it('P3 T21 with a secret value are hidden in errors, records and transcripts', async () => {
    const echo: ConnectionScript = (connection, { headers: sent }) =>
      connection.respond(
        400,
        { 'x-echo': String(sent['x-proxy-token']) },
        JSON.stringify({ error: { message: `Sent ${sent['x-proxy-token']}` } }),
      );
    await withFaultServer(
      echo,
      async ({ client, exchanges }) => {
        const { message, stack, body, gatewayMessage, gatewayRequestId } = await catchFailure(
          client.listModels(),
        );
        const [record] = exchanges;
        const { transcript, ...figures } = record ?? assert.fail();
        const shown = [
          message,
          stack,
          body,
          gatewayMessage,
          gatewayRequestId,
          figures,
          transcript?.requestHeaders,
        ];
        assert.doesNotMatch(JSON.stringify(shown), /5566778899/);
        assert.match(gatewayMessage ?? '', /^Sent \[redacted\]/);
        assert.equal(transcript?.requestHeaders['x-organization'], 'blue team');
        assert.equal(transcript?.requestHeaders['x-proxy-token'], '[redacted]');
        assert.doesNotMatch(transcript?.hideCredential(`x ${secret}`) ?? secret, /5566778899/);
      },
      { extraHeaders, recordsTranscripts: true },
    );
  });

  it('F104 are refused before connecting if HTTP or the client sets them, or if they have a line break', async () => {
    const refused: readonly (readonly [name: string, value: string, says: RegExp])[] = [
      [
        'Host',
        'other.example',
        /header Host of the gateway cannot be sent, because HTTP or the extension sets it/,
      ],
      ['content-length', '1', /header content-length .* remove it\.$/],
      ['Transfer-Encoding', 'chunked', /HTTP or the extension sets it/],
      ['X-Request-Id', 'x', /HTTP or the extension sets it/],
      ['Authorization', 'Basic x', /header Authorization of the gateway would replace the credential/],
      ['x-api-key', 'x', /would replace the credential/],
      ['X-A', `a\r\nx-injected: ${secret}`, /has characters that cannot be sent, such as a line break/],
      ['X-A', 'é', /has characters that cannot be sent/],
      ['X-A', '', /has characters that cannot be sent/],
      ['x a', 'b', /header x a of the gateway has characters/],
      ['x:\r\ny', 'b', /has characters that cannot be sent/],
    ];
    for (const [name, value, says] of refused) {
      await withFaultServer(
        empty,
        async ({ client, server }) => {
          const { kind, wasSent, message } = await catchFailure(client.listModels());
          assert.deepEqual([kind, wasSent, server.connections], ['invalid-parameters', false, 0]);
          assert.match(message, says);
          assert.doesNotMatch(message, /5566778899/);
        },
        { extraHeaders: async () => [{ name, value, isSecret: true }] },
      );
    }
  });

  it('may carry another kind of credential if the gateway has no credential', async () => {
    await withFaultServer(
      empty,
      async ({ client, server }) => {
        await client.listModels();
        assert.equal(server.requests[0]?.headers.authorization, 'Basic YTpi');
      },
      {
        credential: async () => undefined,
        extraHeaders: async () => [{ name: 'Authorization', value: 'Basic YTpi', isSecret: true }],
      },
    );
  });

  it('fail the request if they cannot be read', async () => {
    await withFaultServer(
      empty,
      async ({ client, server }) => {
        const { kind, message } = await catchFailure(client.listModels());
        assert.equal(kind, 'authentication');
        assert.match(message, /headers of the gateway could not be read from secret storage: set them again/);
        assert.equal(server.connections, 0);
      },
      { extraHeaders: () => Promise.reject(new Error(secret)) },
    );
  });

  it('P1 are not sent to another origin: after a redirect of a download, or for an address elsewhere', async () => {
    const clip = createTinyClip();
    const files: ConnectionScript = (connection) =>
      connection.respond(200, { 'content-type': 'video/mp4' }, clip);
    let location = '';
    const gateway: ConnectionScript = (connection) => connection.respond(302, { location });
    await withDownloader(
      { gateway, other: files, options: { extraHeaders } },
      async ({ gateway: server, other, at, downloader }) => {
        location = at('/file');
        await downloader.download(`${server.baseUrl}/a`, new MemoryTarget());
        await downloader.download(at('/file'), new MemoryTarget());
        assert.equal(server.requests[0]?.headers['x-proxy-token'], secret);
        assert.equal(other.requests.length, 2);
        for (const { headers: sent } of other.requests) {
          assert.equal(sent['x-proxy-token'], undefined);
          assert.equal(sent['x-organization'], undefined);
        }
        const leaking = await catchFailure(downloader.download(at(`/${secret}`), new MemoryTarget()));
        assert.equal(leaking.wasSent, false);
        assert.doesNotMatch(leaking.message, /5566778899/);
        assert.equal(other.requests.length, 2);
      },
    );
  });

  it('P1 are not sent again after a redirect of an API request, which is an error', async () => {
    await withFaultServer(empty, async ({ server: other }) => {
      await withFaultServer(
        (connection) => connection.respond(307, { location: `${other.baseUrl}/v1/models` }),
        async ({ client }) => {
          assert.equal((await catchFailure(client.listModels())).reason, 'redirect');
          assert.equal(other.connections, 0);
        },
        { extraHeaders },
      );
    });
  });
});
