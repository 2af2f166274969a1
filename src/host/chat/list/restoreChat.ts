import * as vscode from 'vscode';
import type { ListedConversation } from '../../../conversations/store/listing.ts';
import { pick } from '../../kit/display/prompts.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { shortTime } from '../../kit/display/times.ts';
import type { ChatServices } from '../chatServices.ts';
import { chatName } from './chatRows.ts';

/** How many are offered: those that were deleted last. */
const maxOffered = 500;

/**
 * Brings back a chat that was deleted in any window, also before this one began, until it is gone for good.
 *
 * @returns its id; undefined when the user cancels, or nothing is deleted
 */
export async function restoreChat({
  conversations,
  deletedChats,
}: ChatServices): Promise<string | undefined> {
  const store = await conversations.store();
  const deleted = store.deleted(maxOffered);
  if (deleted.length === 0) {
    showStatusMessage(vscode.l10n.t('There is no deleted chat to restore.'));
    return undefined;
  }
  const chosen = await pick(deleted.map(choiceOf), {
    title: vscode.l10n.t('Choose the chat to restore'),
    placeHolder: vscode.l10n.t('Deleted chats are permanently removed after 30 days.'),
  });
  if (!chosen) return undefined;
  await conversations.change((each) => each.undelete(chosen.id));
  deletedChats.forget(chosen.id);
  return chosen.id;
}

function choiceOf(chat: ListedConversation) {
  const { id, deletedAt = 0, model } = chat;
  const when = vscode.l10n.t('deleted {0}', shortTime(deletedAt));
  return { id, label: chatName(chat), description: [when, model].filter(Boolean).join(' · ') };
}
