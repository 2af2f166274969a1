import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import { replyText } from '../../src/conversations/conversation/reply.ts';
import type { Unfinished } from '../../src/conversations/conversation/turn.ts';
import { importConversations } from '../../src/conversations/formats/importConversations.ts';
import { writeMarkdownFile } from '../../src/conversations/formats/markdown/markdownExport.ts';
import { exportConversations } from '../../src/conversations/formats/own/ownExport.ts';
import { readPortable } from '../../src/conversations/transfer/exportChats.ts';
import type { Services } from '../../src/host/app/services.ts';
import { addFiles } from '../../src/host/chat/context/addContext.ts';
import { ChatPageUpdates } from '../../src/host/chat/tab/chatPageUpdates.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { createChatTarget } from '../../src/host/chat/tab/chatState.ts';
import { openChat } from '../../src/host/chat/tab/openChat.ts';
import { createComparisonView, createTurnViews } from '../../src/host/chat/view/turnViews.ts';
import type { ChatFields, ChatPatch } from '../../src/protocol/chatPage.ts';
import { getServices, unloadClosedChats, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { createMemorySource } from '../support/importedConversations.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';
import { createWaitingStore } from '../support/waitingStore.ts';

const models = ['red/one', 'green/two', 'blue/three'];

/** The requests that wait for a reply, by model. */
class Waiting {
  readonly #arrived = new Map<string, ServerResponse>();
  readonly #awaited = new Map<string, (response: ServerResponse) => void>();

  add(response: ServerResponse, model: string): void {
    response.setHeader('content-type', 'text/event-stream');
    const awaited = this.#awaited.get(model);
    this.#awaited.delete(model);
    if (awaited) awaited(response);
    else this.#arrived.set(model, response);
  }

  waitFor(model: string): Promise<ServerResponse> {
    const arrived = this.#arrived.get(model);
    this.#arrived.delete(model);
    if (arrived) return Promise.resolve(arrived);
    return new Promise((resolve) => this.#awaited.set(model, resolve));
  }
}

describe('replies in a comparison', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let waiting: Waiting;

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    waiting = new Waiting();
    gateway = await startScriptedGateway([...models], (response, { body }) =>
      waiting.add(response, JSON.parse(body).model),
    );
    await useGateway(services, 'compared', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    await services.gateways.remove('compared');
    await gateway.close();
  });

  async function openComparison(): Promise<ChatPanel> {
    const chat = await services.chats.open({ model: models[0] });
    chat.session.target.compare(models);
    return chat;
  }

  async function replyFrom(model: string, text = `From ${model}.`): Promise<void> {
    (await waiting.waitFor(model)).end(createTextChunk(text, 'stop'));
  }

  async function sendCompared(question = 'Well?'): Promise<ChatPanel> {
    const chat = await openComparison();
    const sending = chat.session.send(question);
    for (const model of models) await replyFrom(model);
    await sending;
    return chat;
  }

  const listChatRequests = () => gateway.requests.filter(({ path }) => path !== '/v1/models');
  const readColumns = ({ session }: ChatPanel) =>
    session.conversation.comparison.columns.map((turns) =>
      turns.map(({ question, replies: [reply] }) => `${question.model}: ${reply ? replyText(reply) : ''}`),
    );
  const readStored = async ({ session }: ChatPanel) => (await services.conversations.store()).get(session.id);

  it('come from one click with one request each, and each has its own outcome', async () => {
    const chat = await openComparison();
    assert.deepEqual(createChatTarget(chat.session, 0).compared, models);
    const sending = chat.session.send('Well?');
    const [first, second, third] = await Promise.all(models.map((model) => waiting.waitFor(model)));
    assert.ok(first && second && third);
    first.end(createTextChunk('From the first.', 'stop'));
    second.statusCode = 500;
    second.end('{}');
    third.write(createTextChunk('From the'));
    const [, , stopped] = chat.session.conversation.comparison.ends;
    while (chat.session.conversation.turn(stopped ?? '')?.replies.every((reply) => replyText(reply) === '')) {
      await new Promise((resolve) => chat.session.onDidChange(resolve));
    }
    chat.session.stop(stopped);
    await sending;
    assert.equal(listChatRequests().length, 3);
    assert.deepEqual(readColumns(chat), [
      ['red/one: From the first.'],
      ['green/two: '],
      ['blue/three: From the'],
    ]);
    const shown = createComparisonView(chat.session.conversation);
    assert.equal(shown?.sharesQuestion, true);
    const turns = shown?.columns.flat().filter((turn) => typeof turn !== 'string') ?? [];
    assert.deepEqual(
      turns.map(({ state, notice }) => [state, notice?.severity]),
      [
        ['done', undefined],
        ['done', 'error'],
        ['done', 'info'],
      ],
    );
    assert.deepEqual((await readStored(chat))?.compared, chat.session.conversation.comparison.ends);
  });

  it('continue in all columns for several turns, each after its own earlier reply', async () => {
    const chat = await sendCompared();
    const sending = chat.session.send('And then?');
    for (const model of models) await replyFrom(model, `More from ${model}.`);
    await sending;
    assert.equal(listChatRequests().length, 6);
    assert.deepEqual(
      readColumns(chat),
      models.map((model) => [`${model}: From ${model}.`, `${model}: More from ${model}.`]),
    );
    for (const { body } of listChatRequests().slice(3)) {
      const { model, messages } = JSON.parse(body);
      const contents = messages.map(({ content }: { content: unknown }) => content);
      assert.deepEqual(contents, ['Well?', `From ${model}.`, 'And then?']);
    }
  });

  it('send a queued question when all have ended, and give it back when none succeeded', async () => {
    const chat = await openComparison();
    const sending = chat.session.send('Well?');
    const [first, ...others] = await Promise.all(models.map((model) => waiting.waitFor(model)));
    await chat.session.send('And then?');
    first?.end(createTextChunk('Well.', 'stop'));
    for (const each of others) {
      each.statusCode = 500;
      each.end('{}');
    }
    for (const model of models) {
      const response = await waiting.waitFor(model);
      response.statusCode = 500;
      if (model === models[0]) await chat.session.send('Lost?');
      response.end('{}');
    }
    await sending;
    assert.equal(listChatRequests().length, 6);
    assert.equal(chat.session.unsent.text, 'Lost?');
  });

  it('do not send a queued question after all are stopped, even if one had succeeded', async () => {
    const chat = await openComparison();
    const sending = chat.session.send('Well?');
    const [first] = await Promise.all(models.map((model) => waiting.waitFor(model)));
    await chat.session.send('And then?');
    first?.end(createTextChunk('Well.', 'stop'));
    const [red] = chat.session.conversation.comparison.ends;
    const { conversation, onDidChange } = chat.session;
    await waitForEvent(onDidChange, () => conversation.turn(red ?? '')?.result !== undefined);
    chat.session.stop();
    await sending;
    assert.equal(listChatRequests().length, 3);
    assert.equal(chat.session.unsent.text, 'And then?');
  });

  it('are not requested if a column is closed while the question is prepared', async () => {
    const chat = await sendCompared();
    const file = vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail();
    const note = vscode.Uri.joinPath(file, 'beside.txt');
    await vscode.workspace.fs.writeFile(note, Buffer.from('beside'));
    await addFiles(chat.session.unsent, [note]);
    const [first] = chat.session.conversation.comparison.ends;
    const sending = chat.session.send('And then?');
    chat.session.comparisonActions.close(first ?? '');
    await sending;
    await vscode.workspace.fs.delete(note);
    assert.equal(listChatRequests().length, 3);
    assert.equal(chat.session.unsent.text, 'And then?');
    assert.equal(chat.session.unsent.context.entries.length, 1);
  });

  it('can be reduced to one, and shown side by side again without losses', async () => {
    const chat = await sendCompared();
    const [, second] = chat.session.conversation.comparison.ends;
    chat.session.comparisonActions.continueWith(second ?? '');
    assert.deepEqual(readColumns(chat), []);
    const [turn] = createTurnViews(chat.session.conversation);
    assert.equal(turn?.model, 'green/two');
    assert.deepEqual([turn?.replyBranch?.number, turn?.replyBranch?.count], [2, 3]);
    assert.deepEqual(chat.session.models, ['green/two']);
    await waitUntilStored(chat);
    assert.equal((await readStored(chat))?.compared, undefined);
    const sending = chat.session.send('Only you?');
    await replyFrom('green/two', 'Only me.');
    await sending;
    assert.equal(listChatRequests().length, 4);
    chat.session.comparisonActions.resume(chat.session.conversation.turns[0]?.id ?? '');
    assert.deepEqual(readColumns(chat), [
      ['red/one: From red/one.'],
      ['green/two: From green/two.', 'green/two: Only me.'],
      ['blue/three: From blue/three.'],
    ]);
  });

  it('are retried in their column, and the earlier reply remains as a branch', async () => {
    const chat = await sendCompared();
    const [, second] = chat.session.conversation.comparison.ends;
    const again = chat.session.resend(second);
    await replyFrom('green/two', 'Another one.');
    await again;
    assert.deepEqual(readColumns(chat), [
      ['red/one: From red/one.'],
      ['green/two: Another one.'],
      ['blue/three: From blue/three.'],
    ]);
    const [, column] = createComparisonView(chat.session.conversation)?.columns ?? [];
    const [turn] = column ?? [];
    assert.ok(turn && typeof turn !== 'string');
    assert.deepEqual([turn.replyBranch?.number, turn.replyBranch?.count], [2, 2]);
    chat.session.show(turn.replyBranch?.previous ?? '');
    assert.deepEqual(readColumns(chat)[1], ['green/two: From green/two.']);
  });

  it('can be added from further models next to an existing reply', async () => {
    const chat = await services.chats.open({ model: models[0] });
    const first = chat.session.send('Well?');
    await replyFrom('red/one');
    await first;
    const turn = chat.session.conversation.lastTurn?.id ?? '';
    const comparison = chat.session.comparisonActions.sendToMoreModels(turn, ['blue/three']);
    await replyFrom('blue/three');
    await comparison;
    assert.deepEqual(readColumns(chat), [['red/one: From red/one.'], ['blue/three: From blue/three.']]);
    assert.equal(listChatRequests().length, 2);
  });

  it('are not requested while the user must be warned about one of the models', async () => {
    const chat = await services.chats.open({ model: models[0] });
    chat.session.target.compare(['red/one', 'gone/a', 'gone/b']);
    await chat.session.send('Well?');
    assert.equal(listChatRequests().length, 0);
    assert.equal(chat.session.unsent.text, 'Well?');
    const { notice } = createChatTarget(chat.session, 0);
    assert.match(notice?.detail ?? '', /gone\/a, gone\/b/);
    assert.deepEqual(chat.session.models, ['red/one', 'gone/a', 'gone/b']);
  });

  it('are shown side by side again after the chat is reopened', async () => {
    const chat = await sendCompared();
    const { id } = chat.session;
    await waitUntilStored(chat);
    chat.panel.dispose();
    services.closedChats.take(id)?.dispose();
    const reopened = await services.conversations.reopen(id);
    assert.deepEqual(reopened?.conversation.comparison.models, models);
    assert.equal(reopened?.conversation.comparison.columns.length, 3);
  });

  it('still have their chosen models if the chat is reopened before the question', async () => {
    const chat = await openComparison();
    const { id } = chat.session;
    const store = createWaitingStore(await services.conversations.store());
    const isChosen = () => store.drafts.read(id)?.models !== undefined;
    await waitForEvent(store.onDidChange, isChosen);
    chat.panel.dispose();
    services.closedChats.take(id)?.dispose();
    const again = await openChat(services, id);
    assert.deepEqual(again?.session.models, models);
    again?.session.target.compare([]);
    await waitForEvent(store.onDidChange, () => !isChosen());
    assert.ok(!store.list().conversations.some((listed) => listed.id === id), 'nothing was typed');
  });

  it('have a separate request preview each, with the earlier turns of their column', async () => {
    const chat = await sendCompared();
    const bodies = await Promise.all([0, 1, 2].map((nth) => chat.session.previewRequest('And then?', nth)));
    const texts = bodies.map((request) => JSON.stringify(request?.body));
    for (const [nth, model] of models.entries()) {
      assert.ok(texts[nth]?.includes(`From ${model}.`), texts[nth]);
      assert.ok(texts[nth]?.includes('And then?'));
      assert.equal(texts.filter((text) => text.includes(`From ${model}.`)).length, 1);
    }
    assert.equal(await chat.session.previewRequest('And then?', 3), undefined);
  });

  it('are sent to the page again after one ended that arrived in another window', async () => {
    const { conversation } = (await sendCompared()).session;
    const posted: ChatPatch[] = [];
    const shown = new ChatPageUpdates({
      readFields: () => ({}) as ChatFields,
      getConversation: () => conversation,
      post: (patch) => posted.push(patch),
      postState: () => assert.fail('the page has all turns'),
    });
    shown.resetToState();
    const listPostedColumns = () => {
      shown.notePathChange(0);
      shown.flush();
      return posted.at(-1)?.path?.comparison?.columns.map(([turn]) => typeof turn !== 'string');
    };
    assert.deepEqual(listPostedColumns(), [false, false, false]);
    const [, second = ''] = conversation.comparison.ends;
    const { id, settings, replies, result = assert.fail() } = conversation.reply(second) ?? assert.fail();
    const message = { id, parent: conversation.tree.parent(id) };
    const takeOver = (unfinished: Unfinished) =>
      conversation.mergeChanges(
        [{ ...message, content: { settings, replies, result, unfinished } }],
        undefined,
        [],
      );
    takeOver('elsewhere');
    assert.deepEqual(listPostedColumns(), [false, true, false]);
    assert.deepEqual(listPostedColumns(), [false, true, false], 'the reply can be longer');
    takeOver('left');
    assert.deepEqual(listPostedColumns(), [false, true, false]);
    assert.deepEqual(listPostedColumns(), [false, false, false]);
  });

  it('open in the diff editor, titled with their models', async () => {
    await sendCompared();
    const [, second] = services.chats.lastActive?.session.conversation.comparison.ends ?? [];
    await services.chats.lastActive?.session.comparisonActions.close(second ?? '');
    await vscode.commands.executeCommand('modelGateway.chat.openDifferences');
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    assert.equal(tab?.label, 'red/one ↔ blue/three');
    assert.ok(tab?.input instanceof vscode.TabInputTextDiff);
    const document = await vscode.workspace.openTextDocument(tab.input.modified);
    assert.equal(document.getText(), 'From blue/three.');
    assert.equal(document.languageId, 'markdown');
  });

  it('are forked, exported and found like any other reply', async () => {
    const chat = await sendCompared('Which marabou?');
    await waitUntilStored(chat);
    const { conversation, id } = chat.session;
    const [, second] = conversation.comparison.ends;
    const fork = await chat.session.forkAfter(second ?? '');
    assert.deepEqual(
      fork?.conversation.turns.map(({ question }) => question.model),
      ['green/two'],
    );
    assert.equal(fork?.conversation.comparison.isShown, false);
    fork?.dispose();
    const store = createWaitingStore(await services.conversations.store());
    const { chat: portable } = (await readPortable(store, id)) ?? assert.fail();
    const bytes: Uint8Array[] = [];
    for await (const chunk of exportConversations([portable])) bytes.push(chunk);
    for await (const event of importConversations(createMemorySource(Buffer.concat(bytes)))) {
      assert.ok(event.type === 'conversation');
      assert.deepEqual(event.imported.conversation.compared, conversation.comparison.ends);
    }
    const markdown = writeMarkdownFile(portable);
    assert.match(markdown, /From red\/one\./);
    assert.match(markdown, /on other branches: 2\./);
    const found = await services.chatWorker.request('search', { text: 'marabou', limit: 10 });
    assert.ok(typeof found === 'object' && found.hits.some(({ conversation: hit }) => hit === id));
    chat.showMessage(conversation.comparison.ends[2] ?? '');
    assert.equal(readColumns(chat).length, 3, 'a hit in a column is shown in that column');
    assert.equal(conversation.tree.head, conversation.comparison.ends[2]);
  });

  /** Waits until the store has as many columns as the page shows. */
  async function waitUntilStored({ session }: ChatPanel): Promise<void> {
    const { conversations } = services;
    const store = createWaitingStore(await conversations.store());
    const { comparison } = session.conversation;
    const isStored = () => (store.get(session.id)?.compared ?? []).join() === comparison.ends.join();
    await waitForEvent(conversations.onDidChange, isStored);
  }
});
