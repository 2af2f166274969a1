import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { panelType } from '../../src/host/kit/manifest/contributions.ts';
import { OpenTabs } from '../../src/host/kit/pages/openTabs.ts';
import { Panels } from '../../src/host/kit/pages/panels.ts';
import { closeEditors } from '../support/closeEditors.ts';
import { getServices, unloadClosedChats, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

/** VS Code's storage for a workspace. */
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

const openChats = (memory: vscode.Memento) =>
  new OpenTabs<ChatPanel>(memory, {
    name: 'chat',
    memoryKey: 'openChats',
    readId: ({ session }) => session.id,
    createState: (chat) => ({ chat }),
  });
const { tabGroups } = vscode.window;

describe('chats whose tabs VS Code lost', () => {
  const restoreEditors = (on?: boolean) =>
    vscode.workspace.getConfiguration('workbench.editor').update('restoreEditors', on, true);
  let services: Services;
  let gateway: ScriptedGateway;
  let memory: WorkspaceMemory;
  let ids: readonly string[];

  before(async () => {
    services = await getServices();
    gateway = await startScriptedGateway(['provider/model'], (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(createTextChunk('Yes.', 'stop'));
    });
    await useGateway(services, 'lost', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  /** A window with two chats, which is then closed. */
  beforeEach(async () => {
    memory = new WorkspaceMemory();
    const window = openChats(memory);
    window.follow(services.chats);
    ids = [await sendInNewChat('One?'), await sendInNewChat('Two?')];
    await waitForEvent(memory.onDidUpdate, () => JSON.stringify(memory.get('openChats')).includes('Two?'));
    window.dispose();
  });

  afterEach(async () => {
    await restoreEditors();
    await closeEditors();
    unloadClosedChats(services);
  });

  after(async () => {
    await services.gateways.remove('lost');
    await gateway.close();
  });

  async function sendInNewChat(question: string): Promise<string> {
    const { session } = await services.chats.open({ model: 'provider/model' });
    await session.send(question);
    return session.id;
  }

  /** Returns the ids of the chats that the next window opens. */
  async function listReopened(): Promise<readonly string[]> {
    const reopened: string[] = [];
    await openChats(memory).reopenLost(async (id) => reopened.push(id));
    return reopened;
  }

  it('are opened again', async () => {
    await closeEditors();
    assert.deepEqual(await listReopened(), ids);
    assert.equal(openChats(memory).hasPreviousTabs, true);
  });

  it('are not opened again if VS Code still has their tabs', async () => {
    await services.chats.all.find(({ session }) => session.id === ids[0])?.panel.dispose();
    await waitForEvent(
      vscode.window.tabGroups.onDidChangeTabs,
      () => vscode.window.tabGroups.activeTabGroup.tabs.length === 1,
    );
    assert.deepEqual(await listReopened(), ids.slice(0, 1));
  });

  it('remain stored while their restored tabs have not been opened', async () => {
    await closeEditors();
    unloadClosedChats(services);
    vscode.window.createWebviewPanel(panelType('chat'), 'Two?', 1);
    await waitForEvent(
      vscode.window.tabGroups.onDidChangeTabs,
      () => vscode.window.tabGroups.activeTabGroup.tabs.length === 1,
    );
    const window = openChats(memory);
    window.follow(services.chats);
    await sendInNewChat('Three?');
    const titles = () => memory.get('openChats').map(({ title }: { readonly title: string }) => title);
    await waitForEvent(memory.onDidUpdate, () => titles().includes('Three?'));
    assert.deepEqual(titles(), ['Three?', 'Two?']);
    window.dispose();
  });

  it('are used by commands if they cover a chat that VS Code restored', async () => {
    const [first, lost] = ids.map((id) => services.chats.all.find(({ session }) => session.id === id));
    assert.ok(first && lost);
    lost.panel.dispose();
    await waitForEvent(first.panel.onDidChangeViewState, () => first.panel.active);
    const covering = { column: vscode.ViewColumn.One, preserveFocus: true };
    const second = await services.chats.reopen({ chat: ids[1] }, covering);
    assert.ok(second && second !== first);
    await waitForEvent(first.panel.onDidChangeViewState, () => !first.panel.visible);
    assert.equal(services.chats.lastActive, second);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'code' }));
    await waitForEvent(second.panel.onDidChangeViewState, () => !second.panel.active);
    assert.equal(services.chats.lastActive, second);
  });

  it('are not opened again if the user does not restore editors', async () => {
    await closeEditors();
    await restoreEditors(false);
    assert.deepEqual(await listReopened(), []);
  });

  it('are skipped if their stored data is damaged', async () => {
    await closeEditors();
    await memory.update('openChats', [{ id: 3 }, 'x', null]);
    assert.deepEqual(await listReopened(), []);
    assert.equal(openChats(memory).hasPreviousTabs, false);
    const nowhere = [1e9, -3, 0.5, null].map((column) => ({ id: 'x', title: 'Nowhere', column }));
    await memory.update('openChats', [...nowhere, { id: 'y', title: 'There', column: 2 }]);
    assert.deepEqual(await listReopened(), ['y']);
  });
});

describe('a restored tab that has not been opened yet', () => {
  interface TestPage {
    readonly panel: vscode.WebviewPanel;
    readonly id: string;
    readonly wasOpen: boolean;
  }
  const name = 'test';
  const memoryKey = 'openTestPages';
  let services: Services;
  let memory: WorkspaceMemory;
  let panels: Panels<TestPage, string> | undefined;

  before(async () => {
    services = await getServices();
  });

  beforeEach(() => {
    memory = new WorkspaceMemory();
  });

  afterEach(async () => {
    panels?.dispose();
    await closeEditors();
  });

  const listLabels = () => tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)).toSorted();
  const waitForTabs = (count: number) =>
    waitForEvent(tabGroups.onDidChangeTabs, () => listLabels().length === count);

  /** A window after one that had tabs: the first letter of each title is the label of its tab. */
  async function openWindowAfter(titles: readonly string[]): Promise<Panels<TestPage, string>> {
    await memory.update(
      memoryKey,
      titles.map((title) => ({ id: title, title: title.slice(0, 1) })),
    );
    for (const title of titles) vscode.window.createWebviewPanel(panelType(name), title.slice(0, 1), 1);
    await waitForTabs(titles.length);
    const context = { extension: vscode.Uri.file('/extension'), log: services.log };
    panels = new Panels<TestPage, string>(context, {
      name,
      tabs: new OpenTabs<TestPage>(memory, {
        name,
        memoryKey,
        readId: ({ id }) => id,
        createState: (id) => ({ id }),
      }),
      load: async () => ({
        title: (id) => id.slice(0, 1),
        // A preview tab, like that of a task page: another page may replace it.
        reuse: (open, id) => open.find((each) => each.id === id) ?? open.find(({ wasOpen }) => !wasOpen),
        readId: (id) => id,
        create: ({ panel }, id, wasOpen) => ({ panel, id, wasOpen }),
        restore: async (state) => (state as { readonly id: string } | undefined)?.id,
      }),
    });
    return panels;
  }

  it('is replaced by the page that is opened for the same item', async () => {
    const window = await openWindowAfter(['A', 'B']);
    const [page, same] = await Promise.all([window.open('A'), window.open('A')]);
    assert.deepEqual([page.id, page.wasOpen, same], ['A', true, page]);
    await waitForTabs(2);
    assert.deepEqual(listLabels(), ['A', 'B']);
    page.panel.dispose();
    await waitForTabs(1);
    assert.deepEqual(listLabels(), ['B'], 'the other keeps its tab');
  });

  it('is replaced by a permanent page, not by a preview', async () => {
    const window = await openWindowAfter(['A']);
    const preview = await window.open('C');
    assert.equal(preview.wasOpen, false);
    assert.notEqual(await window.open('A'), preview);
    await waitForEvent(tabGroups.onDidChangeTabs, () => listLabels().join() === 'A,C');
  });

  it('shows its item although VS Code saved it before its page stored its state', async () => {
    const window = await openWindowAfter(['A', 'B1', 'B2']);
    const restored = async (title: string) => {
      const panel = vscode.window.createWebviewPanel(panelType(name), title, 1);
      await window.deserializeWebviewPanel(panel, undefined);
      return window.all.map(({ id }) => id);
    };
    assert.deepEqual(await restored('A'), ['A']);
    assert.deepEqual(await restored('B'), ['A'], 'two items have this title');
  });

  it('is not replaced if it may show another item', async () => {
    const window = await openWindowAfter(['A1', 'A2']);
    await window.open('A1');
    await waitForTabs(3);
  });
});
