import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { closeEditors } from '../support/closeEditors.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';

describe('the place of a new chat', () => {
  const { tabGroups } = vscode.window;
  const changed: vscode.Event<unknown> = (listener) =>
    vscode.Disposable.from(tabGroups.onDidChangeTabs(listener), tabGroups.onDidChangeTabGroups(listener));
  let services: Services;

  before(async () => {
    services = await getServices();
    await closeEditors();
  });

  afterEach(() => closeEditors());

  const waitUntil = (isReached: () => boolean) => waitForEvent(changed, isReached);

  function countChats(column: number): number {
    const tabs = tabGroups.all[column - 1]?.tabs ?? [];
    return tabs.filter(({ input }) => input instanceof vscode.TabInputWebview).length;
  }

  async function showCode(): Promise<void> {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'code' }), 1);
  }

  function closeChats(): void {
    for (const { panel } of services.chats.all) panel.dispose();
  }

  it('F71 is the editor group into which the last chat was opened or moved', async () => {
    await showCode();
    await vscode.commands.executeCommand('modelGateway.chats.openToSide');
    assert.equal(countChats(2), 1);
    const file = await vscode.workspace.openTextDocument({ content: 'more code' });
    const { viewColumn } = await vscode.window.showTextDocument(file);
    assert.equal(viewColumn, 1, 'the group of the chat is locked');
    closeChats();
    await waitUntil(() => countChats(1) + countChats(2) === 0);
    await vscode.commands.executeCommand('modelGateway.newChat');
    // The next command moves the editor of the active group.
    await waitUntil(() => countChats(2) === 1 && tabGroups.activeTabGroup.viewColumn === 2);
    assert.equal(countChats(1), 0, 'nothing covers the code');
    await vscode.commands.executeCommand('workbench.action.moveEditorToFirstGroup');
    await waitUntil(() => countChats(1) === 1);
    closeChats();
    await waitUntil(() => countChats(1) === 0);
    await showCode();
    await vscode.commands.executeCommand('modelGateway.newChat');
    await waitUntil(() => countChats(1) === 1);
  });
});
