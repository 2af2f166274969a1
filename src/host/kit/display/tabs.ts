import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';
import { isInputOpen } from './prompts.ts';

const maxTitleLength = 60;

/** Where a tab opens. */
export interface TabPlace {
  /** Whether the focus stays where it is. */
  readonly preserveFocus?: boolean;
  /** Whether it opens beside the active tab. */
  readonly beside?: boolean;
  /** Where it opens otherwise: the active column by default. */
  readonly column?: vscode.ViewColumn | undefined;
}

/**
 * Opens an editor tab with a webview. The caller sets what it may load.
 *
 * @param findsItself whether the page has a find widget of its own, in place of VS Code's
 */
export function openTab(
  type: string,
  title: string,
  place: TabPlace = {},
  findsItself = false,
): vscode.WebviewPanel {
  const options = { enableScripts: true, enableFindWidget: !findsItself, localResourceRoots: [] };
  const { beside = false, preserveFocus = false, column = vscode.ViewColumn.Active } = place;
  const viewColumn = beside ? vscode.ViewColumn.Beside : column;
  const shown = { viewColumn, preserveFocus: preserveFocus || isInputOpen() };
  return vscode.window.createWebviewPanel(type, plainLine(title, maxTitleLength), shown, options);
}

/** Shows a tab where it is, or moves it beside the active one. */
export function revealTab(
  panel: vscode.WebviewPanel,
  { beside = false, preserveFocus = false }: TabPlace = {},
): void {
  panel.reveal(beside ? vscode.ViewColumn.Beside : undefined, preserveFocus || isInputOpen());
}

export function renameTab(panel: vscode.WebviewPanel, title: string): void {
  panel.title = plainLine(title, maxTitleLength);
}
