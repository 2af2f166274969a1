import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/services.ts';
import { extensionServices, useGateway } from '../support/extension.ts';
import { type PlayedGateway, playGateway, textChunk } from '../support/playedGateway.ts';

describe('a chat in VS Code', () => {
  let services: Services;

  before(async () => {
    services = await extensionServices();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  describe('with the demo gateway', () => {
    before(async () => {
      await vscode.commands.executeCommand('modelGateway.useDemoGateway');
    });

    after(() => services.localGateway.stop());

    it('lists its models, marked as a demo', () => {
      const { phase, models } = services.connection.state;
      assert.equal(phase, 'ready');
      const chat = models.find((model) => model.id === 'demo/chat');
      assert.match(chat?.owner ?? '', /demo/);
    });

    it('streams a reply into a chat, with its figures', async () => {
      const chat = services.chats.open('demo/chat');
      await chat.ask('Which sea is north of Poland?');
      const turn = chat.conversation.last;
      assert.equal(turn?.result?.outcome.kind, 'complete');
      assert.match(turn.text, /Which sea is north of Poland\?/);
      assert.ok(turn.result.usage?.outputTokens, 'tokens are counted');
      assert.ok(turn.result.firstTokenMs !== undefined && turn.result.firstTokenMs <= turn.result.totalMs);
    });

    it('keeps several chats apart', async () => {
      const first = services.chats.open('demo/chat');
      const asked = first.ask('Tell me about apples.');
      const second = services.chats.open('demo/chat');
      assert.notEqual(first, second);
      await Promise.all([asked, second.ask('Tell me about pears.')]);
      assert.match(first.conversation.last?.text ?? '', /apples/);
      assert.doesNotMatch(first.conversation.last?.text ?? '', /pears/);
      assert.match(second.conversation.last?.text ?? '', /pears/);
    });

    it('copies the last reply by command', async () => {
      const chat = services.chats.open('demo/chat');
      await chat.ask('Say something.');
      await vscode.commands.executeCommand('modelGateway.chat.copyReply');
      assert.equal(await vscode.env.clipboard.readText(), chat.conversation.last?.text);
    });
  });

  describe('with a gateway of the user’s own', () => {
    let gateway: PlayedGateway;
    let replying: Promise<ServerResponse>;

    beforeEach(async () => {
      const { promise, resolve } = Promise.withResolvers<ServerResponse>();
      replying = promise;
      gateway = await playGateway(['played/model'], (response) => {
        response.setHeader('content-type', 'text/event-stream');
        resolve(response);
      });
      await useGateway(services, 'played', gateway.baseUrl, 'test-credential');
    });

    afterEach(async () => {
      await gateway.close();
    });

    it('sends the credential to this gateway, once per request', async () => {
      await services.connection.refresh();
      assert.deepEqual(
        gateway.requests.map(({ path, authorization }) => ({ path, authorization })),
        [{ path: '/v1/models', authorization: 'Bearer test-credential' }],
      );
    });

    it('F62 stops half-way: the socket closes within 100 ms and the text is kept', async () => {
      const delays: number[] = [];
      for (let round = 0; round < 5; round++) delays.push(await stopOnce());
      const median = delays.toSorted((a, b) => a - b)[2] ?? Number.POSITIVE_INFINITY;
      assert.ok(
        median <= 100,
        `the gateway saw the socket close after ${delays.map(Math.round).join(', ')} ms`,
      );
    });

    it('F47 a stream without its end mark is cut off, not complete, and keeps its text', async () => {
      const chat = services.chats.open('played/model');
      const asked = chat.ask('?');
      const response = await replying;
      response.end(textChunk('Half a'));
      await asked;
      assert.equal(chat.conversation.last?.result?.outcome.kind, 'interrupted');
      assert.equal(chat.conversation.last?.text, 'Half a');
    });

    it('a gateway that went away is named unreachable, and asking again works once it is back', async () => {
      await gateway.close();
      const chat = services.chats.open('played/model');
      await chat.ask('?');
      const outcome = chat.conversation.last?.result?.outcome;
      assert.ok(outcome?.kind === 'failed');
      assert.equal(outcome.error.kind, 'unreachable');
      assert.equal(outcome.error.reason, 'refused');
      gateway = await playGateway([], (response) => response.end(textChunk('Back', 'stop')));
      await useGateway(services, 'played', gateway.baseUrl, 'test-credential');
      await chat.again();
      assert.equal(chat.conversation.last?.text, 'Back');
    });

    it('closing the tab ends the request', async () => {
      const chat = services.chats.open('played/model');
      const asked = chat.ask('?');
      const response = await replying;
      response.write(textChunk('Half'));
      const closed = once(response, 'close');
      chat.panel.dispose();
      await Promise.all([closed, asked]);
    });

    async function stopOnce(): Promise<number> {
      const { promise, resolve } = Promise.withResolvers<ServerResponse>();
      const endless = await playGateway(['played/model'], (response) => {
        response.setHeader('content-type', 'text/event-stream');
        response.write(textChunk('Half a reply'));
        resolve(response);
      });
      await useGateway(services, 'played', endless.baseUrl, 'test-credential');
      const chat = services.chats.open('played/model');
      chat.clear();
      const asked = chat.ask('?');
      const response = await promise;
      await textArrived(chat.conversation, 'Half a reply');
      const closed = once(response, 'close').then(() => performance.now());
      const stopped = performance.now();
      chat.stop();
      const delay = (await closed) - stopped;
      await asked;
      assert.equal(chat.conversation.last?.result?.outcome.kind, 'cancelled');
      assert.equal(chat.conversation.last?.text, 'Half a reply');
      await endless.close();
      return delay;
    }
  });
});

async function textArrived(
  conversation: { last: { text: string } | undefined },
  text: string,
): Promise<void> {
  while (conversation.last?.text !== text) await new Promise((resolve) => setImmediate(resolve));
}
