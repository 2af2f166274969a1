import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { createChatBody, postChat } from '../support/chatCompletionsCalls.ts';
import type { RunningGateway } from '../support/gatewayProcess.ts';
import { createUpstreamConfig, setUpUpstreams } from '../support/testUpstreams.ts';

const request = { body: createChatBody('hi', { model: 'm' }) };

describe('a reply relayed by the local gateway', function () {
  this.timeout(30_000);
  const { startScriptedUpstream, startGatewayFor } = setUpUpstreams();

  const hashBytes = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  it('has exactly the bytes of the upstream, for any split', async () => {
    let pieces: readonly Uint8Array[] = [];
    let hasLength = false;
    const upstream = await startScriptedUpstream(async (_request, res) => {
      const size = pieces.reduce((total, { length }) => total + length, 0);
      if (hasLength) res.setHeader('content-length', size);
      res.writeHead(200, { 'content-type': 'application/octet-stream' });
      for (const piece of pieces) {
        if (!res.write(piece)) await once(res, 'drain');
        else await new Promise(setImmediate);
      }
      res.end();
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const some = fc.array(fc.uint8Array({ minLength: 1, maxLength: 90_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(some, fc.boolean(), async (sent, isLengthSent) => {
        pieces = sent;
        hasLength = isLengthSent;
        const reply = await postChat(gateway, request);
        assert.equal(hashBytes(await reply.bytes()), hashBytes(Buffer.concat(sent)));
      }),
      { numRuns: 40 },
    );
  });

  it('is cut for the caller when the upstream is killed half-way', async () => {
    const child = fork(fileURLToPath(new URL('../support/streamingChild.ts', import.meta.url)), {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    try {
      const [baseUrl] = child.stdout ? await once(child.stdout, 'data') : [];
      const gateway = await startGatewayFor([createUpstreamConfig('one', String(baseUrl).trim())]);
      const reader = (await postChat(gateway, request)).body?.getReader();
      assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'data: {"n":1}\n\n');
      child.kill('SIGKILL');
      await assert.rejects(async () => reader?.read());
    } finally {
      child.kill('SIGKILL');
    }
  });

  /** A caller whose process is killed: its socket is reset. */
  async function callThatIsKilled(gateway: RunningGateway): Promise<{ kill(): void }> {
    const { port, host } = new URL(gateway.baseUrl);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${gateway.credential}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(JSON.stringify(request.body))}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${JSON.stringify(request.body)}`);
    return { kill: () => socket.resetAndDestroy() };
  }

  it('has its upstream connection closed when the caller is killed', async () => {
    let arrived = Promise.withResolvers<ServerResponse>();
    let begins = false;
    const upstream = await startScriptedUpstream((_request, res) => {
      if (begins) res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
      arrived.resolve(res);
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    for (begins of [false, true]) {
      arrived = Promise.withResolvers();
      const call = await callThatIsKilled(gateway);
      const closed = once(await arrived.promise, 'close');
      call.kill();
      await closed;
    }
  });
});
