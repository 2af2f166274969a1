import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { extensionId } from '../../src/host/kit/manifest/contributions.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices } from '../support/extensionServices.ts';

describe('the menu of the status bar item', () => {
  before(async () => {
    await getServices();
  });

  /** The VS Code commands that are executed when a menu item is chosen, with their arguments. */
  async function recordCallsOf(entry: string): Promise<readonly (readonly unknown[])[]> {
    return recordCalls((execute) => answerDialogs(entry, () => execute('modelGateway.showMenu')));
  }

  /** The VS Code commands that are executed while `run` is running, with their arguments. */
  async function recordCalls(
    run: (execute: typeof vscode.commands.executeCommand) => Thenable<unknown>,
  ): Promise<readonly (readonly unknown[])[]> {
    const calls: (readonly unknown[])[] = [];
    const commands = vscode.commands as { -readonly [name in keyof typeof vscode.commands]: unknown };
    const { executeCommand } = vscode.commands;
    commands.executeCommand = async (id: string, ...args: readonly unknown[]) => {
      if (id.startsWith('modelGateway.')) return executeCommand(id, ...args);
      calls.push([id, ...args]);
      return undefined;
    };
    try {
      await run(executeCommand);
    } finally {
      commands.executeCommand = executeCommand;
    }
    return calls.filter(([id]) => id !== 'setContext');
  }

  it('opens the index of the documentation as Help', async () => {
    const [[command, uri] = []] = await recordCallsOf('$(question) Help');
    assert.equal(command, 'vscode.openWith');
    assert.match((uri as vscode.Uri).path, /\/docs\/README\.md$/);
  });

  it('opens the page and heading of a link in a setting or a failure', async () => {
    const page = 'local-gateway/start#options';
    const [[, uri] = []] = await recordCalls((execute) => execute('modelGateway.openHelp', page));
    assert.match(String(uri), /\/docs\/local-gateway\/start\.md#options$/);
  });

  it('T16 opens the index instead of a page outside the documentation', async () => {
    for (const page of ['../package', '/etc/passwd', 'connect.md', 'no-such-page', 'a/b/c', 7]) {
      const [[, uri] = []] = await recordCalls((execute) => execute('modelGateway.openHelp', page));
      assert.match(String(uri), /\/docs\/README\.md$/, String(page));
    }
  });

  it('opens only the settings of this extension', async () => {
    assert.deepEqual(await recordCallsOf('$(gear) Open Settings'), [
      ['workbench.action.openSettings', `@ext:${extensionId}`],
    ]);
  });

  for (const [entry, tab] of [
    ['$(gear) Open Settings', /Settings/],
    ['$(question) Help', /README/],
  ] as const) {
    it(`opens a tab of VS Code for ${entry}`, async () => {
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
