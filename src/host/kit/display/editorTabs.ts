import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';
import { isInputOpen } from './quickInput.ts';

const maxTitleLength = 60;

/** The location of a new tab. */
export interface TabLocation {
  /** Whether the focus does not move to the tab. */
  readonly preserveFocus?: boolean;
  /** Whether the tab opens next to the active tab. */
  readonly isBeside?: boolean;
  /** The column of the tab if `isBeside` is not set; by default the active column. */
  readonly column?: vscode.ViewColumn | undefined;
}

/**
 * Opens an editor tab with a webview. The caller sets the allowed resources.
 *
 * @param hasOwnFindWidget whether the page has its own find widget instead of VS Code's
 */
export function openTab(
  type: string,
  title: string,
  location: TabLocation = {},
  hasOwnFindWidget = false,
): vscode.WebviewPanel {
  const options = { enableScripts: true, enableFindWidget: !hasOwnFindWidget, localResourceRoots: [] };
  const { isBeside = false, preserveFocus = false, column = vscode.ViewColumn.Active } = location;
  const viewColumn = isBeside ? vscode.ViewColumn.Beside : column;
  const showOptions = { viewColumn, preserveFocus: preserveFocus || isInputOpen() };
  return vscode.window.createWebviewPanel(type, plainLine(title, maxTitleLength), showOptions, options);
}

/** Shows a tab at its current position, or moves it next to the active tab. */
export function revealTab(
  panel: vscode.WebviewPanel,
  { isBeside = false, preserveFocus = false }: TabLocation = {},
): void {
  panel.reveal(isBeside ? vscode.ViewColumn.Beside : undefined, preserveFocus || isInputOpen());
}

export function renameTab(panel: vscode.WebviewPanel, title: string): void {
  panel.title = plainLine(title, maxTitleLength);
}
