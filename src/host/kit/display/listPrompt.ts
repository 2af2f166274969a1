import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';
import { answerOfInput, type Choice, type PickOptions, shownChoice } from './prompts.ts';

const maxTextLength = 600;

/** A button at the end of a row. The list stays open, and is shown anew after a click. */
export interface RowButton {
  readonly icon: string;
  readonly tooltip: string;
  readonly press: () => Promise<void> | void;
}

/** A row of a list with groups. */
export interface ListRow extends Choice {
  /** The title that stands before the rows of a group. */
  readonly group?: string;
  readonly buttons?: readonly RowButton[];
  /** Changes the list in place of being chosen. Such a row stays, whatever is typed. */
  readonly change?: () => void;
}

interface ShownRow<R> extends vscode.QuickPickItem {
  readonly row?: R;
  readonly buttons?: readonly (vscode.QuickInputButton & Pick<RowButton, 'press'>)[];
}

/**
 * Shows a list with groups to choose from. Typing filters by label, description and detail, in which each of
 * several words may stand anywhere.
 *
 * @param rows makes the rows, again whenever a button or a row changed something
 * @returns undefined when the user cancels
 */
export async function pickFromList<R extends ListRow>(
  rows: () => readonly R[] | Promise<readonly R[]>,
  options: PickOptions,
): Promise<R | undefined> {
  const list = vscode.window.createQuickPick<ShownRow<R>>();
  list.title = plainLine(options.title, maxTextLength);
  list.placeholder = plainLine(options.placeHolder ?? '', maxTextLength);
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  let all: readonly ShownRow<R>[] = [];
  const show = async () => {
    const [active] = list.activeItems;
    list.keepScrollPosition = active !== undefined;
    all = shownRows(await rows());
    const shown = holding(all, list.value);
    list.items = shown;
    const same = active && shown.find(({ row }) => row?.label === active.row?.label);
    if (same) list.activeItems = [same];
  };
  const { promise, resolve, reject } = Promise.withResolvers<R | undefined>();
  const showAgain = () => void show().catch(reject);
  let hadWords = false;
  list.onDidChangeValue((typed) => {
    const hasWords = wordsOf(typed).length > 1;
    if (hasWords || hadWords) list.items = holding(all, typed);
    hadWords = hasWords;
  });
  list.onDidAccept(() => {
    const [chosen] = list.activeItems;
    if (!chosen?.row) return;
    if (!chosen.row.change) return resolve(chosen.row);
    chosen.row.change();
    showAgain();
  });
  list.onDidTriggerItemButton(async ({ item, button }) => {
    await item.buttons?.find((each) => each === button)?.press();
    showAgain();
  });
  list.onDidHide(() => resolve(undefined));
  list.busy = true;
  list.show();
  try {
    await show();
    list.busy = false;
    return await answerOfInput(promise);
  } finally {
    list.dispose();
  }
}

/** VS Code looks for what is typed as one word; rows that hold each of several words are shown in spite of it. */
function holding<R extends ListRow>(rows: readonly ShownRow<R>[], typed: string): readonly ShownRow<R>[] {
  const words = wordsOf(typed);
  if (words.length < 2) return rows;
  return rows.map((shown) => {
    const text = `${shown.label} ${shown.description ?? ''} ${shown.detail ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? { ...shown, alwaysShow: true } : shown;
  });
}

function wordsOf(typed: string): readonly string[] {
  return typed.toLowerCase().split(/\s+/).filter(Boolean);
}

function shownRows<R extends ListRow>(rows: readonly R[]): readonly ShownRow<R>[] {
  return rows.flatMap((row, nth) => {
    const { group } = row;
    const title =
      group === rows[nth - 1]?.group
        ? []
        : [{ label: plainLine(group ?? '', maxTextLength), kind: vscode.QuickPickItemKind.Separator }];
    return [...title, shownRow(row)];
  });
}

function shownRow<R extends ListRow>(row: R): ShownRow<R> {
  const buttons = (row.buttons ?? []).map(({ icon, tooltip, press }) => ({
    ...{ iconPath: new vscode.ThemeIcon(icon), tooltip: plainLine(tooltip, maxTextLength), press },
  }));
  const { label, description, detail } = shownChoice(row);
  return { label, description, detail, row, buttons, alwaysShow: row.change !== undefined };
}
