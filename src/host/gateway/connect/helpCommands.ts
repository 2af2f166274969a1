import * as vscode from 'vscode';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import { fileExists, showMarkdown } from '../../kit/display/editors.ts';
import { extensionId, setContextKey } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';

/** Opens the settings editor with a query. */
export async function openSettings(query: string): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', query);
}

/** Opens the walkthrough of the first steps, with the completed steps ticked. */
export async function getStarted({ conversations }: GatewayServices): Promise<void> {
  setContextKey('stepsShown', false);
  await vscode.commands.executeCommand(
    'workbench.action.openWalkthrough',
    `${extensionId}#getStarted`,
    false,
  );
  setContextKey('hasAsked', await hasSentMessage(conversations));
  // VS Code checks whether a step is done only when a key of its condition changes.
  setContextKey('stepsShown', true);
}

/** Whether a message was ever sent. Read errors are reported where the conversations are shown. */
async function hasSentMessage(conversations: ConversationService): Promise<boolean> {
  const store = await conversations.store().catch(() => undefined);
  return (
    store !== undefined && store.list({ hasMessages: true, archived: 'any' }, 1).conversations.length > 0
  );
}

/**
 * Opens a packaged help page, in Chinese if VS Code's language is Chinese and the page exists in it.
 *
 * @param page the name of a page, such as `local-gateway/start`, and optionally `#` and a heading. By default, or if
 * the page does not exist, the index is opened
 */
export async function openHelp(_services: GatewayServices, page?: unknown): Promise<void> {
  const extension = vscode.extensions.getExtension(extensionId);
  if (!extension) return;
  const docs = vscode.Uri.joinPath(extension.extensionUri, 'docs');
  const folders = vscode.env.language === 'zh-cn' ? [vscode.Uri.joinPath(docs, 'zh-cn'), docs] : [docs];
  const [, name = 'README', fragment = ''] = helpPage.exec(typeof page === 'string' ? page : '') ?? [];
  const pages = folders.map((folder) => vscode.Uri.joinPath(folder, `${name}.md`).with({ fragment }));
  const indexes = folders.map((folder) => vscode.Uri.joinPath(folder, 'README.md'));
  for (const file of [...pages, ...indexes]) if (await fileExists(file)) return showMarkdown(file);
}

/** A file in `docs` or in a folder of it, without its extension, and optionally a heading. */
const helpPage = /^((?:[a-z-]+\/)?[a-z-]+)(?:#([a-z-]+))?$/;
