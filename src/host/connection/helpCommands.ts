import * as vscode from 'vscode';
import { extensionId, setContextKey, settingsSection } from '../contributions.ts';

/** Opens this extension's settings. */
export async function openSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${extensionId}`);
}

/** Opens the walkthrough of the first steps, with those ticked that were done before. */
export async function getStarted(): Promise<void> {
  setContextKey('stepsShown', false);
  await vscode.commands.executeCommand(
    'workbench.action.openWalkthrough',
    `${extensionId}#getStarted`,
    false,
  );
  // VS Code looks whether a step is done only when a key of its condition changes.
  setContextKey('stepsShown', true);
}

/** Opens this extension's page, which says what it does and how. */
export async function openHelp(): Promise<void> {
  await vscode.commands.executeCommand('extension.open', extensionId);
}

export async function openTimeouts(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${settingsSection}.timeouts`);
}

export async function openProxySettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'http.proxy');
}
