import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';

const maxTitleLength = 60;

/** Opens an editor tab with a webview in which Ctrl+F finds. The caller sets what it may load. */
export function openTab(type: string, title: string): vscode.WebviewPanel {
  const options = { enableScripts: true, enableFindWidget: true, localResourceRoots: [] };
  const { Active } = vscode.ViewColumn;
  return vscode.window.createWebviewPanel(type, plainLine(title, maxTitleLength), Active, options);
}

export function renameTab(panel: vscode.WebviewPanel, title: string): void {
  panel.title = plainLine(title, maxTitleLength);
}
