import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import { replyText } from '../../src/conversations/conversation/reply.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { openChat } from '../../src/host/chat/tab/openChat.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, useGateway } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

describe('a chat in VS Code', () => {
  let services: Services;

  before(async () => {
    services = await getServices();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  describe('with the demo', () => {
    before(async () => {
      await vscode.commands.executeCommand('modelGateway.tryDemo');
    });

    after(() => services.localGateway.stop());

    it('lists its models, marked as a demo', () => {
      const { phase, models } = services.connection.state;
      assert.equal(phase, 'ready');
      const chat = models.find((model) => model.id === 'demo/chat');
      assert.match(chat?.owner ?? '', /demo/);
    });

    it('streams a reply into a chat, with its usage and timing', async () => {
      const chat = await services.chats.open({ model: 'demo/chat' });
      await chat.session.send('Which sea is north of Poland?');
      const turn = chat.session.conversation.lastTurn;
      assert.equal(turn?.result?.outcome.kind, 'complete');
      assert.match(readLastText(chat), /Which sea is north of Poland\?/);
      assert.ok(turn.result.usage?.outputTokens, 'tokens are counted');
      assert.ok(turn.result.firstTokenMs !== undefined && turn.result.firstTokenMs <= turn.result.totalMs);
    });

    it('does not mix several chats', async () => {
      const first = await services.chats.open({ model: 'demo/chat' });
      const sending = first.session.send('Tell me about apples.');
      const second = await services.chats.open({ model: 'demo/chat' });
      assert.notEqual(first, second);
      await Promise.all([sending, second.session.send('Tell me about pears.')]);
      assert.match(readLastText(first), /apples/);
      assert.doesNotMatch(readLastText(first), /pears/);
      assert.match(readLastText(second), /pears/);
    });

    it('copies the last reply by command', async () => {
      const chat = await services.chats.open({ model: 'demo/chat' });
      await chat.session.send('Say something.');
      await vscode.commands.executeCommand('modelGateway.chat.copyReply');
      assert.equal(await vscode.env.clipboard.readText(), readLastText(chat));
    });
  });

  describe('with a gateway of the user', () => {
    let gateway: ScriptedGateway;
    let replying: Promise<ServerResponse>;

    beforeEach(async () => {
      const { promise, resolve } = Promise.withResolvers<ServerResponse>();
      replying = promise;
      gateway = await startScriptedGateway(['provider/model'], (response) => {
        response.setHeader('content-type', 'text/event-stream');
        resolve(response);
      });
      await useGateway(services, 'scripted', gateway.baseUrl, 'test-credential');
    });

    afterEach(async () => {
      await gateway.close();
    });

    it('sends the credential to this gateway with every request', async () => {
      await services.connection.refresh();
      // The list may have been read before, when the window switched to the gateway.
      assert.ok(gateway.requests.length > 0);
      for (const { path, authorization } of gateway.requests)
        assert.deepEqual([path, authorization], ['/v1/models', 'Bearer test-credential']);
    });

    it('F62 closes the socket when a reply is stopped half-way, and keeps the text', async () => {
      const chat = await services.chats.open({ model: 'provider/model' });
      const sending = chat.session.send('?');
      const response = await replying;
      response.write(createTextChunk('Half a reply'));
      await waitForText(chat, 'Half a reply');
      const closed = once(response, 'close');
      chat.session.stop();
      await closed;
      await sending;
      assert.equal(chat.session.conversation.lastTurn?.result?.outcome.kind, 'cancelled');
      assert.equal(readLastText(chat), 'Half a reply');
    });

    it('F47 marks a stream without its end mark as cut off, and keeps its text', async () => {
      const chat = await services.chats.open({ model: 'provider/model' });
      const sending = chat.session.send('?');
      const response = await replying;
      response.end(createTextChunk('Half a'));
      await sending;
      assert.equal(chat.session.conversation.lastTurn?.result?.outcome.kind, 'interrupted');
      assert.equal(readLastText(chat), 'Half a');
    });

    it('reports an unreachable gateway, and retries successfully once it is back', async () => {
      await gateway.close();
      const chat = await services.chats.open({ model: 'provider/model' });
      await chat.session.send('?');
      const outcome = chat.session.conversation.lastTurn?.result?.outcome;
      assert.ok(outcome?.kind === 'failed');
      assert.equal(outcome.error.kind, 'unreachable');
      assert.equal(outcome.error.reason, 'refused');
      gateway = await startScriptedGateway([], (response) => response.end(createTextChunk('Back', 'stop')));
      await useGateway(services, 'scripted', gateway.baseUrl, 'test-credential');
      chat.session.target.moveTo({ kind: 'gateway', name: 'scripted', baseUrl: gateway.baseUrl });
      await chat.session.resend();
      assert.equal(readLastText(chat), 'Back');
    });

    it('continues a reply when its tab is closed, shows a notice, and does not send the queued question', async () => {
      const chat = await services.chats.open({ model: 'provider/model' });
      const { session } = chat;
      const sending = session.send('?');
      const response = await replying;
      response.write(createTextChunk('Half'));
      await waitForText(chat, 'Half');
      await session.send('And then?');
      const before = gateway.requests.length;
      const [dialog] = await answerDialogs(undefined, async () => chat.panel.dispose());
      assert.match(dialog?.message ?? '', /continues in the background/);
      assert.deepEqual(dialog?.buttons, ['Open', 'Stop']);
      response.end(createTextChunk(' and half', 'stop'));
      await sending;
      assert.equal(session.conversation.lastTurn?.result?.outcome.kind, 'complete');
      assert.equal(readLastText(chat), 'Half and half');
      assert.equal(gateway.requests.length, before);
      const reopened = await openChat(services, session.id);
      assert.equal(reopened?.session, session);
      assert.equal(session.unsent.text, 'And then?');
    });

    for (const button of ['Open', 'Stop']) {
      it(`F62 offers in the notice to open or stop a reply whose tab is closed: ${button}`, async () => {
        const chat = await services.chats.open({ model: 'provider/model' });
        const { session } = chat;
        const sending = session.send('?');
        const response = await replying;
        response.write(createTextChunk('Half'));
        await waitForText(chat, 'Half');
        const closed = once(response, 'close');
        await answerDialogs(button, async () => chat.panel.dispose());
        if (button === 'Open') {
          while (services.chats.lastActive?.session !== session) await new Promise(setImmediate);
          session.stop();
        }
        await Promise.all([closed, sending]);
        assert.equal(readLastText(chat), 'Half');
      });
    }

    it('F62 can still stop a reply whose tab was closed, after the chat is reopened', async () => {
      const chat = await services.chats.open({ model: 'provider/model' });
      const sending = chat.session.send('?');
      const response = await replying;
      response.write(createTextChunk('Half'));
      await waitForText(chat, 'Half');
      const closed = once(response, 'close');
      chat.panel.dispose();
      (await openChat(services, chat.session.id))?.session.stop();
      await Promise.all([closed, sending]);
      assert.equal(readLastText(chat), 'Half');
    });
  });
});

function readLastText({ session }: ChatPanel): string {
  const reply = session.conversation.lastTurn?.replies[0];
  return reply ? replyText(reply) : '';
}

async function waitForText(chat: ChatPanel, text: string): Promise<void> {
  while (readLastText(chat) !== text) await new Promise((resolve) => setImmediate(resolve));
}
