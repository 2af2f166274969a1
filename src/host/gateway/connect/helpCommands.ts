import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import { showMarkdown } from '../../kit/display/markdownPreview.ts';
import { extensionId, setContextKey, settingsSection } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';

/** Opens this extension's settings. */
export async function openSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${extensionId}`);
}

/** Opens the walkthrough of the first steps, with those ticked that were done before. */
export async function getStarted({ conversations }: GatewayServices): Promise<void> {
  setContextKey('stepsShown', false);
  await vscode.commands.executeCommand(
    'workbench.action.openWalkthrough',
    `${extensionId}#getStarted`,
    false,
  );
  setContextKey('hasAsked', await hasAsked(conversations));
  // VS Code looks whether a step is done only when a key of its condition changes.
  setContextKey('stepsShown', true);
}

/** Chats that cannot be read are told of where they are shown. */
async function hasAsked(conversations: ConversationService): Promise<boolean> {
  const store = await conversations.store().catch(() => undefined);
  return store !== undefined && store.list({ asked: true, archived: 'any' }, 1).conversations.length > 0;
}

/** Opens this extension's page, which says what it does and how. */
export async function openHelp(): Promise<void> {
  const extension = vscode.extensions.getExtension(extensionId);
  const facts: unknown = extension?.packageJSON;
  // VS Code has no page for an extension that runs from its source, as `npm start` runs it, and says nothing.
  if (extension && isObject(facts) && facts.isUnderDevelopment === true) {
    const readme = vscode.Uri.joinPath(extension.extensionUri, 'README.md');
    await showMarkdown(readme);
  } else await vscode.commands.executeCommand('extension.open', extensionId);
}

export async function openTimeouts(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${settingsSection}.timeouts`);
}

export async function openProxySettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'http.proxy');
}
