import * as vscode from 'vscode';
import { plainLine, plainText } from './plainText.ts';
import type { TreeRow } from './treeRowCache.ts';

const maxLabelLength = 300;
const maxTooltipLength = 4000;

/**
 * The command of a click. It has no arguments and uses the selected row, because VS Code discards the arguments of a
 * row whenever the row is refreshed, and then rejects a click.
 */
export interface RowCommand {
  readonly command: string;
  readonly title: string;
  readonly arguments?: never;
}

/** A row of a tree view. All texts are plain text. */
export interface Row {
  /** The id of the row. VS Code uses it to preserve the selection and the expanded state. */
  readonly id: string;
  readonly label: string;
  readonly icon?: string | undefined;
  /** The theme colour of the icon. */
  readonly color?: string | undefined;
  readonly description?: string | undefined;
  /** Plain text, which may have several lines. */
  readonly tooltip?: string | undefined;
  /** The context value, which the manifest uses to show menus. */
  readonly context?: string | undefined;
  readonly command?: RowCommand | undefined;
  /** The text for screen readers, instead of label and description. */
  readonly spoken?: string | undefined;
  readonly children?: 'expanded' | 'collapsed' | undefined;
}

export function createTreeItem(row: Row): vscode.TreeItem {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const state = row.children === undefined ? None : row.children === 'expanded' ? Expanded : Collapsed;
  const item = new vscode.TreeItem(plainLine(row.label, maxLabelLength), state);
  item.id = row.id;
  if (row.icon !== undefined) {
    item.iconPath = new vscode.ThemeIcon(row.icon, row.color ? new vscode.ThemeColor(row.color) : undefined);
  }
  if (row.description !== undefined) item.description = plainLine(row.description, maxLabelLength);
  if (row.tooltip !== undefined) addTooltip(item, row.tooltip);
  if (row.context !== undefined) item.contextValue = row.context;
  if (row.command !== undefined) item.command = row.command;
  if (row.spoken !== undefined) {
    item.accessibilityInformation = { label: plainLine(row.spoken, maxTooltipLength) };
  }
  return item;
}

/** Creates a row that is drawn again when its data changes. */
export function createRow<const N>(node: N, row: Row): TreeRow<N> {
  return { id: row.id, node, look: row, item: () => createTreeItem(row) };
}

/** Sets the tooltip of a row as plain text, which may have several lines. */
export function addTooltip(item: vscode.TreeItem, tooltip: string): vscode.TreeItem {
  item.tooltip = plainText(tooltip, maxTooltipLength);
  return item;
}

/** Sets the text next to the title of a view. */
export function showViewDescription<T>(view: vscode.TreeView<T>, text: string | undefined): void {
  view.description = text === undefined ? undefined : plainLine(text, maxLabelLength);
}

/** Sets the number on the icon of a view; 0 removes it. */
export function showViewCount<T>(view: vscode.TreeView<T>, count: number, tooltip: string): void {
  view.badge = count > 0 ? { value: count, tooltip: plainLine(tooltip, maxLabelLength) } : undefined;
}

/** Shows a line above the rows of a view. */
export function showViewMessage<T>(view: vscode.TreeView<T>, text: string | undefined): void {
  view.message = text === undefined ? undefined : plainLine(text, maxLabelLength);
}
