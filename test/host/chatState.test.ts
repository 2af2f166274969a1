import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { ReplyChecker } from '../../src/conversations/schemaCheck/replyChecker.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ContextMessages } from '../../src/host/chat/pageMessages/contextMessages.ts';
import type { ReplyActions } from '../../src/host/chat/replies/replyActions.ts';
import type { ChatSession } from '../../src/host/chat/session/chatSession.ts';
import { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import type { ChatPatch, ToChatPage } from '../../src/protocol/chatPage.ts';
import { getServices, useGateway } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';
import { TestPanel } from '../support/testPanel.ts';

describe('the page of a chat', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let session: ChatSession;
  let reply: (response: ServerResponse) => void;

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    reply = (response) => response.end(createTextChunk('Two') + createTextChunk(' words', 'stop'));
    gateway = await startScriptedGateway(['provider/model'], (response) => {
      response.setHeader('content-type', 'text/event-stream');
      reply(response);
    });
    await useGateway(services, 'state', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    ({ session } = await services.chats.open({ model: 'provider/model' }));
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await services.gateways.remove('state');
    await gateway.close();
  });

  it('receives the beginning, the text and the end of a short reply, without unchanged values', async () => {
    const page = await openReadyPage();
    await session.send('Say two words.');
    await immediate();
    const turns = page.posted.flatMap(({ changed: [turn] = [] }) => turn ?? []);
    assert.deepEqual(
      turns.map(({ state }) => state),
      ['waiting', 'done'],
    );
    assert.deepEqual(page.repeats(), []);
    const texts = page.messages.map((message) => (message.type === 'delta' ? message.text : message.type));
    assert.deepEqual(texts, ['state', 'state', 'Two words', 'state']);
  });

  it('receives the same state as a second page of the chat, without repeats', async () => {
    const first = await openReadyPage();
    await session.send('One?');
    await immediate();
    const second = await openReadyPage();
    await session.send('Two?');
    await immediate();
    assert.deepEqual(second.shownTurns(), ['One?', 'Two?']);
    assert.deepEqual(first.shownTurns(), second.shownTurns());
    assert.deepEqual([first.repeats(), second.repeats()], [[], []]);
  });

  it('receives each update only once after it is shown again', async () => {
    const page = await openReadyPage();
    page.panel.show(false);
    await session.send('While it was hidden?');
    await immediate();
    assert.equal(page.messages.length, 1);
    page.panel.show(true);
    page.panel.receive({ type: 'ready' });
    await immediate();
    assert.deepEqual(
      page.messages.map(({ type }) => type),
      ['state', 'state'],
    );
    assert.deepEqual(page.shownTurns(), ['While it was hidden?']);
  });

  it('receives simultaneous changes in one message, before an action to perform', async () => {
    const page = await openReadyPage();
    session.target.compare(['provider/model', 'provider/other']);
    session.target.parameters.reset('provider/model');
    session.unsent.putBack({ text: 'Not sent', images: [] });
    await immediate();
    assert.deepEqual(
      page.messages.map(({ type }) => type),
      ['state', 'state', 'unsent'],
    );
    const [patch = {}] = page.posted;
    assert.deepEqual(Object.keys(patch).sort(), ['parameters', 'target']);
    assert.deepEqual(patch.target?.compared, ['provider/model', 'provider/other']);
  });

  it('receives deltas that continue the text of a state requested meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    reply = resolve;
    const page = await openReadyPage();
    const sending = session.send('Say two words.');
    const response = await promise;
    response.write(createTextChunk('Two'));
    while (!session.conversation.lastTurn?.replies[0]?.parts.length) await immediate();
    page.panel.receive({ type: 'ready' });
    response.end(createTextChunk(' words', 'stop'));
    await sending;
    await immediate();
    assert.equal(page.textBeforeEnd(), 'Two words');
  });

  /** A page of the chat that receives the state. */
  async function openReadyPage() {
    const panel = new TestPanel<ToChatPage>();
    const { log, chats } = services;
    const frame = { panel: panel.asPanel, element: 'mg-chat', dist: vscode.Uri.file('/dist'), log } as const;
    const tabs = {
      open: (fork: ChatSession) => chats.open({ session: fork }),
      handleClosed: () => undefined,
    };
    new ChatPanel(frame, session, tabs, {
      replies: { wrapsCode: false } as ReplyActions,
      completions: [],
      promptMemory: services.prompts.memory,
      context: {} as ContextMessages,
      replyChecker: new ReplyChecker(''),
    });
    panel.receive({ type: 'ready' });
    await panel.waitForPosts(1);
    const messages = panel.posted;
    return {
      panel,
      messages,
      get posted(): readonly ChatPatch[] {
        return messages.flatMap((message) =>
          message.type === 'state' && message.isPatch ? [message.state] : [],
        );
      },
      /** The fields whose sent value is the one that the page already had. */
      repeats(): readonly string[] {
        let shown: Readonly<Record<string, unknown>> = {};
        const repeated: string[] = [];
        for (const message of messages) {
          if (message.type !== 'state') continue;
          const { state } = message;
          const same = Object.entries(state).filter(([name, value]) => isDeepStrictEqual(shown[name], value));
          repeated.push(...same.map(([name]) => name));
          shown = message.isPatch ? { ...shown, ...state } : { ...state };
        }
        return repeated;
      },
      shownTurns(): readonly string[] {
        const turns = new Map<string, string>();
        for (const message of messages) {
          if (message.type !== 'state') continue;
          if (!message.isPatch) turns.clear();
          const { path, changed } = message.isPatch ? message.state : { ...message.state, changed: [] };
          for (const { id, question } of [...(path?.turns ?? []), ...(changed ?? [])])
            turns.set(id, question);
        }
        return [...turns.values()];
      },
      /** The reply of the last turn, assembled from its deltas. */
      textBeforeEnd(): string {
        let text = '';
        for (const message of messages) {
          if (message.type === 'delta') text += message.text;
          else if (message.type === 'state' && !message.isPatch)
            text = message.state.path.turns.at(-1)?.replies[0]?.text ?? '';
        }
        return text;
      },
    };
  }
});
