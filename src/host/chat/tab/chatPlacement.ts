import * as vscode from 'vscode';
import type { TabLocation } from '../../kit/display/editorTabs.ts';
import { panelType } from '../../kit/manifest/contributions.ts';

const memoryKey = 'opensChatsNextToEditor';

/**
 * Decides where chats open: in the group of the last active chat, otherwise next to the code if the last chats were
 * there, even before the window was reloaded.
 */
export class ChatPlacement {
  readonly #memory: vscode.Memento;
  readonly #subscription = vscode.window.tabGroups.onDidChangeTabs(() => this.#noteGroups());

  /** @param memory the state that all windows share */
  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** The location of the next chat. @param open the last active chat */
  next(open: vscode.WebviewPanel | undefined): TabLocation {
    if (open?.viewColumn !== undefined) return { column: open.viewColumn };
    const hasEditor = vscode.window.tabGroups.activeTabGroup.activeTab !== undefined;
    return hasEditor && this.#memory.get(memoryKey) === true ? { isBeside: true } : {};
  }

  /**
   * Locks the group of a chat that was opened next to the code, so that files open elsewhere. VS Code's own chats
   * do the same.
   */
  async lock(panel: vscode.WebviewPanel): Promise<void> {
    if (!(await waitUntilActive(panel))) return;
    const { activeTabGroup } = vscode.window.tabGroups;
    if (activeTabGroup.viewColumn !== panel.viewColumn || !activeTabGroup.tabs.every(isChat)) return;
    await vscode.commands.executeCommand('workbench.action.lockEditorGroup');
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /**
   * Remembers whether the chats have a group without other editors. A single group that contains only chats is
   * ignored.
   */
  #noteGroups(): void {
    const { all } = vscode.window.tabGroups;
    const withChats = all.filter(({ tabs }) => tabs.some(isChat));
    const areSeparate = withChats.every(({ tabs }) => tabs.every(isChat));
    if (withChats.length === 0 || (areSeparate && all.length === 1)) return;
    if (this.#memory.get(memoryKey, false) !== areSeparate) void this.#memory.update(memoryKey, areSeparate);
  }
}

/** Whether a tab shows a chat. VS Code adds its own prefix to the type of the panel. */
function isChat({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelType('chat'));
}

/** Waits until a panel is active or disposed. @returns whether it is active */
function waitUntilActive(panel: vscode.WebviewPanel): Promise<boolean> {
  if (panel.active) return Promise.resolve(true);
  return new Promise((resolve) => {
    const subscription = panel.onDidChangeViewState(() => {
      if (!panel.active) return;
      subscription.dispose();
      resolve(true);
    });
    panel.onDidDispose(() => resolve(false));
  });
}
