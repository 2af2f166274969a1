import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { extensionId } from '../../src/host/kit/manifest/contributions.ts';
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

  it('opens this extension’s page as Help, where it is installed', async () => {
    const extension = vscode.extensions.getExtension(extensionId);
    assert.ok(extension);
    const { getExtension } = vscode.extensions;
    const extensions = vscode.extensions as { -readonly [name in keyof typeof vscode.extensions]: unknown };
    extensions.getExtension = () => ({ extensionUri: extension.extensionUri, packageJSON: {} });
    try {
      assert.deepEqual(await calledBy('$(question) Help'), [['extension.open', extensionId]]);
    } finally {
      extensions.getExtension = getExtension;
    }
  });

  it('opens the settings of this extension, and nothing else', async () => {
    assert.deepEqual(await calledBy('$(gear) Open Settings'), [
      ['workbench.action.openSettings', `@ext:${extensionId}`],
    ]);
  });

  for (const [entry, tab] of [
    ['$(gear) Open Settings', /Settings/],
    ['$(question) Help', /README/],
  ] as const) {
    it(`${entry} is a tab of VS Code`, async () => {
      const { tabGroups } = vscode.window;
      const opened = new Promise<void>((resolve) => {
        const subscription = tabGroups.onDidChangeTabs(() => {
          if (!tab.test(tabGroups.activeTabGroup.activeTab?.label ?? '')) return;
          subscription.dispose();
          resolve();
        });
      });
      await answerDialogs(entry, () => vscode.commands.executeCommand('modelGateway.showMenu'));
      await opened;
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    });
  }
});
