import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { ChatServices } from '../chatServices.ts';
import type { ChatPanel } from './chatPanel.ts';

/** Returns the chat that was active last. Offers to open one when there is none. */
export async function activeChat({ chats }: ChatServices): Promise<ChatPanel | undefined> {
  if (chats.lastActive) return chats.lastActive;
  const open = vscode.l10n.t('New Chat');
  const chosen = await notify('info', vscode.l10n.t('No chat is open.'), open);
  if (chosen === open) await runCommand('newChat');
  return undefined;
}
