import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { AnswerChecker } from '../../src/conversations/answerCheck/answerChecker.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatSession } from '../../src/host/chat/chatSession.ts';
import type { ContextTools } from '../../src/host/chat/context/contextTools.ts';
import type { ReplyTools } from '../../src/host/chat/replies/replyTools.ts';
import { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import type { ChatPatch, ToChatPage } from '../../src/protocol/chatPage.ts';
import { extensionServices, useGateway } from '../support/extensionServices.ts';
import { PlayedPanel } from '../support/playedPanel.ts';
import { type ScriptedGateway, startScriptedGateway, textChunk } from '../support/scriptedGateway.ts';

/** All kinds of messages to the page of a chat: what it shows is in `state`. */
const kinds: Readonly<Record<ToChatPage['type'], true>> = {
  ...{ state: true, delta: true, unsent: true, perform: true, reveal: true },
  // What a page asked for.
  ...{ parameters: true, request: true, picture: true, files: true, completions: true },
};

describe('the page of a chat is sent', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let session: ChatSession;
  let reply: (response: ServerResponse) => void;

  before(async () => {
    services = await extensionServices();
  });

  beforeEach(async () => {
    reply = (response) => response.end(textChunk('Two') + textChunk(' words', 'stop'));
    gateway = await startScriptedGateway(['played/model'], (response) => {
      response.setHeader('content-type', 'text/event-stream');
      reply(response);
    });
    await useGateway(services, 'state', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    ({ session } = await services.chats.open({ model: 'played/model' }));
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await services.gateways.remove('state');
    await gateway.close();
  });

  it('few kinds of messages', () => {
    assert.ok(Object.keys(kinds).length <= 12);
  });

  it('for a reply of two words its beginning, its text and its end, and nothing that did not change', async () => {
    const page = await readyPage();
    await session.ask('Say two words.');
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

  it('the same on two pages of one chat, each what it does not show yet', async () => {
    const first = await readyPage();
    await session.ask('One?');
    await immediate();
    const second = await readyPage();
    await session.ask('Two?');
    await immediate();
    assert.deepEqual(second.shownTurns(), ['One?', 'Two?']);
    assert.deepEqual(first.shownTurns(), second.shownTurns());
    assert.deepEqual([first.repeats(), second.repeats()], [[], []]);
  });

  it('everything once it is shown again, and what changed meanwhile not twice', async () => {
    const page = await readyPage();
    page.panel.show(false);
    await session.ask('While it was hidden?');
    await immediate();
    assert.equal(page.messages.length, 1);
    page.panel.show(true);
    page.panel.say({ type: 'ready' });
    await immediate();
    assert.deepEqual(
      page.messages.map(({ type }) => type),
      ['state', 'state'],
    );
    assert.deepEqual(page.shownTurns(), ['While it was hidden?']);
  });

  it('what changes together in one message, and before what is to be done with it', async () => {
    const page = await readyPage();
    session.target.compare(['played/model', 'played/other']);
    session.target.parameters.reset('played/model');
    session.unsent.giveBack({ text: 'Not sent', images: [] });
    await immediate();
    assert.deepEqual(
      page.messages.map(({ type }) => type),
      ['state', 'state', 'unsent'],
    );
    const [patch = {}] = page.posted;
    assert.deepEqual(Object.keys(patch).sort(), ['parameters', 'target']);
    assert.deepEqual(patch.target?.compared, ['played/model', 'played/other']);
  });

  it('deltas that continue the text of a state that it asked for meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    reply = resolve;
    const page = await readyPage();
    const asked = session.ask('Say two words.');
    const response = await promise;
    response.write(textChunk('Two'));
    while (!session.conversation.last?.replies[0]?.parts.length) await immediate();
    page.panel.say({ type: 'ready' });
    response.end(textChunk(' words', 'stop'));
    await asked;
    await immediate();
    assert.equal(page.textBeforeEnd(), 'Two words');
  });

  /** A page of the chat that receives the state. */
  async function readyPage() {
    const panel = new PlayedPanel<ToChatPage>();
    const { log, chats } = services;
    const frame = { panel: panel.asPanel, element: 'mg-chat', dist: vscode.Uri.file('/dist'), log } as const;
    const tabs = { open: (fork: ChatSession) => chats.open({ session: fork }), closed: () => undefined };
    new ChatPanel(frame, session, tabs, {
      replies: { wrapsCode: false } as ReplyTools,
      completions: [],
      promptMemory: services.prompts.memory,
      context: {} as ContextTools,
      answerChecker: new AnswerChecker(''),
    });
    panel.say({ type: 'ready' });
    await panel.told(1);
    const messages = panel.posted;
    return {
      ...{ panel, messages },
      get posted(): readonly ChatPatch[] {
        return messages.flatMap((message) =>
          message.type === 'state' && message.isPatch ? [message.state] : [],
        );
      },
      /** The fields that were sent with the value that the page had. */
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
      /** The reply of the last turn, as its deltas brought it. */
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
