import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import { panelType } from '../manifest/contributions.ts';

/** The id of the content if a kind has only one page. */
export const onlyPage = 'only';

interface OpenTab {
  readonly id: string;
  readonly title: string;
  readonly column: number | undefined;
}

interface TabPage {
  readonly panel: vscode.WebviewPanel;
}

/** One kind of tabs. */
interface TabKind<P> {
  /** The name of the panel kind. */
  readonly name: string;
  /** The key of the stored tabs. */
  readonly memoryKey: string;
  /** The id of the shown content. */
  readonly idOf: (page: P) => string;
  /** The stored state of a page with this content, as far as the content is restored from it. */
  readonly stateOf: (id: string) => unknown;
}

/** The open pages of one kind. */
interface ShownPages<P> {
  readonly all: readonly P[];
  readonly onDidChange: vscode.Event<void>;
}

/** Never rejects, so that one unreadable page does not prevent the others from opening. */
type Reopen = (id: string, column: vscode.ViewColumn | undefined) => Promise<unknown>;

/**
 * The open tabs of this workspace, stored for the next window after a crash. VS Code saves its own record of tabs
 * after up to a minute (in a browser after 5 s, and not when the window reloads), but a memento at once.
 */
export class OpenTabs<P extends TabPage> {
  readonly #memory: vscode.Memento;
  readonly #kind: TabKind<P>;
  readonly #previousTabs: readonly OpenTab[];
  readonly #subscriptions: vscode.Disposable[] = [];

  /** @param memory the storage of the workspace */
  constructor(memory: vscode.Memento, kind: TabKind<P>) {
    this.#memory = memory;
    this.#kind = kind;
    this.#previousTabs = openTabsOf(memory.get(kind.memoryKey));
  }

  /** Whether the previous window had such tabs. */
  get hasPreviousTabs(): boolean {
    return this.#previousTabs.length > 0;
  }

  /**
   * A tab of the previous window that was not viewed yet: VS Code reports its content only when it is viewed.
   * Undefined if the tab is ambiguous.
   */
  unviewedTab(id: string, shown: readonly P[]): vscode.Tab | undefined {
    const unviewed = this.#unviewedTabs(shown);
    const title = unviewed.find((each) => each.id === id)?.title;
    const tabs = this.#otherTabs(shown).filter(({ label }) => label === title);
    const isUnique = unviewed.filter((each) => each.title === title).length === 1;
    return tabs.length === 1 && isUnique ? tabs[0] : undefined;
  }

  /**
   * The state of a restored page that VS Code saved before the page stored it. Undefined if the content is unknown or
   * ambiguous.
   */
  unsavedState(title: string, shown: readonly P[]): unknown {
    const ids = shown.map(this.#kind.idOf);
    const [only, ...others] = this.#previousTabs.filter(
      (each) => each.title === title && !ids.includes(each.id),
    );
    return only && others.length === 0 ? this.#kind.stateOf(only.id) : undefined;
  }

  /** Stores the open tabs from now on. Dispose this before the tabs, when the window closes. */
  follow(pages: ShownPages<P>): void {
    const store = () => void this.#store(pages.all);
    this.#subscriptions.push(
      pages.onDidChange(store),
      vscode.window.tabGroups.onDidChangeTabs(({ opened, changed, closed }) => {
        if ([...opened, ...changed, ...closed].some((tab) => this.#isOwn(tab))) store();
      }),
    );
  }

  /** Reopens tabs of the previous window that this window lost. */
  async openLost(reopen: Reopen): Promise<void> {
    const isRestoring = vscode.workspace.getConfiguration('workbench.editor').get<boolean>('restoreEditors');
    if (this.#previousTabs.length === 0 || isRestoring === false) return;
    await waitForTabGroups();
    for (const { id, column } of missingTabs(this.#previousTabs, this.#tabs())) await reopen(id, column);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #store(pages: readonly P[]): Promise<void> {
    const { memoryKey, idOf } = this.#kind;
    const shown: readonly OpenTab[] = pages.map((page) => ({
      id: idOf(page),
      title: page.panel.title,
      column: page.panel.viewColumn,
    }));
    const open = [...shown, ...this.#unviewedTabs(pages)];
    if (JSON.stringify(open) === JSON.stringify(this.#memory.get(memoryKey))) return;
    await this.#memory.update(memoryKey, open);
  }

  /** The contents of the previous window's tabs that exist but were not viewed yet. */
  #unviewedTabs(shown: readonly P[]): readonly OpenTab[] {
    const titles = this.#otherTabs(shown).map(({ label }) => label);
    const ids = shown.map(this.#kind.idOf);
    return this.#previousTabs.filter(({ id, title }) => titles.includes(title) && !ids.includes(id));
  }

  /** The tabs that do not belong to open panels. */
  #otherTabs(shown: readonly P[]): readonly vscode.Tab[] {
    const titles = shown.map(({ panel }) => panel.title);
    return unmatched(this.#tabs(), ({ label }) => label, titles);
  }

  #tabs(): readonly vscode.Tab[] {
    return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => this.#isOwn(tab));
  }

  /** VS Code adds its own prefix to the type. */
  #isOwn({ input }: vscode.Tab): boolean {
    return input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelType(this.#kind.name));
  }
}

/**
 * The contents without a tab of the same title. VS Code reports only the title of a tab that was not viewed yet.
 */
function missingTabs(previousTabs: readonly OpenTab[], tabs: readonly vscode.Tab[]): readonly OpenTab[] {
  const titles = tabs.map(({ label }) => label);
  return unmatched(previousTabs, ({ title }) => title, titles);
}

/** The items whose title is not in `titles`. Each of the titles matches only one item. */
function unmatched<T>(
  items: readonly T[],
  titleOf: (item: T) => string,
  titles: readonly string[],
): readonly T[] {
  const left = [...titles];
  return items.filter((item) => {
    const index = left.indexOf(titleOf(item));
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
}

/** There is always at least one group, once VS Code has reported the groups. */
async function waitForTabGroups(): Promise<void> {
  while (vscode.window.tabGroups.all.length === 0) {
    await new Promise<void>((resolve) => {
      const subscription = vscode.window.tabGroups.onDidChangeTabGroups(() => {
        subscription.dispose();
        resolve();
      });
    });
  }
}

/** VS Code opens a group for every lower column first. */
function isColumn(value: unknown): value is vscode.ViewColumn {
  return (
    typeof value === 'number' && vscode.ViewColumn[value] !== undefined && value >= vscode.ViewColumn.One
  );
}

function openTabsOf(stored: unknown): readonly OpenTab[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (each): each is OpenTab =>
      isObject(each) &&
      typeof each.id === 'string' &&
      typeof each.title === 'string' &&
      (each.column === undefined || isColumn(each.column)),
  );
}
