import * as vscode from 'vscode';

/** Whether the extension runs on the machine that the user works at, and not for a browser or a remote window. */
export function isLocalWindow(): boolean {
  return vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
}
