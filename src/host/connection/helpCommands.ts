import * as vscode from 'vscode';
import { extensionId, settingsSection } from '../contributions.ts';

/** Opens this extension's settings. */
export async function openSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${extensionId}`);
}

/** Opens the walkthrough of the first steps. */
export async function getStarted(): Promise<void> {
  await vscode.commands.executeCommand(
    'workbench.action.openWalkthrough',
    `${extensionId}#getStarted`,
    false,
  );
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
