import assert from 'node:assert/strict';
import { setImmediate as oneTurn } from 'node:timers/promises';
import type { Timeouts } from '../../src/client/types.ts';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import type { FailureReason } from '../../src/wire/failures/gatewayError.ts';
import type { FaultConnection } from '../support/faultServer.ts';
import {
  chatRequest,
  createChunk,
  joinTexts,
  readError,
  streamChat,
  testCredential,
  withFaultServer,
} from '../support/faultServerCalls.ts';

const done = 'data: [DONE]\n\n';
const completeStream = `${createChunk('Hello')}${createChunk(' there', 'stop')}${done}`;

/** A promise that a test resolves. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

for (const transport of ['direct', 'host'] as const) {
  describe(`a streamed chat, ${transport} transport`, () => {
    it('arrives event by event, with its usage and timing at the end', async () => {
      const more = createGate();
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(createChunk('Hello'));
          await more.opened;
          await connection.write(createChunk(' there', 'stop'));
          await connection.write(
            'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n',
          );
          await connection.write(done);
        },
        async ({ client, server, exchanges }) => {
          const texts: string[] = [];
          const result = await client.chatCompletions(
            chatRequest,
            (events) => {
              texts.push(joinTexts(events));
              more.open();
            },
            { requestId: 'chat-1' },
          );
          assert.equal(texts.join(''), 'Hello there');
          assert.equal(texts[0], 'Hello');
          assert.deepEqual(result.outcome, { kind: 'complete' });
          assert.deepEqual(
            [result.model, result.finishReason, result.requestId],
            ['model-a', 'stop', 'chat-1'],
          );
          assert.deepEqual(result.usage, { inputTokens: 3, outputTokens: 2 });
          assert.ok(result.firstTokenMs !== undefined && result.firstTokenMs <= result.totalMs);
          assert.deepEqual(JSON.parse(server.requests[0]?.body ?? ''), chatRequest);
          assert.equal(server.requests[0]?.headers['x-request-id'], 'chat-1');
          assert.equal(exchanges[0]?.requestId, 'chat-1');
          assert.equal(exchanges[0]?.failure, undefined);
          assert.ok((exchanges[0]?.bytesReceived ?? 0) > 0);
        },
        { transport },
      );
    });

    it('F47 keeps its text and is interrupted when it ends cleanly without an end mark', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(createChunk('Half'));
          connection.end();
        },
        async ({ client }) => {
          const { outcome, text } = await streamChat(client);
          assert.equal(text, 'Half');
          assert.equal(outcome.kind, 'interrupted');
          assert.deepEqual([readError(outcome).kind, readError(outcome).reason], ['server', 'cut']);
        },
        { transport },
      );
    });

    it('F25 keeps its text and is interrupted when the connection breaks in the middle', async () => {
      const eventReceived = createGate();
      await withFaultServer(
        async (connection) => {
          await connection.writeHead(200, { 'content-length': '1000' });
          await connection.write(createChunk('Half'));
          await eventReceived.opened;
          connection.reset();
        },
        async ({ client }) => {
          const texts: string[] = [];
          const { outcome } = await client.chatCompletions(chatRequest, (events) => {
            texts.push(joinTexts(events));
            eventReceived.open();
          });
          assert.deepEqual(texts, ['Half']);
          assert.equal(outcome.kind, 'interrupted');
          assert.deepEqual([readError(outcome).kind, readError(outcome).reason], ['unreachable', 'reset']);
        },
        { transport },
      );
    });

    it('F49 F50 is complete despite a reset after the end mark, or after every choice has finished', async () => {
      for (const last of [`${createChunk('', 'stop')}${done}`, createChunk('', 'stop')]) {
        const eventReceived = createGate();
        await withFaultServer(
          async (connection) => {
            await connection.beginStream();
            await connection.write(createChunk('All') + last);
            await eventReceived.opened;
            connection.reset();
          },
          async ({ client }) => {
            const { outcome } = await client.chatCompletions(chatRequest, () => eventReceived.open());
            assert.deepEqual(outcome, { kind: 'complete' });
          },
          { transport },
        );
      }
    });

    it('ends at its end mark, even when the gateway never closes the connection', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(completeStream);
          await connection.closed;
        },
        async ({ client }) => assert.deepEqual((await streamChat(client)).outcome, { kind: 'complete' }),
        { transport },
      );
    });

    const cases: readonly (readonly [Partial<Timeouts>, FailureReason, RegExp])[] = [
      [{ idle: 60 }, 'idle-timeout', /sent nothing for 60 ms/],
      [{ total: 300 }, 'total-timeout', /not finished within 300 ms/],
    ];
    for (const [timeouts, reason, words] of cases) {
      it(`F17 ends with ${reason} after silence, and the error message names the limit`, async () => {
        await withFaultServer(
          async (connection) => {
            await connection.beginStream();
            await connection.write(createChunk('Half'));
          },
          async ({ client }) => {
            const { outcome, text } = await streamChat(client, { timeouts });
            assert.equal(text, 'Half');
            assert.equal(outcome.kind, 'interrupted');
            assert.equal(readError(outcome).reason, reason);
            assert.match(readError(outcome).message, words);
          },
          { transport },
        );
      });
    }

    it('F18 is kept alive by comments past the idle timeout, but not past the no-data timeout', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(createChunk('Half'));
          await commentUntilClosed(connection);
        },
        async ({ client }) => {
          const { outcome } = await streamChat(client, { timeouts: { idle: 150, noData: 400 } });
          assert.equal(readError(outcome).reason, 'no-data-timeout');
        },
        { transport },
      );
    });

    it('F62 closes the socket and is cancelled once when stopped half-way', async () => {
      const closed = createGate();
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(createChunk('Half'));
          await connection.closed;
          closed.open();
        },
        async ({ client, exchanges }) => {
          const abort = new AbortController();
          const texts: string[] = [];
          const { outcome } = await client.chatCompletions(
            chatRequest,
            (events) => {
              texts.push(joinTexts(events));
              abort.abort();
              abort.abort();
            },
            { signal: abort.signal },
          );
          await closed.opened;
          assert.deepEqual(outcome, { kind: 'cancelled' });
          assert.deepEqual(texts, ['Half']);
          assert.equal(exchanges.length, 1);
        },
        { transport },
      );
    });

    it('F62 T21 has all its text when stopped at text that may be the start of a repeated credential', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(createChunk(`You sent ${testCredential.slice(0, 12)}`));
          await connection.write(createChunk(`${testCredential.slice(12)}. Half of a test`));
          await connection.closed;
        },
        async ({ client }) => {
          const abort = new AbortController();
          let text = '';
          const { outcome } = await client.chatCompletions(
            chatRequest,
            (events) => {
              text += joinTexts(events);
              if (text.includes('Half')) abort.abort();
            },
            { signal: abort.signal },
          );
          assert.deepEqual(outcome, { kind: 'cancelled' });
          assert.equal(text, 'You sent [redacted]. Half of a test');
        },
        { transport },
      );
    });

    it('F62 does not send anything more when stopped before it began, or before the reply', async () => {
      const requestReceived = createGate();
      await withFaultServer(
        () => requestReceived.open(),
        async ({ client, server }) => {
          const early = await streamChat(client, { signal: AbortSignal.abort() });
          assert.deepEqual(early.outcome, { kind: 'cancelled' });
          assert.equal(server.connections, 0);
          const abort = new AbortController();
          const call = streamChat(client, { signal: abort.signal });
          await requestReceived.opened;
          abort.abort();
          assert.deepEqual((await call).outcome, { kind: 'cancelled' });
          assert.equal(server.requests.length, 1);
        },
        { transport },
      );
    });

    it('F54 fails when an event exceeds 8 MiB without an end, and closes the connection', async () => {
      const closed = createGate();
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(`${createChunk('Half')}data: `);
          for (let piece = 0; piece < 10; piece++) {
            await connection.write('x'.repeat(1 << 20));
          }
          await connection.closed;
          closed.open();
        },
        async ({ client }) => {
          const { outcome, text } = await streamChat(client);
          assert.deepEqual([outcome.kind, readError(outcome).reason, text], ['failed', 'too-large', 'Half']);
          await closed.opened;
        },
        { transport },
      );
    });

    it('delivers an event of just below 8 MiB like any other', async () => {
      const size = (8 << 20) - 1024;
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(`${createChunk('x'.repeat(size))}${done}`);
        },
        async ({ client }) => assert.equal((await streamChat(client)).text.length, size),
        { transport },
      );
    });

    it('sends a prompt of 2 MB and a model id with any characters unchanged', async () => {
      const request = {
        model: 'maker/模型 1 "é"',
        messages: [{ role: 'user' as const, content: 'é'.repeat(1 << 20) }],
      };
      await withFaultServer(
        (connection) =>
          connection.respond(200, {}, '{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}'),
        async ({ client, server }) => {
          const { outcome } = await client.chatCompletions(request, () => {});
          assert.equal(outcome.kind, 'complete');
          assert.deepEqual(JSON.parse(server.requests[0]?.body ?? ''), request);
        },
        { transport },
      );
    });

    it('does not mix its text with that of other chats at the same time', async () => {
      const numbers = Array.from({ length: 20 }, (_, at) => at);
      const all = createGate();
      let requestCount = 0;
      await withFaultServer(
        async (connection, { body }) => {
          if (++requestCount === numbers.length) all.open();
          await all.opened;
          const { model } = JSON.parse(body);
          await connection.beginStream();
          for (const piece of ['a', 'b', 'c']) await connection.write(createChunk(model + piece));
          await connection.write(done);
        },
        async ({ client }) => {
          const texts = await Promise.all(
            numbers.map(async (number) => {
              const events: ChatEvent[] = [];
              await client.chatCompletions({ ...chatRequest, model: `${number}` }, (batch) =>
                events.push(...batch),
              );
              return joinTexts(events);
            }),
          );
          assert.deepEqual(
            texts,
            numbers.map((number) => `${number}a${number}b${number}c`),
          );
        },
        { transport },
      );
    });

    it('reuses its connection after a stream was read to its end', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.writeHead(200, { 'transfer-encoding': 'chunked' });
          await connection.write(`${completeStream.length.toString(16)}\r\n${completeStream}\r\n0\r\n\r\n`);
        },
        async ({ client, server }) => {
          for (let call = 0; call < 3; call++) {
            assert.equal((await streamChat(client)).outcome.kind, 'complete');
            await oneTurn();
          }
          assert.equal(server.requests.length, 3);
          assert.equal(server.connections, 1);
        },
        { transport },
      );
    });

    it('F108 rejects and closes the socket when the listener throws', async () => {
      const closed = createGate();
      await withFaultServer(
        async (connection) => {
          await connection.beginStream();
          await connection.write(createChunk('Half'));
          await connection.closed;
          closed.open();
        },
        async ({ client }) => {
          const listenerError = new Error('listener');
          const call = client.chatCompletions(chatRequest, () => {
            throw listenerError;
          });
          await assert.rejects(call, listenerError);
          await closed.opened;
        },
        { transport },
      );
    });
  });
}

async function commentUntilClosed(connection: FaultConnection): Promise<void> {
  const ticks = setInterval(() => void connection.write(': ping\n\n'), 20);
  await connection.closed;
  clearInterval(ticks);
}
