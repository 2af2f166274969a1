import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';
import { awaitInput, type Choice, type PickOptions, toQuickPickItem } from './quickInput.ts';
import { errorText } from './storageNotice.ts';

/** A row of a list that depends on the typed text. */
export interface FoundRow extends Choice {
  /** Whether the row is a message, which cannot be chosen. */
  readonly isMessage?: boolean;
  /** The text that replaces the typed text when the row is chosen. The list then remains open. */
  readonly newText?: string;
}

/** Replaces the shown rows and the title of the list. */
type ShowFound<R> = (rows: readonly R[], title: string) => void;

interface TypedListOptions<R extends FoundRow> extends PickOptions {
  /**
   * Finds rows and shows them, once or several times. The next key press aborts the signal. Rows that are shown later
   * are ignored. An error is shown as a row of the list.
   */
  readonly find: (typed: string, show: ShowFound<R>, signal: AbortSignal) => Promise<void>;
  /** A button next to the title, which shows these rows. */
  readonly help?: {
    readonly icon: string;
    readonly tooltip: string;
    readonly rows: (typed: string) => readonly R[];
  };
}

/** An item of the list. An item without `row` is a message. */
type ShownRow<R> = vscode.QuickPickItem & { readonly row?: R };

const maxTextLength = 600;

/**
 * Shows a list that is searched again at every key press.
 *
 * @returns undefined if the user cancels
 */
export async function pickAsTyped<R extends FoundRow>(options: TypedListOptions<R>): Promise<R | undefined> {
  const list = new TypedList(options);
  try {
    return await awaitInput(list.chosen);
  } finally {
    list.dispose();
  }
}

class TypedList<R extends FoundRow> implements vscode.Disposable {
  readonly #options: TypedListOptions<R>;
  readonly #list = vscode.window.createQuickPick<ShownRow<R>>();
  readonly #chosen = Promise.withResolvers<R | undefined>();
  readonly chosen = this.#chosen.promise;
  #search = new AbortController();
  /** Whether the shown rows belong to the current text. */
  #isCurrent = false;
  /** Whether Enter was pressed while rows of an earlier text were shown. */
  #isAccepted = false;

  constructor(options: TypedListOptions<R>) {
    const { title, placeHolder = '', help } = options;
    const list = this.#list;
    this.#options = options;
    list.title = plainLine(title, maxTextLength);
    list.placeholder = plainLine(placeHolder, maxTextLength);
    list.matchOnDetail = true;
    // Otherwise VS Code would move rows with the typed text in their first line to the top.
    Object.assign(list, { sortByLabel: false });
    list.buttons = help
      ? [{ iconPath: new vscode.ThemeIcon(help.icon), tooltip: plainLine(help.tooltip, maxTextLength) }]
      : [];
    list.onDidChangeValue((typed) => void this.#findAgain(typed));
    list.onDidAccept(() => this.#accept());
    list.onDidTriggerButton(() => help && this.#show(help.rows(list.value)));
    list.onDidHide(() => this.#chosen.resolve(undefined));
    list.show();
    void this.#findAgain(list.value);
  }

  dispose(): void {
    this.#search.abort();
    this.#list.dispose();
  }

  async #findAgain(typed: string): Promise<void> {
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;
    this.#isCurrent = false;
    this.#isAccepted = false;
    this.#list.busy = true;
    const show: ShowFound<R> = (rows, title) => {
      if (signal.aborted) return;
      this.#list.title = plainLine(title, maxTextLength);
      this.#show(rows);
    };
    try {
      await this.#options.find(typed, show, signal);
    } catch (error) {
      if (!signal.aborted) this.#showItems([createFailureItem(error)]);
    } finally {
      if (!signal.aborted) this.#list.busy = false;
    }
  }

  #show(rows: readonly R[]): void {
    this.#list.keepScrollPosition = this.#isCurrent;
    this.#showItems(rows.map((row) => ({ ...toQuickPickItem(row), row })));
    const first = rows.find(({ isMessage }) => !isMessage);
    if (this.#isAccepted && first) this.#choose(first);
  }

  #showItems(items: readonly ShownRow<R>[]): void {
    // The rows are already filtered, so VS Code must not filter them again.
    this.#list.items = items.map((item) => ({ ...item, alwaysShow: true }));
    this.#isCurrent = true;
  }

  #accept(): void {
    const { items, activeItems } = this.#list;
    // Shortly after new rows were shown, VS Code still reports an old row as the active row.
    const active = activeItems.find((item) => items.includes(item));
    const chosen = active ?? items.find(({ row }) => row && !row.isMessage);
    if (!this.#isCurrent) this.#isAccepted = true;
    else if (chosen?.row) this.#choose(chosen.row);
  }

  #choose(row: R): void {
    this.#isAccepted = false;
    if (row.isMessage) return;
    if (row.newText === undefined) this.#chosen.resolve(row);
    else this.#list.value = row.newText;
  }
}

/** Creates an item that reports an error. An empty list would look like a search without results. */
function createFailureItem(error: unknown): vscode.QuickPickItem {
  return toQuickPickItem({
    label: vscode.l10n.t('The search failed'),
    icon: 'warning',
    detail: errorText(error),
  });
}
