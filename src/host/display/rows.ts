import * as vscode from 'vscode';
import { plainLine, plainText } from './plainText.ts';

const maxLabelLength = 300;
const maxTooltipLength = 4000;

/** A row of a tree, in plain words. */
export interface Row {
  /** Keeps the row's place and selection; never shown. */
  readonly id: string;
  readonly label: string;
  readonly icon?: string | undefined;
  /** The id of a colour of the theme, for the icon. */
  readonly color?: string | undefined;
  readonly description?: string | undefined;
  /** Text over several lines, never Markdown. */
  readonly tooltip?: string | undefined;
  /** Which menus it has. */
  readonly context?: string | undefined;
  /** What a click does. */
  readonly command?: vscode.Command | undefined;
  /** What a screen reader says instead of label and description. */
  readonly spoken?: string | undefined;
  readonly children?: 'expanded' | 'collapsed' | undefined;
}

export function treeItem(row: Row): vscode.TreeItem {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const state = row.children === undefined ? None : row.children === 'expanded' ? Expanded : Collapsed;
  const item = new vscode.TreeItem(plainLine(row.label, maxLabelLength), state);
  item.id = row.id;
  if (row.icon !== undefined) {
    item.iconPath = new vscode.ThemeIcon(row.icon, row.color ? new vscode.ThemeColor(row.color) : undefined);
  }
  if (row.description !== undefined) item.description = plainLine(row.description, maxLabelLength);
  if (row.tooltip !== undefined) item.tooltip = plainText(row.tooltip, maxTooltipLength);
  if (row.context !== undefined) item.contextValue = row.context;
  if (row.command !== undefined) item.command = row.command;
  if (row.spoken !== undefined) {
    item.accessibilityInformation = { label: plainLine(row.spoken, maxTooltipLength) };
  }
  return item;
}

/** Says something beside the title of a view. */
export function describeView<T>(view: vscode.TreeView<T>, text: string | undefined): void {
  view.description = text === undefined ? undefined : plainLine(text, maxLabelLength);
}

/** Counts something on the icon of a view; nothing for zero. */
export function countOnView<T>(view: vscode.TreeView<T>, count: number, tooltip: string): void {
  view.badge = count > 0 ? { value: count, tooltip: plainLine(tooltip, maxLabelLength) } : undefined;
}
