import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';

const maxTitleLength = 60;

/** Opens an editor tab with a webview in which Ctrl+F finds. The caller sets what it may load. */
export function openTab(type: string, title: string, preserveFocus = false): vscode.WebviewPanel {
  const options = { enableScripts: true, enableFindWidget: true, localResourceRoots: [] };
  const place = { viewColumn: vscode.ViewColumn.Active, preserveFocus };
  return vscode.window.createWebviewPanel(type, plainLine(title, maxTitleLength), place, options);
}

export function renameTab(panel: vscode.WebviewPanel, title: string): void {
  panel.title = plainLine(title, maxTitleLength);
}
