import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createChatBody, getModels, joinChunkTexts, postChat } from '../support/chatCompletionsCalls.ts';
import { post } from '../support/formatCallers.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';

describe('the connections of the local gateway', function () {
  this.timeout(30_000);
  const open: { stop(): unknown }[] = [];
  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await opened.stop();
  });

  async function startForTest(start: Parameters<typeof startGateway>[0]): Promise<RunningGateway> {
    const gateway = await startGateway(start);
    open.push(gateway);
    return gateway;
  }

  /** Sockets that send no data, or only the start of a request. */
  async function openSockets(gateway: RunningGateway, count: number, first = ''): Promise<readonly Socket[]> {
    const { port } = new URL(gateway.baseUrl);
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
        socket.write(first);
        return socket.resume();
      }),
    );
    open.push({ stop: () => sockets.map((socket) => socket.destroy()) });
    return sockets;
  }

  const countOpen = (sockets: readonly Socket[]) => sockets.filter((socket) => !socket.closed).length;

  it('suffice for a hundred simultaneous chats next to 200 idle sockets, and all replies are whole', async () => {
    const gateway = await startForTest({});
    const idle = await openSockets(gateway, 200);
    const replies = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const body = createChatBody(`list ${i}`, { stream: true });
        return (await postChat(gateway, { body })).text();
      }),
    );
    for (const reply of replies) {
      assert.ok(reply.endsWith('data: [DONE]\n\n'));
      assert.notEqual(joinChunkTexts(reply), '');
    }
    assert.equal(countOpen(idle), 200);
  });

  it('are accepted from 70 simultaneous callers, and each gets 200 or 503', async () => {
    const gateway = await startForTest({ openFiles: 160 });
    const models = Array.from({ length: 70 }, async () => {
      const reply = await getModels(gateway);
      await reply.text();
      return reply.status;
    });
    for (const status of await Promise.all(models)) assert.ok(status === 200 || status === 503);
  });

  it('F112 are closed when idle, oldest first, so that the owner can still connect', async () => {
    const gateway = await startForTest({ openFiles: 160 });
    const silent = await openSockets(gateway, 60);
    const slow = await openSockets(gateway, 60, 'GET /v1/models HTTP/1.1\r\nHost: ');
    assert.equal((await getModels(gateway)).status, 200);
    const closing = [...silent, ...slow].filter((socket) => !socket.closed);
    await new Promise<void>((resolve) => {
      const look = () => countOpen([...silent, ...slow]) <= 21 && resolve();
      for (const socket of closing) socket.once('close', look);
      look();
    });
    assert.equal(countOpen(silent), 0);
    assert.equal((await getModels(gateway)).status, 200);
  });

  it('reply 503 with Retry-After when all are busy, or 424 to a task, and no stream is cut off', async () => {
    const waiting: ServerResponse[] = [];
    const arrived = Promise.withResolvers<void>();
    const upstream = await startUpstream((_request, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
      if (waiting.push(res) === 21) arrived.resolve();
    });
    open.push({ stop: () => upstream.close() });
    const upstreams = [{ name: 'one', kind: 'openai-compatible', baseUrl: upstream.baseUrl, models: ['m'] }];
    const gateway = await startForTest({ config: { upstreams }, openFiles: 160 });
    const chat = () => postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });

    const held = Array.from({ length: 21 }, chat);
    await arrived.promise;
    const more = await Promise.all(Array.from({ length: 40 }, chat));
    for (const reply of more) {
      assert.equal(reply.status, 503);
      assert.equal(reply.headers.get('retry-after'), '1');
      assert.match(await reply.text(), /"code":"too_many_requests"/);
    }
    const path = '/v1beta/interactions';
    const task = await post(gateway, { path, body: { model: 'demo/video', input: 'A cat' } });
    assert.equal(task.status, 424);
    assert.equal(task.headers.get('x-should-retry'), 'false');
    assert.match(await task.text(), /This request made nothing/);

    for (const res of waiting) res.end('data: [DONE]\n\n');
    for (const reply of await Promise.all(held)) {
      assert.equal(reply.status, 200);
      assert.equal(await reply.text(), 'data: {}\n\ndata: [DONE]\n\n');
    }
    assert.equal(upstream.requests.length, 21);
    assert.equal((await getModels(gateway)).status, 200);
  });
});
