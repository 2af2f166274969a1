import * as vscode from 'vscode';
import type { PageAction } from '../../../protocol/chatPage.ts';
import { notify } from '../../kit/display/notify.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { ChatServices } from '../chatServices.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';

/** Returns the last active chat. If there is none, offers to open a new chat, and returns undefined. */
export async function resolveActiveChat({ chats }: ChatServices): Promise<ChatPanel | undefined> {
  if (chats.lastActive) return chats.lastActive;
  const open = vscode.l10n.t('New Chat');
  const chosen = await notify('info', vscode.l10n.t('No chat is open.'), open);
  if (chosen === open) await runCommand('newChat');
  return undefined;
}

/** Creates a command that performs an action in the last active chat. */
export function createPageCommand(action: PageAction): (services: ChatServices) => Promise<void> {
  return async (services) => (await resolveActiveChat(services))?.perform(action);
}
