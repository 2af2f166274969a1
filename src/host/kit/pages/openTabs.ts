import * as vscode from 'vscode';
import { isObject, sameJson } from '../../../base/json.ts';
import { panelType } from '../manifest/contributions.ts';

/** The id of the content for kinds with a single page. */
export const onlyPage = 'only';

interface OpenTab {
  readonly id: string;
  readonly title: string;
  readonly column: number | undefined;
}

interface TabPage {
  readonly panel: vscode.WebviewPanel;
}

/** A kind of tabs. */
interface TabKind<P> {
  /** The name of the panel kind. */
  readonly name: string;
  /** The key of the stored tabs. */
  readonly memoryKey: string;
  /** Reads the id of the content that a page shows. */
  readonly readId: (page: P) => string;
  /** Creates the part of a page's stored state from which this content is restored. */
  readonly createState: (id: string) => unknown;
}

/** The open pages of a kind. */
interface ShownPages<P> {
  readonly all: readonly P[];
  readonly onDidChange: vscode.Event<void>;
}

/** Reopens a tab. Must not reject, because an unreadable page must not prevent the other pages from opening. */
type Reopen = (id: string, column: vscode.ViewColumn | undefined) => Promise<unknown>;

/**
 * The open tabs of this workspace, which are stored for the next window after a crash. VS Code saves its own list of
 * tabs up to a minute later. In a browser, it saves the list 5 seconds later, and not before the window reloads. It
 * saves a memento immediately.
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
    this.#previousTabs = readOpenTabs(memory.get(kind.memoryKey));
  }

  /** Whether the previous window had tabs of this kind. */
  get hasPreviousTabs(): boolean {
    return this.#previousTabs.length > 0;
  }

  /**
   * Finds a tab of the previous window that was not viewed yet. VS Code reports the content of a tab only when the tab
   * is viewed. Returns undefined if the tab is ambiguous.
   */
  findUnviewedTab(id: string, shown: readonly P[]): vscode.Tab | undefined {
    const unviewed = this.#findUnviewedTabs(shown);
    const title = unviewed.find((each) => each.id === id)?.title;
    const tabs = this.#findOtherTabs(shown).filter(({ label }) => label === title);
    const isUnique = unviewed.filter((each) => each.title === title).length === 1;
    return tabs.length === 1 && isUnique ? tabs[0] : undefined;
  }

  /**
   * Creates the state of a restored page whose tab VS Code saved before the page stored its state. Returns undefined if
   * the content is unknown or ambiguous.
   */
  findUnsavedState(title: string, shown: readonly P[]): unknown {
    const ids = shown.map(this.#kind.readId);
    const [onlyTab, ...others] = this.#previousTabs.filter(
      (each) => each.title === title && !ids.includes(each.id),
    );
    return onlyTab && others.length === 0 ? this.#kind.createState(onlyTab.id) : undefined;
  }

  /** Stores the open tabs from now on. When the window closes, this object must be disposed before the tabs. */
  follow(pages: ShownPages<P>): void {
    const store = () => void this.#store(pages.all);
    this.#subscriptions.push(
      pages.onDidChange(store),
      vscode.window.tabGroups.onDidChangeTabs(({ opened, changed, closed }) => {
        if ([...opened, ...changed, ...closed].some((tab) => this.#isOwn(tab))) store();
      }),
    );
  }

  /** Reopens the tabs of the previous window that VS Code did not restore. */
  async reopenLost(reopen: Reopen): Promise<void> {
    const isRestoring = vscode.workspace.getConfiguration('workbench.editor').get<boolean>('restoreEditors');
    if (this.#previousTabs.length === 0 || isRestoring === false) return;
    await waitForTabGroups();
    for (const { id, column } of findMissingTabs(this.#previousTabs, this.#findOwnTabs()))
      await reopen(id, column);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #store(pages: readonly P[]): Promise<void> {
    const { memoryKey, readId } = this.#kind;
    const shownTabs: readonly OpenTab[] = pages.map((page) => ({
      id: readId(page),
      title: page.panel.title,
      column: page.panel.viewColumn,
    }));
    const openTabs = [...shownTabs, ...this.#findUnviewedTabs(pages)];
    if (sameJson(openTabs, this.#memory.get(memoryKey))) return;
    await this.#memory.update(memoryKey, openTabs);
  }

  /** Finds the tabs of the previous window that VS Code restored, but that were not viewed yet. */
  #findUnviewedTabs(shown: readonly P[]): readonly OpenTab[] {
    const titles = this.#findOtherTabs(shown).map(({ label }) => label);
    const ids = shown.map(this.#kind.readId);
    return this.#previousTabs.filter(({ id, title }) => titles.includes(title) && !ids.includes(id));
  }

  /** Finds the tabs that do not belong to open panels. */
  #findOtherTabs(shown: readonly P[]): readonly vscode.Tab[] {
    const titles = shown.map(({ panel }) => panel.title);
    return findUnmatched(this.#findOwnTabs(), ({ label }) => label, titles);
  }

  #findOwnTabs(): readonly vscode.Tab[] {
    return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => this.#isOwn(tab));
  }

  /** Whether a tab is of this kind. VS Code adds its own prefix to the type. */
  #isOwn({ input }: vscode.Tab): boolean {
    return input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelType(this.#kind.name));
  }
}

/**
 * Finds the previous tabs without a tab of the same title. VS Code reports only the title of a tab that was not viewed.
 */
function findMissingTabs(previousTabs: readonly OpenTab[], tabs: readonly vscode.Tab[]): readonly OpenTab[] {
  const titles = tabs.map(({ label }) => label);
  return findUnmatched(previousTabs, ({ title }) => title, titles);
}

/** Finds the items without a matching title in `titles`. Each title matches only one item. */
function findUnmatched<T>(
  items: readonly T[],
  readTitle: (item: T) => string,
  titles: readonly string[],
): readonly T[] {
  const remainingTitles = [...titles];
  return items.filter((item) => {
    const index = remainingTitles.indexOf(readTitle(item));
    if (index !== -1) remainingTitles.splice(index, 1);
    return index === -1;
  });
}

/** Waits until VS Code has reported the groups. There is always at least one group. */
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

/** Whether a value is a valid column. VS Code would first open a group for every lower column. */
function isColumn(value: unknown): value is vscode.ViewColumn {
  return (
    typeof value === 'number' && vscode.ViewColumn[value] !== undefined && value >= vscode.ViewColumn.One
  );
}

function readOpenTabs(stored: unknown): readonly OpenTab[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (each): each is OpenTab =>
      isObject(each) &&
      typeof each.id === 'string' &&
      typeof each.title === 'string' &&
      (each.column === undefined || isColumn(each.column)),
  );
}
