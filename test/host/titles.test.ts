import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { answerDialogs, typeIntoInputs } from '../support/dialogs.ts';
import { getServices, unloadClosedChats, useGateway, waitForEvent } from '../support/extensionServices.ts';
import {
  createTextChunk,
  type ReceivedChat,
  type ScriptedGateway,
  startScriptedGateway,
} from '../support/scriptedGateway.ts';
import { TestQuickPick } from '../support/testQuickPick.ts';
import { createWaitingStore } from '../support/waitingStore.ts';

/** A request to the gateway, except for those for its list of models. */
interface SentRequest {
  readonly model: string;
  readonly text: string;
}

describe('titles of chats', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let sentRequests: SentRequest[];
  /** Replies to a request for a title. */
  let titleReply: (response: ServerResponse) => void;

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    sentRequests = [];
    titleReply = (response) => response.end(createTextChunk('"**Bread** for beginners."\n\nEnjoy!', 'stop'));
    gateway = await startScriptedGateway(['provider/model', 'small/model'], respond);
    await useGateway(services, 'titles', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  afterEach(async () => {
    await setModel(undefined);
    for (const key of services.memory.keys()) {
      if (key.startsWith('titleModel/')) await services.memory.update(key, undefined);
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    await services.gateways.remove('titles');
    await gateway.close();
  });

  function respond(response: ServerResponse, { body }: ReceivedChat): void {
    const { model, messages } = JSON.parse(body);
    sentRequests.push({ model, text: JSON.stringify(messages) });
    response.setHeader('content-type', 'text/event-stream');
    if (model === 'small/model') titleReply(response);
    else response.end(createTextChunk('Of flour.', 'stop'));
  }

  async function setModel(model: string | undefined): Promise<void> {
    const settings = vscode.workspace.getConfiguration('modelGateway');
    await settings.update('chats.titleModel', model, vscode.ConfigurationTarget.Global);
  }

  async function openChatWith(...questions: readonly string[]): Promise<ChatPanel> {
    const chat = await services.chats.open({ model: 'provider/model' });
    for (const question of questions) await chat.session.send(question);
    return chat;
  }

  async function waitForTitle(chat: ChatPanel): Promise<void> {
    await waitForEvent(chat.session.onDidChange, () => chat.session.title !== '');
  }

  it('are the same in tabs and in the list, from the first question even if an edited one is shown', async () => {
    const { session, panel } = await openChatWith('How is bread made?');
    await session.editQuestion(session.conversation.turns[0]?.id ?? '', 'How is cake made?');
    assert.equal(session.conversation.turns[0]?.question.text, 'How is cake made?');
    assert.equal(panel.title, 'How is bread made?');
    const store = createWaitingStore(await services.conversations.store());
    const listed = store.list({}, 1000).conversations.find(({ id }) => id === session.id);
    assert.equal(listed?.beginning, 'How is bread made?');
  });

  it('are not requested from a model unless the user chose one', async () => {
    const chat = await openChatWith('How is bread made?', 'And cake?');
    assert.deepEqual(
      sentRequests.map(({ model }) => model),
      ['provider/model', 'provider/model'],
    );
    assert.equal(chat.session.title, '');
  });

  it('are generated once, after the first reply, and their cost is counted', async () => {
    await setModel('small/model');
    const chat = await openChatWith('How is bread made?');
    await waitForTitle(chat);
    assert.equal(chat.session.title, 'Bread for beginners');
    assert.equal(chat.panel.title, 'Bread for beginners');
    assert.match(sentRequests[1]?.text ?? '', /How is bread made\?.*Of flour\./);
    await chat.session.send('And cake?');
    await chat.session.resend();
    assert.equal(sentRequests.filter(({ model }) => model === 'small/model').length, 1);
    const store = createWaitingStore(await services.conversations.store());
    const sums = store.usage.sum({ by: ['model'], conversation: chat.session.id });
    assert.deepEqual(sums.map(({ model, replies }) => `${model} ${replies}`).toSorted(), [
      'provider/model 3',
      'small/model 1',
    ]);
  });

  it('never replace a title of the user, and are not retried automatically', async () => {
    await setModel('small/model');
    const arrived = Promise.withResolvers<ServerResponse>();
    titleReply = arrived.resolve;
    const chat = await openChatWith('How is bread made?');
    const response = await arrived.promise;
    const store = createWaitingStore(await services.conversations.store());
    store.rename(chat.session.id, 'Mine');
    response.end(createTextChunk('Theirs', 'stop'));
    await chat.session.send('And cake?');
    assert.equal(store.get(chat.session.id)?.title, 'Mine');
    titleReply = (other) => other.writeHead(500).end('{}');
    const dialogs = await answerDialogs(undefined, async () => {
      const failed = await openChatWith('Is it warm?');
      assert.notEqual(failed, chat);
      while (sentRequests.filter(({ text }) => text.includes('Is it warm')).length < 2) await nextTurn();
      await failed.session.resend();
      await failed.session.resend();
    });
    assert.equal(
      sentRequests.filter(({ text }) => text.includes('Write a title') && text.includes('warm')).length,
      1,
    );
    assert.equal(dialogs.length, 1);
    assert.match(dialogs[0]?.message ?? '', /^small\/model could not generate a title for the chat: /);
  });

  it('are generated on command by a model that is chosen once, and are edited before they are replaced', async () => {
    const chats = [await openChatWith('How is bread made?'), await openChatWith('And cake?')];
    const [first = '', second = ''] = chats.map(({ session }) => session.id);
    const make = (id: string) =>
      vscode.commands.executeCommand('modelGateway.chats.makeTitle', { kind: 'chat', id });
    const store = createWaitingStore(await services.conversations.store());
    const list = new TestQuickPick();
    try {
      list.focused = 'small/model';
      const making = make(first);
      await waitForEvent(list.onDidShow, () => list.labels.includes('small/model'));
      list.accept();
      await making;
      assert.equal(store.get(first)?.title, 'Bread for beginners');
      list.items = [];
      titleReply = (response) => response.end(createTextChunk('Cakes', 'stop'));
      await make(second);
      assert.equal(store.get(second)?.title, 'Cakes');
      assert.deepEqual(list.items, []);
      const boxes = await typeIntoInputs(['Cakes of mine'], () => make(second));
      assert.deepEqual(
        boxes.map(({ title, value }) => [title, value]),
        [['Rename Chat', 'Cakes']],
      );
      assert.equal(store.get(second)?.title, 'Cakes of mine');
    } finally {
      list.dispose();
    }
  });

  it('are requested once when the command runs several times, and the request has a limit', async () => {
    await setModel('small/model');
    await services.memory.update('titlesTried', undefined);
    titleReply = (response) => response.end(createTextChunk('First', 'stop'));
    const chat = await openChatWith('How is bread made?');
    await waitForTitle(chat);
    const before = sentRequests.length;
    const arrived = Promise.withResolvers<ServerResponse>();
    titleReply = arrived.resolve;
    const row = { kind: 'chat', id: chat.session.id };
    const commands = [1, 2, 3].map(() => vscode.commands.executeCommand('modelGateway.chats.makeTitle', row));
    const response = await arrived.promise;
    const isEnded = once(response, 'close');
    const thought = JSON.stringify({
      choices: [{ index: 0, delta: { reasoning_content: 'hm '.repeat(10_000) } }],
    });
    while (!response.destroyed) {
      response.write(`data: ${thought}\n\n`);
      await nextTurn();
    }
    await isEnded;
    await Promise.all(commands);
    assert.equal(sentRequests.length, before + 1);
    assert.equal(chat.session.title, 'First');
  });

  function nextTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
});
