import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { openChat } from '../../src/host/chat/commands/openChat.ts';
import { OpenChats } from '../../src/host/chat/tab/openChats.ts';
import { panelType } from '../../src/host/contributions.ts';
import type { Services } from '../../src/host/services.ts';
import { extensionServices, forgetClosedChats, until, useGateway } from '../support/extensionServices.ts';
import { type ScriptedGateway, startScriptedGateway, textChunk } from '../support/scriptedGateway.ts';

/** What VS Code keeps for a workspace. */
class WorkspaceMemory {
  readonly #values = new Map<string, unknown>();
  readonly #onDidUpdate = new vscode.EventEmitter<void>();
  readonly onDidUpdate = this.#onDidUpdate.event;

  keys = () => [...this.#values.keys()];
  // biome-ignore lint/suspicious/noExplicitAny: so does VS Code.
  get = (key: string): any => this.#values.get(key);
  async update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, value);
    this.#onDidUpdate.fire();
  }
}

describe('the chats whose tabs VS Code lost', () => {
  const restoreEditors = (on?: boolean) =>
    vscode.workspace.getConfiguration('workbench.editor').update('restoreEditors', on, true);
  const closeAll = () => vscode.commands.executeCommand('workbench.action.closeAllEditors');
  let services: Services;
  let gateway: ScriptedGateway;
  let memory: WorkspaceMemory;
  let ids: readonly string[];

  before(async () => {
    services = await extensionServices();
    gateway = await startScriptedGateway(['played/model'], (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(textChunk('Yes.', 'stop'));
    });
    await useGateway(services, 'lost', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  /** A window with two chats, which ends. */
  beforeEach(async () => {
    memory = new WorkspaceMemory();
    const window = new OpenChats(memory);
    window.follow(services.chats);
    ids = [await asked('One?'), await asked('Two?')];
    await until(memory.onDidUpdate, () => JSON.stringify(memory.get('openChats')).includes('Two?'));
    window.dispose();
  });

  afterEach(async () => {
    await restoreEditors();
    await closeAll();
    forgetClosedChats(services);
  });

  after(async () => {
    await services.gateways.remove('lost');
    await gateway.close();
  });

  async function asked(question: string): Promise<string> {
    const { session } = await services.chats.open({ model: 'played/model' });
    await session.ask(question);
    return session.id;
  }

  /** Returns the ids of the chats that the next window opens. */
  async function opened(): Promise<readonly string[]> {
    const reopened: string[] = [];
    await new OpenChats(memory).openLost(async (id) => reopened.push(id));
    return reopened;
  }

  it('are opened again', async () => {
    await closeAll();
    assert.deepEqual(await opened(), ids);
    assert.equal(new OpenChats(memory).wereLeft, true);
  });

  it('are not, where VS Code has their tabs', async () => {
    await services.chats.all.find(({ session }) => session.id === ids[0])?.panel.dispose();
    await until(
      vscode.window.tabGroups.onDidChangeTabs,
      () => vscode.window.tabGroups.activeTabGroup.tabs.length === 1,
    );
    assert.deepEqual(await opened(), ids.slice(0, 1));
  });

  it('are opened in place of a tab that nobody has looked at yet, which is not left beside them', async () => {
    await closeAll();
    forgetClosedChats(services);
    const { tabGroups } = vscode.window;
    const labels = () => tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)).toSorted();
    for (const title of ['One?', 'Two?']) vscode.window.createWebviewPanel(panelType('chat'), title, 1);
    await until(tabGroups.onDidChangeTabs, () => labels().length === 2);
    const window = { ...services, openChats: new OpenChats(memory) };
    const [one = ''] = ids;
    const [chat, same] = await Promise.all([openChat(window, one), openChat(window, one)]);
    assert.deepEqual([chat?.session.id, chat], [one, same]);
    await until(tabGroups.onDidChangeTabs, () => labels().length === 2);
    assert.deepEqual(labels(), ['One?', 'Two?']);
    chat?.panel.dispose();
    await until(tabGroups.onDidChangeTabs, () => labels().length === 1);
    assert.deepEqual(labels(), ['Two?'], 'the other chat keeps its tab');
  });

  it('leave tabs alone that may be of another chat', async () => {
    await closeAll();
    forgetClosedChats(services);
    const { tabGroups } = vscode.window;
    const [one = '', two = ''] = ids;
    await memory.update(
      'openChats',
      [one, two].map((id) => ({ id, title: 'Same?' })),
    );
    vscode.window.createWebviewPanel(panelType('chat'), 'Same?', 1);
    await until(tabGroups.onDidChangeTabs, () => tabGroups.activeTabGroup.tabs.length === 1);
    await openChat({ ...services, openChats: new OpenChats(memory) }, one);
    await until(tabGroups.onDidChangeTabs, () => tabGroups.activeTabGroup.tabs.length === 2);
  });

  it('stay remembered while nobody has looked at their tabs', async () => {
    await closeAll();
    forgetClosedChats(services);
    vscode.window.createWebviewPanel(panelType('chat'), 'Two?', 1);
    await until(
      vscode.window.tabGroups.onDidChangeTabs,
      () => vscode.window.tabGroups.activeTabGroup.tabs.length === 1,
    );
    const window = new OpenChats(memory);
    window.follow(services.chats);
    await asked('Three?');
    const titles = () => memory.get('openChats').map(({ title }: { readonly title: string }) => title);
    await until(memory.onDidUpdate, () => titles().includes('Three?'));
    assert.deepEqual(titles(), ['Three?', 'Two?']);
    window.dispose();
  });

  it('are not, where the user wants no editors back', async () => {
    await closeAll();
    await restoreEditors(false);
    assert.deepEqual(await opened(), []);
  });

  it('are none where what is remembered is damaged', async () => {
    await closeAll();
    await memory.update('openChats', [{ id: 3 }, 'x', null]);
    assert.deepEqual(await opened(), []);
    assert.equal(new OpenChats(memory).wereLeft, false);
    const nowhere = [1e9, -3, 0.5, null].map((column) => ({ id: 'x', title: 'Nowhere', column }));
    await memory.update('openChats', [...nowhere, { id: 'y', title: 'There', column: 2 }]);
    assert.deepEqual(await opened(), ['y']);
  });
});
