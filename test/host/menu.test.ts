import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { extensionId } from '../../src/host/contributions.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { extensionServices } from '../support/extensionServices.ts';

describe('the menu of the status bar item', () => {
  before(async () => {
    await extensionServices();
  });

  /** The commands of VS Code that are called while an entry of the menu is chosen, with their arguments. */
  async function calledBy(entry: string): Promise<readonly (readonly unknown[])[]> {
    const calls: (readonly unknown[])[] = [];
    const commands = vscode.commands as { -readonly [name in keyof typeof vscode.commands]: unknown };
    const { executeCommand } = vscode.commands;
    const showMenu = () => executeCommand('modelGateway.showMenu');
    commands.executeCommand = async (id: string, ...args: readonly unknown[]) => {
      if (id.startsWith('modelGateway.')) return executeCommand(id, ...args);
      calls.push([id, ...args]);
      return undefined;
    };
    try {
      await answerDialogs(entry, showMenu);
    } finally {
      commands.executeCommand = executeCommand;
    }
    return calls.filter(([id]) => id !== 'setContext');
  }

  it('opens this extension’s page as Help, and its settings, and nothing else', async () => {
    assert.deepEqual(await calledBy('$(question) Help'), [['extension.open', extensionId]]);
    assert.deepEqual(await calledBy('$(gear) Open Settings'), [
      ['workbench.action.openSettings', `@ext:${extensionId}`],
    ]);
    assert.equal(vscode.extensions.getExtension(extensionId)?.id.toLowerCase(), extensionId.toLowerCase());
  });

  it('opens them in tabs of VS Code', async () => {
    for (const [entry, tab] of [
      ['$(gear) Open Settings', /Settings/],
      ['$(question) Help', /Model Gateway/],
    ] as const) {
      await answerDialogs(entry, () => vscode.commands.executeCommand('modelGateway.showMenu'));
      assert.match(vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '', tab);
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});
