import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';

const longestTitle = 60;

/** Opens an editor tab with a page in it. */
export function openTab(
  type: string,
  title: string,
  options: vscode.WebviewPanelOptions & vscode.WebviewOptions,
): vscode.WebviewPanel {
  const { Active } = vscode.ViewColumn;
  return vscode.window.createWebviewPanel(type, plainLine(title, longestTitle), Active, options);
}

export function renameTab(panel: vscode.WebviewPanel, title: string): void {
  panel.title = plainLine(title, longestTitle);
}
