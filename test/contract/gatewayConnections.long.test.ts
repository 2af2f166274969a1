import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { ask, postChat } from '../support/chatCompletionsCalls.ts';
import { startGateway } from '../support/gatewayProcess.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';

const streams = 1_000;
const events = Array.from({ length: 20 }, (_, i) => `data: {"choices":[{"delta":{"content":"${i} "}}]}\n\n`);

describe('a thousand streams at once through the local gateway', function () {
  this.timeout(120_000);

  it('are all under way before the first ends, and all whole, beside sockets that send nothing', async () => {
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
      (await postChat(gateway, { body: ask('hi', { model: 'm' }) })).text(),
    );
    await all.promise;
    for (const event of events) {
      for (const res of waiting) res.write(event);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const res of waiting) res.end('data: [DONE]\n\n');
    const whole = `: begun\n\n${events.join('')}data: [DONE]\n\n`;
    for (const reply of await Promise.all(replies)) assert.equal(reply, whole);

    for (const socket of idle) socket.destroy();
    assert.equal(await gateway.stop(), 0);
    await upstream.close();
  });
});
