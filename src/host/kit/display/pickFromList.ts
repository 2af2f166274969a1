import * as vscode from 'vscode';
import { containsWords, searchWords } from '../../../base/searchWords.ts';
import { plainLine } from './plainText.ts';
import { awaitInput, type Choice, type PickOptions, toQuickPickItem } from './quickInput.ts';

const maxTextLength = 600;

/** A button at the end of a row. A click updates the list, which remains open. */
export interface RowButton {
  readonly icon: string;
  readonly tooltip: string;
  readonly press: () => Promise<void> | void;
}

/** A row of a list with groups. */
export interface ListRow extends Choice {
  /** The heading above the rows of a group. */
  readonly group?: string;
  readonly buttons?: readonly RowButton[];
  /** Called when the row is chosen, to change the list. Such a row is never the result, and is not filtered. */
  readonly change?: () => void;
}

interface ShownRow<R> extends vscode.QuickPickItem {
  readonly row?: R;
  readonly buttons?: readonly (vscode.QuickInputButton & Pick<RowButton, 'press'>)[];
}

/**
 * Shows a list with groups to choose from. Typing filters by label, description and detail. Several words match in
 * any order.
 *
 * @param createRows creates the rows. It is called again after each change by a button or a row.
 * @returns undefined if the user cancels
 */
export async function pickFromList<R extends ListRow>(
  createRows: () => readonly R[] | Promise<readonly R[]>,
  options: PickOptions,
): Promise<R | undefined> {
  const list = vscode.window.createQuickPick<ShownRow<R>>();
  list.title = plainLine(options.title, maxTextLength);
  list.placeholder = plainLine(options.placeHolder ?? '', maxTextLength);
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  let items: readonly ShownRow<R>[] = [];
  const show = async () => {
    const [active] = list.activeItems;
    list.keepScrollPosition = active !== undefined;
    items = toItems(await createRows());
    const shown = addWordMatches(items, list.value);
    list.items = shown;
    const activeRow = active && shown.find(({ row }) => row?.label === active.row?.label);
    if (activeRow) list.activeItems = [activeRow];
  };
  const { promise, resolve, reject } = Promise.withResolvers<R | undefined>();
  const showAgain = () => void show().catch(reject);
  let hadSeveralWords = false;
  list.onDidChangeValue((typed) => {
    const hasSeveralWords = searchWords(typed).length > 1;
    if (hasSeveralWords || hadSeveralWords) list.items = addWordMatches(items, typed);
    hadSeveralWords = hasSeveralWords;
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
    return await awaitInput(promise);
  } finally {
    list.dispose();
  }
}

/** Also shows rows that contain each of several words, because VS Code matches the typed text as one word. */
function addWordMatches<R extends ListRow>(
  rows: readonly ShownRow<R>[],
  typed: string,
): readonly ShownRow<R>[] {
  const words = searchWords(typed);
  if (words.length < 2) return rows;
  return rows.map((row) => {
    const text = `${row.label} ${row.description ?? ''} ${row.detail ?? ''}`;
    return containsWords(text, words) ? { ...row, alwaysShow: true } : row;
  });
}

function toItems<R extends ListRow>(rows: readonly R[]): readonly ShownRow<R>[] {
  return rows.flatMap((row, index) => {
    const { group } = row;
    const heading =
      group === rows[index - 1]?.group
        ? []
        : [{ label: plainLine(group ?? '', maxTextLength), kind: vscode.QuickPickItemKind.Separator }];
    return [...heading, toItem(row)];
  });
}

function toItem<R extends ListRow>(row: R): ShownRow<R> {
  const buttons = (row.buttons ?? []).map(({ icon, tooltip, press }) => ({
    iconPath: new vscode.ThemeIcon(icon),
    tooltip: plainLine(tooltip, maxTextLength),
    press,
  }));
  const { label, description, detail } = toQuickPickItem(row);
  return { label, description, detail, row, buttons, alwaysShow: row.change !== undefined };
}
