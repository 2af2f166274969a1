import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ChatResult, OnEvents } from '../../src/client/types.ts';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import type { FaultConnection, ReceivedRequest } from '../support/faultServer.ts';
import { chatRequest, joinTexts, readError, withFaultServer } from '../support/faultServerCalls.ts';

const ignore = () => {};
const request = { ...chatRequest, stream: false };
const candidate = { content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP' };
const choice = { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
const message = { type: 'message', content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn' };
const output = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] };

/** Every call with a reply in one piece, and the reply. */
const calls: readonly {
  readonly name: string;
  readonly send: (client: GatewayClient, onEvents: OnEvents) => Promise<ChatResult>;
  readonly reply: object;
}[] = [
  { name: 'a chat', send: (client, on) => client.chatCompletions(request, on), reply: { choices: [choice] } },
  {
    name: 'content generation',
    send: (client, on) => client.generateContent('m', { contents: [{ parts: [{ text: 'Hi' }] }] }, on),
    reply: { candidates: [candidate] },
  },
  {
    name: 'messages',
    send: (client, on) => client.messages({ ...request, max_tokens: 10 }, on),
    reply: { id: 'm', role: 'assistant', ...message },
  },
  {
    name: 'responses',
    send: (client, on) => client.responses({ model: 'm', input: 'Hi' }, on),
    reply: { id: 'r', object: 'response', status: 'completed', output: [output] },
  },
];

const isStreamed = ({ body }: ReceivedRequest) => JSON.parse(body).stream === true;

for (const transport of ['direct', 'host'] as const) {
  describe(`a whole reply, ${transport} transport`, () => {
    for (const { name, send, reply } of calls) {
      for (const headersFirst of [false, true]) {
        const mode = headersFirst ? 'after early headers' : 'including its headers';
        it(`may take longer than a stream for ${name}, ${mode}`, async () => {
          const streamGivenUp = Promise.withResolvers<void>();
          const json = JSON.stringify(reply);
          const play = async (connection: FaultConnection, request: ReceivedRequest) => {
            if (isStreamed(request)) return;
            const head = { 'content-type': 'application/json', 'content-length': String(json.length) };
            if (headersFirst) await connection.writeHead(200, head);
            await streamGivenUp.promise;
            if (headersFirst) await connection.write(json);
            else await connection.respond(200, head, json);
          };
          await withFaultServer(
            play,
            async ({ client }) => {
              const events: ChatEvent[] = [];
              const call = send(client, (batch) => events.push(...batch));
              const { outcome } = await client.chatCompletions(chatRequest, ignore);
              assert.equal(readError(outcome).reason, 'first-byte-timeout');
              streamGivenUp.resolve();
              assert.deepEqual([(await call).outcome, joinTexts(events)], [{ kind: 'complete' }, 'Hello']);
            },
            { transport, timeouts: { firstByte: 80, idle: 80, noData: 80 } },
          );
        });
      }
    }

    it('has its own timeout, which the error message names', async () => {
      await withFaultServer(
        ignore,
        async ({ client }) => {
          for (const { send } of calls) {
            const error = readError((await send(client, ignore)).outcome);
            assert.deepEqual([error.reason, error.wasSent], ['first-byte-timeout', true]);
            assert.match(error.message, /within 70 ms/);
          }
        },
        { transport, timeouts: { wholeReply: 70 } },
      );
    });

    it('has the timeout that the call sets', async () => {
      await withFaultServer(
        ignore,
        async ({ client }) => {
          const { outcome } = await client.chatCompletions(request, ignore, { timeouts: { firstByte: 60 } });
          assert.match(readError(outcome).message, /within 60 ms/);
        },
        { transport },
      );
    });
  });
}
