import * as vscode from 'vscode';
import type { TabLocation } from '../../kit/display/editorTabs.ts';
import { panelType } from '../../kit/manifest/contributions.ts';

const memoryKey = 'opensChatsNextToEditor';

/**
 * Chooses the location of new chats: the group of the last active chat, otherwise next to the code if the last chats
 * were there, even in an earlier window.
 */
export class ChatPlacement {
  readonly #memory: vscode.Memento;
  readonly #subscription = vscode.window.tabGroups.onDidChangeTabs(() => this.#noteGroups());

  /** @param memory the storage that all windows share */
  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  choose(lastActive: vscode.WebviewPanel | undefined): TabLocation {
    if (lastActive?.viewColumn !== undefined) return { column: lastActive.viewColumn };
    const hasEditor = vscode.window.tabGroups.activeTabGroup.activeTab !== undefined;
    return hasEditor && this.#memory.get(memoryKey) === true ? { isBeside: true } : {};
  }

  /**
   * Locks the group of a chat that was opened next to the code, so that files open elsewhere. VS Code's own chats
   * do the same.
   */
  async lock(panel: vscode.WebviewPanel): Promise<void> {
    if (await waitForChatGroup(panel))
      await vscode.commands.executeCommand('workbench.action.lockEditorGroup');
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /**
   * Stores whether the chats have groups without other editors. A single group that contains only chats is ignored.
   */
  #noteGroups(): void {
    const { all } = vscode.window.tabGroups;
    const chatGroups = all.filter(({ tabs }) => tabs.some(isChat));
    const areSeparate = chatGroups.every(({ tabs }) => tabs.every(isChat));
    if (chatGroups.length === 0 || (areSeparate && all.length === 1)) return;
    if (this.#memory.get(memoryKey, false) !== areSeparate) void this.#memory.update(memoryKey, areSeparate);
  }
}

/** Whether a tab shows a chat. VS Code adds its own prefix to the type of the panel. */
function isChat({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelType('chat'));
}

/**
 * Waits until VS Code has reported the group of a new panel. VS Code reports the panel as active before it has opened.
 *
 * @returns whether the group is active and contains only chats
 */
function waitForChatGroup(panel: vscode.WebviewPanel): Promise<boolean> {
  const { tabGroups } = vscode.window;
  return new Promise((resolve) => {
    const settle = (isChatGroup: boolean) => {
      vscode.Disposable.from(...subscriptions).dispose();
      resolve(isChatGroup);
    };
    const check = () => {
      if (!panel.active) return settle(false);
      const { viewColumn, activeTab, tabs } = tabGroups.activeTabGroup;
      if (viewColumn === panel.viewColumn && activeTab && isChat(activeTab)) settle(tabs.every(isChat));
    };
    const subscriptions = [
      panel.onDidDispose(() => settle(false)),
      panel.onDidChangeViewState(check),
      tabGroups.onDidChangeTabs(check),
      tabGroups.onDidChangeTabGroups(check),
    ];
    check();
  });
}
