import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import { panelType } from '../manifest/contributions.ts';

/** What a page shows where there is one of its kind. */
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
export interface TabKind<P> {
  /** The name of the kind of panels. */
  readonly name: string;
  /** Where they are remembered. */
  readonly memoryKey: string;
  /** What a page shows. */
  readonly idOf: (page: P) => string;
}

/** The pages of one kind that are shown. */
interface ShownPages<P> {
  readonly all: readonly P[];
  readonly onDidChange: vscode.Event<void>;
}

/** Never rejects, so that one page which cannot be read keeps no other one closed. */
type Reopen = (id: string, column: vscode.ViewColumn | undefined) => Promise<unknown>;

/**
 * What has tabs in this workspace, for the window that comes after a crash. VS Code saves its own record of tabs after
 * up to a minute (in a browser after 5 s, and not as the window reloads), a memento at once.
 */
export class OpenTabs<P extends TabPage> {
  readonly #memory: vscode.Memento;
  readonly #kind: TabKind<P>;
  readonly #left: readonly OpenTab[];
  readonly #subscriptions: vscode.Disposable[] = [];

  /** @param memory of the workspace */
  constructor(memory: vscode.Memento, kind: TabKind<P>) {
    this.#memory = memory;
    this.#kind = kind;
    this.#left = openTabsOf(memory.get(kind.memoryKey));
  }

  /** Whether the window before had such tabs. */
  get wereLeft(): boolean {
    return this.#left.length > 0;
  }

  /**
   * The tab that the window before left, and at which nobody has looked yet: VS Code says what it shows only then.
   * Undefined where it may show something else.
   */
  waitingTab(id: string, shown: readonly P[]): vscode.Tab | undefined {
    const left = this.#waiting(shown);
    const own = left.find((each) => each.id === id);
    const isNamesake = ({ title }: OpenTab) => title === own?.title;
    const tabs = this.#tabsBeside(shown).filter(({ label }) => label === own?.title);
    return tabs.length === 1 && left.filter(isNamesake).length === 1 ? tabs[0] : undefined;
  }

  /** Remembers what is open from now on. Ends before the tabs do, as the window closes. */
  follow(pages: ShownPages<P>): void {
    const remember = () => void this.#remember(pages.all);
    this.#subscriptions.push(
      pages.onDidChange(remember),
      vscode.window.tabGroups.onDidChangeTabs(({ opened, changed, closed }) => {
        if ([...opened, ...changed, ...closed].some((tab) => this.#isOwn(tab))) remember();
      }),
    );
  }

  /** Opens again whose tabs the window before had, and this one lost. */
  async openLost(reopen: Reopen): Promise<void> {
    const isRestoring = vscode.workspace.getConfiguration('workbench.editor').get<boolean>('restoreEditors');
    if (this.#left.length === 0 || isRestoring === false) return;
    await tabsKnown();
    for (const { id, column } of lost(this.#left, this.#tabs())) await reopen(id, column);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #remember(pages: readonly P[]): Promise<void> {
    const { memoryKey, idOf } = this.#kind;
    const shown: readonly OpenTab[] = pages.map((page) => ({
      id: idOf(page),
      title: page.panel.title,
      column: page.panel.viewColumn,
    }));
    const open = [...shown, ...this.#waiting(pages)];
    if (JSON.stringify(open) === JSON.stringify(this.#memory.get(memoryKey))) return;
    await this.#memory.update(memoryKey, open);
  }

  /** What the window before showed in tabs that are there, and do not show it yet. */
  #waiting(shown: readonly P[]): readonly OpenTab[] {
    const titles = this.#tabsBeside(shown).map(({ label }) => label);
    const ids = shown.map(this.#kind.idOf);
    return this.#left.filter(({ id, title }) => titles.includes(title) && !ids.includes(id));
  }

  /** The tabs that are not those of open panels. */
  #tabsBeside(shown: readonly P[]): readonly vscode.Tab[] {
    const titles = shown.map(({ panel }) => panel.title);
    return this.#tabs().filter(({ label }) => {
      const at = titles.indexOf(label);
      if (at !== -1) titles.splice(at, 1);
      return at === -1;
    });
  }

  #tabs(): readonly vscode.Tab[] {
    return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => this.#isOwn(tab));
  }

  /** VS Code puts a word of its own before the type. */
  #isOwn({ input }: vscode.Tab): boolean {
    return input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelType(this.#kind.name));
  }
}

/** Those without a tab of their title. A tab tells no more before it is first shown. */
function lost(left: readonly OpenTab[], tabs: readonly vscode.Tab[]): readonly OpenTab[] {
  const titles = tabs.map(({ label }) => label);
  return left.filter(({ title }) => {
    const at = titles.indexOf(title);
    if (at !== -1) titles.splice(at, 1);
    return at === -1;
  });
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

function openTabsOf(remembered: unknown): readonly OpenTab[] {
  if (!Array.isArray(remembered)) return [];
  return remembered.filter(
    (each): each is OpenTab =>
      isObject(each) &&
      typeof each.id === 'string' &&
      typeof each.title === 'string' &&
      (each.column === undefined || isColumn(each.column)),
  );
}
