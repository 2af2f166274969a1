import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import { panelType } from '../../contributions.ts';
import type { Panels } from '../../pages/panels.ts';
import type { ChatPanel } from './chatPanel.ts';
import type { ChatOpening } from './chatPanels.ts';

const memoryKey = 'openChats';

interface OpenChat {
  readonly id: string;
  readonly title: string;
  readonly column: number | undefined;
}

type ChatPanels = Panels<ChatPanel, ChatOpening>;
/** Never rejects, so that one chat which cannot be read keeps no other one closed. */
type Reopen = (id: string, column: vscode.ViewColumn | undefined) => Promise<unknown>;

/**
 * The chats that have tabs in this workspace, for the window that comes after a crash. VS Code saves its own
 * record of tabs after up to a minute (in a browser after 5 s, and not as the window reloads), a memento at once.
 */
export class OpenChats {
  readonly #memory: vscode.Memento;
  readonly #left: readonly OpenChat[];
  readonly #subscriptions: vscode.Disposable[] = [];

  /** @param memory of the workspace */
  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.#left = openChatsOf(memory.get(memoryKey));
  }

  /** Whether the window before had chats open. */
  get wereLeft(): boolean {
    return this.#left.length > 0;
  }

  /**
   * The tab that the window before left of a chat, and at which nobody has looked yet: VS Code says whose it is only
   * then. Undefined where it may be that of another chat.
   */
  waitingTab(id: string, chats: ChatPanels): vscode.Tab | undefined {
    const left = this.#waiting(chats);
    const own = left.find((each) => each.id === id);
    const isNamesake = ({ title }: OpenChat) => title === own?.title;
    const tabs = tabsBeside(chats).filter(({ label }) => label === own?.title);
    return tabs.length === 1 && left.filter(isNamesake).length === 1 ? tabs[0] : undefined;
  }

  /** Remembers what is open from now on. Ends before the tabs do, as the window closes. */
  follow(chats: ChatPanels): void {
    const remember = () => void this.#remember(chats);
    this.#subscriptions.push(
      chats.onDidChange(remember),
      vscode.window.tabGroups.onDidChangeTabs(({ opened, changed, closed }) => {
        if ([...opened, ...changed, ...closed].some(isChat)) remember();
      }),
    );
  }

  /** Opens the chats again whose tabs the window before had, and this one lost. */
  async openLost(reopen: Reopen): Promise<void> {
    const isRestoring = vscode.workspace.getConfiguration('workbench.editor').get<boolean>('restoreEditors');
    if (this.#left.length === 0 || isRestoring === false) return;
    await tabsKnown();
    for (const { id, column } of lost(this.#left, chatTabs())) await reopen(id, column);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #remember(chats: ChatPanels): Promise<void> {
    const shown: readonly OpenChat[] = chats.all.map(({ session, panel }) => ({
      id: session.id,
      title: panel.title,
      column: panel.viewColumn,
    }));
    const open = [...shown, ...this.#waiting(chats)];
    if (JSON.stringify(open) === JSON.stringify(this.#memory.get(memoryKey))) return;
    await this.#memory.update(memoryKey, open);
  }

  /** The chats of the window before whose tabs are there, and do not show them yet. */
  #waiting(chats: ChatPanels): readonly OpenChat[] {
    const titles = tabsBeside(chats).map(({ label }) => label);
    const isShown = (id: string) => chats.all.some(({ session }) => session.id === id);
    return this.#left.filter(({ id, title }) => titles.includes(title) && !isShown(id));
  }
}

/** Those without a tab of their title. A tab tells no more before it is first shown. */
function lost(left: readonly OpenChat[], tabs: readonly vscode.Tab[]): readonly OpenChat[] {
  const titles = tabs.map(({ label }) => label);
  return left.filter(({ title }) => {
    const at = titles.indexOf(title);
    if (at !== -1) titles.splice(at, 1);
    return at === -1;
  });
}

/** The tabs that are not those of open panels. */
function tabsBeside(chats: ChatPanels): readonly vscode.Tab[] {
  const titles = chats.all.map(({ panel }) => panel.title);
  return chatTabs().filter(({ label }) => {
    const at = titles.indexOf(label);
    if (at !== -1) titles.splice(at, 1);
    return at === -1;
  });
}

function chatTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(isChat);
}

/** VS Code puts a word of its own before the type. */
function isChat({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelType('chat'));
}

/** There is always one group, once VS Code has told of them. */
async function tabsKnown(): Promise<void> {
  while (vscode.window.tabGroups.all.length === 0) {
    await new Promise<void>((resolve) => {
      const subscription = vscode.window.tabGroups.onDidChangeTabGroups(() => {
        subscription.dispose();
        resolve();
      });
    });
  }
}

/** VS Code opens a group for each column before a higher one. */
function isColumn(value: unknown): value is vscode.ViewColumn {
  return (
    typeof value === 'number' && vscode.ViewColumn[value] !== undefined && value >= vscode.ViewColumn.One
  );
}

function openChatsOf(remembered: unknown): readonly OpenChat[] {
  if (!Array.isArray(remembered)) return [];
  return remembered.filter(
    (each): each is OpenChat =>
      isObject(each) &&
      typeof each.id === 'string' &&
      typeof each.title === 'string' &&
      (each.column === undefined || isColumn(each.column)),
  );
}
