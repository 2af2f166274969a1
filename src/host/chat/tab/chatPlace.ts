import * as vscode from 'vscode';
import type { TabPlace } from '../../kit/display/tabs.ts';
import { panelType } from '../../kit/manifest/contributions.ts';

const memoryKey = 'chatsBeside';

/**
 * Where chats open: in the group of the open chats, else beside the code when the chats were there last. So a chat
 * stays next to the code, however many are opened and whenever the window is reloaded.
 */
export class ChatPlace {
  readonly #memory: vscode.Memento;
  readonly #subscription = vscode.window.tabGroups.onDidChangeTabs(() => this.#note());

  /** @param memory of all windows */
  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** @param open the chat that was active last */
  next(open: vscode.WebviewPanel | undefined): TabPlace {
    if (open?.viewColumn !== undefined) return { column: open.viewColumn };
    const hasEditor = vscode.window.tabGroups.activeTabGroup.activeTab !== undefined;
    return hasEditor && this.#memory.get(memoryKey) === true ? { beside: true } : {};
  }

  /** Locks the group of a chat that was opened beside the code, as VS Code does for its own chats: files open elsewhere. */
  async lock(panel: vscode.WebviewPanel): Promise<void> {
    await active(panel);
    const { activeTabGroup } = vscode.window.tabGroups;
    if (activeTabGroup.viewColumn !== panel.viewColumn || !activeTabGroup.tabs.every(isChat)) return;
    await vscode.commands.executeCommand('workbench.action.lockEditorGroup');
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Remembers whether the chats have a group without other editors. A single group with chats only says nothing. */
  #note(): void {
    const { all } = vscode.window.tabGroups;
    const withChats = all.filter(({ tabs }) => tabs.some(isChat));
    const areApart = withChats.every(({ tabs }) => tabs.every(isChat));
    if (withChats.length === 0 || (areApart && all.length === 1)) return;
    if (this.#memory.get(memoryKey, false) !== areApart) void this.#memory.update(memoryKey, areApart);
  }
}

/** VS Code puts a word of its own before the type. */
function isChat({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelType('chat'));
}

function active(panel: vscode.WebviewPanel): Promise<void> {
  if (panel.active) return Promise.resolve();
  return new Promise((resolve) => {
    const subscription = panel.onDidChangeViewState(() => {
      if (!panel.active) return;
      subscription.dispose();
      resolve();
    });
    panel.onDidDispose(() => resolve());
  });
}
