import * as vscode from 'vscode';
import { errorText } from './errorText.ts';
import { plainLine } from './plainText.ts';
import { answerOfInput, type Choice, type PickOptions, shownChoice } from './prompts.ts';

/** A row of a list that follows what is typed. */
export interface FoundRow extends Choice {
  /** Whether it only tells something, and cannot be chosen. */
  readonly onlyTells?: boolean;
  /** What takes the place of what was typed, in place of being chosen. */
  readonly types?: string;
}

/** Shows rows in place of those that were there. */
export type ShowFound<R> = (rows: readonly R[], title: string) => void;

export interface TypedListOptions<R extends FoundRow> extends PickOptions {
  /**
   * Shows what it finds, once or several times. Its signal is aborted by the next key, after which what it shows is
   * left out. Why it failed is a row of the list.
   */
  readonly find: (typed: string, show: ShowFound<R>, signal: AbortSignal) => Promise<void>;
  /** A button beside the title, which shows these rows. */
  readonly help?: {
    readonly icon: string;
    readonly tooltip: string;
    readonly rows: (typed: string) => readonly R[];
  };
}

/** Without a row it only tells something. */
type ShownRow<R> = vscode.QuickPickItem & { readonly row?: R };

const maxTextLength = 600;

/**
 * Shows a list of what is found by what is typed, anew with every key.
 *
 * @returns undefined when the user cancels
 */
export async function pickAsTyped<R extends FoundRow>(options: TypedListOptions<R>): Promise<R | undefined> {
  const list = new TypedList(options);
  try {
    return await answerOfInput(list.chosen);
  } finally {
    list.dispose();
  }
}

class TypedList<R extends FoundRow> implements vscode.Disposable {
  readonly #options: TypedListOptions<R>;
  readonly #list = vscode.window.createQuickPick<ShownRow<R>>();
  readonly #chosen = Promise.withResolvers<R | undefined>();
  readonly chosen = this.#chosen.promise;
  #finding = new AbortController();
  /** Whether the rows are those of what is typed. */
  #isCurrent = false;
  /** Whether Enter was pressed while older rows were shown. */
  #isAccepted = false;

  constructor(options: TypedListOptions<R>) {
    const { title, placeHolder = '', help } = options;
    const list = this.#list;
    this.#options = options;
    list.title = plainLine(title, maxTextLength);
    list.placeholder = plainLine(placeHolder, maxTextLength);
    list.matchOnDetail = true;
    // VS Code would put rows whose first line holds what is typed before better ones.
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
    this.#finding.abort();
    this.#list.dispose();
  }

  async #findAgain(typed: string): Promise<void> {
    this.#finding.abort();
    this.#finding = new AbortController();
    const { signal } = this.#finding;
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
      if (!signal.aborted) this.#showItems([failureItem(error)]);
    } finally {
      if (!signal.aborted) this.#list.busy = false;
    }
  }

  #show(rows: readonly R[]): void {
    this.#list.keepScrollPosition = this.#isCurrent;
    this.#showItems(rows.map((row) => ({ ...shownChoice(row), row })));
    const first = rows.find(({ onlyTells }) => !onlyTells);
    if (this.#isAccepted && first) this.#choose(first);
  }

  #showItems(items: readonly ShownRow<R>[]): void {
    // What is found needs no second filter.
    this.#list.items = items.map((item) => ({ ...item, alwaysShow: true }));
    this.#isCurrent = true;
  }

  #accept(): void {
    const { items, activeItems } = this.#list;
    // Which row is active is told only a moment after the rows are shown: until then it is one that is gone.
    const active = activeItems.find((item) => items.includes(item));
    const chosen = active ?? items.find(({ row }) => row && !row.onlyTells);
    if (!this.#isCurrent) this.#isAccepted = true;
    else if (chosen?.row) this.#choose(chosen.row);
  }

  #choose(row: R): void {
    this.#isAccepted = false;
    if (row.onlyTells) return;
    if (row.types === undefined) this.#chosen.resolve(row);
    else this.#list.value = row.types;
  }
}

/** As a row, since a list that stays empty would look like one that found nothing. */
function failureItem(error: unknown): vscode.QuickPickItem {
  return shownChoice({
    label: vscode.l10n.t('The search failed'),
    icon: 'warning',
    detail: errorText(error),
  });
}
