import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createGatewayClient } from '../../../src/client/gatewayClient.ts';
import type { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../src/conversations/conversation/reply.ts';
import { ConversationService } from '../../../src/conversations/conversationService.ts';
import { openConversationStore } from '../../../src/conversations/store/conversationStore.ts';
import { addExchange } from '../../support/conversationStores.ts';
import { testEveryCall } from '../../support/everyCall.ts';
import type { FailingCalls } from '../../support/failingCalls.ts';
import { createLocalWorker } from '../../support/localWorker.ts';

const settings = { model: 'chat-1', format: 'chatCompletions', parameters: {} } as const;
const words = Array.from({ length: 12 }, (_, nth) => `word ${nth} `);
const fullText = words.join('');

/** A gateway that streams a reply and counts the requests. */
class ReplyServer {
  requests = 0;
  readonly #server = createServer((request, response) => {
    request.on('error', () => undefined).resume();
    response.on('error', () => undefined);
    request.on('end', async () => {
      this.requests += 1;
      response.setHeader('content-type', 'text/event-stream');
      for (const [nth, content] of words.entries()) {
        // The window stores the first half before the rest arrives.
        if (nth === words.length / 2) await new Promise((resolve) => setTimeout(resolve, 2_000));
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
        await new Promise(setImmediate);
      }
      const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
      response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
    });
  });

  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, '127.0.0.1', resolve);
    await promise;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** What the window showed of the reply when the flow ended. */
interface Shown {
  text: string;
  isStored: boolean;
}

for (const hasWorker of [true, false]) {
  describe(`a chat ${hasWorker ? 'with' : 'without'} a worker that stores a question and its reply`, () => {
    const server = new ReplyServer();
    let shown: Shown | undefined;
    let problems = 0;
    before(() => server.start());
    after(() => server.stop());

    const fileIn = (folder: string) => join(folder, 'conversations.sqlite');

    function serviceOn(folder: string): ConversationService {
      const file = fileIn(folder);
      const worker = createLocalWorker(() => openConversationStore({ file, window: 'worker' }).database);
      return new ConversationService({
        file,
        ...(hasWorker && { worker }),
        onNotice: ({ type }) => {
          problems += type === 'read-only' ? 1 : 0;
        },
        onError: () => {
          problems += 1;
        },
      });
    }

    function prepare(folder: string): void {
      const store = openConversationStore({ file: fileIn(folder), window: 'earlier' });
      store.create({ id: 'chat' });
      addExchange(store, 'chat', 'earlier?', 'Earlier.');
      store.close();
      server.requests = 0;
      problems = 0;
      shown = undefined;
    }

    async function ask(folder: string, calls: FailingCalls): Promise<void> {
      const service = serviceOn(folder);
      const client = createGatewayClient({
        baseUrl: server.baseUrl,
        credential: async () => 'test-credential',
      });
      try {
        const { conversation, createSaver } = (await service.reopen('chat')) ?? assert.fail();
        const onProblem = () => {
          problems += 1;
        };
        const saver = createSaver({ readFacts: () => ({ gateway: 'demo', ...settings }), onProblem });
        const turn = conversation.addQuestion({ text: 'now?', images: [], ...settings });
        await saver.storeTurns([turn]);
        const request = {
          model: 'chat-1',
          stream: true,
          messages: [{ role: 'user', content: 'now?' }],
        };
        const result = await client.chatCompletions(request as never, (events) => {
          conversation.appendEvents(turn.id, events);
          saver.storeEvents(turn.id, events);
        });
        conversation.finish(turn.id, result);
        await saver.storeResult(turn.id, result);
        const text = textIn(conversation);
        assert.ok(saver.problem === undefined || problems > 0, 'the problem is reported');
        shown = { text, isStored: saver.problem === undefined };
        await calls.waitUntil(() => saver.problem === undefined);
        shown = { text, isStored: saver.problem === undefined };
      } finally {
        void client.close();
        await service.dispose();
      }
    }

    function textIn(conversation: Conversation): string {
      const [reply] = conversation.lastTurn?.replies ?? [];
      return reply ? replyText(reply) : '';
    }

    async function check(folder: string, failed: string | undefined): Promise<void> {
      assert.ok(server.requests <= 1, `${server.requests} requests were sent`);
      const service = serviceOn(folder);
      try {
        const store = await service.store();
        const { readOnly, setAside } = store.database;
        assert.deepEqual([readOnly, setAside], [undefined, undefined]);
        store.database.check();
        await store.stopAbandonedReplies(() => false);
        const { conversation } = (await service.reopen('chat')) ?? assert.fail('The chat is lost.');
        const [earlier, now, ...others] = conversation.turns;
        assert.deepEqual([earlier?.question.text, others.length], ['earlier?', 0]);
        assert.equal(replyText(earlier?.replies[0] ?? assert.fail()), 'Earlier.');
        const isQuestionSafe = shown?.isStored ?? problems === 0;
        if (server.requests > 0 && isQuestionSafe)
          assert.equal(now?.question.text, 'now?', 'the question is lost');
        const text = now?.replies[0] ? replyText(now.replies[0]) : '';
        assert.ok(fullText.startsWith(text), text);
        if (shown?.isStored) assert.equal(text, shown.text);
        if (failed === undefined) assert.equal(text, fullText);
      } finally {
        await service.dispose();
      }
    }

    testEveryCall({ prepare, flow: ask, check }, { atLeast: 450, always: /^get SELECT n FROM revision/ });
  });
}
