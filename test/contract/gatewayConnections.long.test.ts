import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createChatBody, postChat } from '../support/chatCompletionsCalls.ts';
import { startGateway } from '../support/gatewayProcess.ts';
import { canReadUse, countOpenSockets, readResidentMiB } from '../support/processUse.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';

const streams = 1_000;
const text = 'x'.repeat(100);
const events = Array.from({ length: 20 }, (_, i) => `data: {"choices":[{"delta":{"content":"${i} "}}]}\n\n`);

describe('a thousand simultaneous streams through the local gateway', function () {
  this.timeout(120_000);

  it('all begin before the first ends, and arrive whole next to 200 idle sockets', async () => {
    const waiting: ServerResponse[] = [];
    const all = Promise.withResolvers<void>();
    const upstream = await startUpstream((_request, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begun\n\n');
      if (waiting.push(res) === streams) all.resolve();
    });
    const upstreams = [{ name: 'one', kind: 'openai-compatible', baseUrl: upstream.baseUrl }];
    const gateway = await startGateway({ demo: false, config: { upstreams } });
    const { port } = new URL(gateway.baseUrl);
    const idle = Array.from({ length: 200 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));

    const replies = Array.from({ length: streams }, async () =>
      (await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) })).text(),
    );
    await all.promise;
    for (const event of events) {
      for (const res of waiting) res.write(event);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const res of waiting) res.end('data: [DONE]\n\n');
    const expected = `: begun\n\n${events.join('')}data: [DONE]\n\n`;
    for (const reply of await Promise.all(replies)) assert.equal(reply, expected);

    for (const socket of idle) socket.destroy();
    assert.equal(await gateway.stop(), 0);
    await upstream.close();
  });

  it('last a minute without a cut, and do not leave sockets open or memory in use', async function () {
    assert.ok(canReadUse, 'only Linux reports the memory and sockets of another process');
    this.timeout(400_000);
    let waiting: ServerResponse[] = [];
    let all = Promise.withResolvers<void>();
    const upstream = await startUpstream((_request, res) => {
      // Idle connections are closed after a second.
      const headers = { 'content-type': 'text/event-stream', 'keep-alive': 'timeout=2' };
      res.writeHead(200, headers).write(': begun\n\n');
      if (waiting.push(res) === streams) all.resolve();
    });
    const upstreams = [{ name: 'one', kind: 'openai-compatible', baseUrl: upstream.baseUrl }];
    const gateway = await startGateway({ demo: false, config: { upstreams } });
    const { pid } = gateway.process;
    const sockets = countOpenSockets(pid);

    /** A thousand streams with an event a second each. Resolves with the gateway's memory while all are open. */
    const stream = async (seconds: number) => {
      waiting = [];
      all = Promise.withResolvers();
      const replies = Array.from({ length: streams }, async () =>
        (await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) })).text(),
      );
      await all.promise;
      const sent = Array.from({ length: seconds }, (_, n) => `data: ${JSON.stringify({ n, text })}\n\n`);
      for (const event of sent) {
        for (const res of waiting) res.write(event);
        await pause(1_000);
      }
      const open = readResidentMiB(pid);
      for (const res of waiting) res.end('data: [DONE]\n\n');
      const expected = `: begun\n\n${sent.join('')}data: [DONE]\n\n`;
      for (const reply of await Promise.all(replies)) assert.equal(reply, expected);
      return open;
    };

    const peaks = [await stream(60)];
    while (countOpenSockets(pid) > sockets) await pause(200);
    for (let round = 0; round < 3; round++) peaks.push(await stream(5));
    while (countOpenSockets(pid) > sockets) await pause(200);
    const [minute = 0, ...later] = peaks;
    const figures = peaks.map(Math.round).join(', ');
    console.log(
      `      memory with ${streams} streams open: ${figures} MiB; after: ${Math.round(readResidentMiB(pid))} MiB`,
    );
    assert.ok(Math.max(...later) < minute * 1.5, figures);

    assert.equal(await gateway.stop(), 0);
    await upstream.close();
  });
});
