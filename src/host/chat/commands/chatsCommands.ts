import * as vscode from 'vscode';
import type { ListedConversation } from '../../../conversations/store/listing.ts';
import { reportFailure } from '../../connection/failures/notifyFailure.ts';
import { formatChatCount } from '../../kit/countWords.ts';
import type { TabLocation } from '../../kit/display/editorTabs.ts';
import { notify } from '../../kit/display/notify.ts';
import { pick } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { formatShortTime } from '../../kit/display/timeWords.ts';
import type { Command, CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { formatChatName } from '../list/chatRows.ts';
import { pickChatsFilter } from '../list/chatsFilter.ts';
import type { Deletion } from '../list/deletedChats.ts';
import { createForkTitle } from '../session/forkChat.ts';
import { openChat } from '../tab/openChat.ts';
import { resolveChat, resolveChats } from './resolveChats.ts';

/** The maximum number of deleted chats that are listed, the last deleted chats first. */
const maxListedChats = 500;

/** Opens the chats of rows. Without a row, performs the action of the clicked row of the Chats view. */
async function openRows(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  if (row === undefined) return openSelected(services);
  const title = vscode.l10n.t('Choose the chat to open');
  for (const { id } of await resolveChats(services, row, selected, { title })) await showChat(services, id);
}

/** Opens the chat of a row to the side. Without a row, opens the last active chat, otherwise a new chat. */
async function openToSide(services: ChatServices, row?: unknown): Promise<void> {
  const { chats } = services;
  if (row === undefined) {
    const session = chats.lastActive?.session;
    return (await chats.open({ session }, { isBeside: true })).perform('focus-composer');
  }
  const chat = await resolveChat(services, row, {
    title: vscode.l10n.t('Choose the chat to open to the side'),
  });
  if (chat) await showChat(services, chat.id, { isBeside: true });
}

async function openSelected(services: ChatServices): Promise<void> {
  const row = await services.chatsView.selection.waitForClickedRow();
  if (row?.kind === 'chat') await showChat(services, row.id);
  else if (row?.kind === 'rest') services.chatsView.showMore(row.group);
  else if (row?.kind === 'notice' && row.file !== undefined) {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(row.file));
  }
}

async function showChat(services: ChatServices, id: string, location?: TabLocation): Promise<void> {
  const chat = await openChat(services, id, location);
  if (chat) return chat.perform('focus-composer');
  void notify('warning', vscode.l10n.t('This chat was permanently deleted in another window.'));
  await services.chatsView.refresh();
}

function createPinCommand(isPinned: boolean): Command<ChatServices> {
  return async (services, row, selected) => {
    const title = isPinned
      ? vscode.l10n.t('Choose the chat to pin')
      : vscode.l10n.t('Choose the chat to unpin');
    const chats = await resolveChats(services, row, selected, { title, filter: { pinned: !isPinned } });
    for (const { id } of chats) await services.conversations.change((store) => store.pin(id, isPinned));
  };
}

function createArchiveCommand(isArchived: boolean): Command<ChatServices> {
  return async (services, row, selected) => {
    const title = isArchived
      ? vscode.l10n.t('Choose the chat to archive')
      : vscode.l10n.t('Choose the chat to unarchive');
    const chats = await resolveChats(services, row, selected, { title, filter: { archived: !isArchived } });
    for (const { id } of chats) await services.conversations.change((store) => store.archive(id, isArchived));
    if (isArchived && chats.length > 0)
      showStatusMessage(vscode.l10n.t('Archived: {0}', describeChats(chats)));
  };
}

/** Deletes chats, closes their tabs, stops their arriving replies, and offers to undo the deletion. */
async function deleteChats(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to delete');
  const chats = await resolveChats(services, row, selected, { title });
  if (chats.length === 0) return;
  for (const { id } of chats) await services.conversations.change((store) => store.delete(id));
  const ids = chats.map(({ id }) => id);
  const deletion: Deletion = { ids, openTabs: closeTabs(services, ids) };
  services.deletedChats.add(deletion);
  const undo = vscode.l10n.t('Undo');
  const notification = notify('info', vscode.l10n.t('Deleted: {0}.', describeChats(chats)), undo);
  void notification
    .then((chosen) => (chosen === undo ? undoDeletion(services, deletion) : undefined))
    .catch((error) => reportFailure(error, 'chats.undoDelete', services));
}

/** Closes the tabs of chats, and disposes closed chats. @returns the ids of the chats that had tabs */
function closeTabs({ chats, closedChats }: ChatServices, ids: readonly string[]): readonly string[] {
  const openChats = chats.all.filter(({ session }) => ids.includes(session.id));
  const openIds = openChats.map(({ session }) => session.id);
  closedChats.discardDuring(() => {
    for (const { panel } of openChats) panel.dispose();
  });
  for (const id of ids) closedChats.take(id)?.dispose();
  return openIds;
}

async function undoLastDeletion(services: ChatServices): Promise<void> {
  const { last } = services.deletedChats;
  if (last) await undoDeletion(services, last);
  else showStatusMessage(vscode.l10n.t('There is no deleted chat to restore.'));
}

/** Restores a chat that was deleted in any window or session, unless it was already removed permanently. */
async function restoreChat(services: ChatServices): Promise<void> {
  const { conversations, deletedChats } = services;
  const deleted = (await conversations.store()).listDeleted(maxListedChats);
  if (deleted.length === 0) {
    return showStatusMessage(vscode.l10n.t('There is no deleted chat to restore.'));
  }
  const chosen = await pick(deleted.map(createRestoreChoice), {
    title: vscode.l10n.t('Choose the chat to restore'),
    placeHolder: vscode.l10n.t('Deleted chats are permanently removed after 30 days.'),
  });
  if (!chosen) return;
  await conversations.change((store) => store.undelete(chosen.id));
  deletedChats.forget(chosen.id);
  await showChat(services, chosen.id);
}

function createRestoreChoice(chat: ListedConversation) {
  const { id, deletedAt = 0, model } = chat;
  const when = vscode.l10n.t('deleted {0}', formatShortTime(deletedAt));
  return { id, label: formatChatName(chat), description: [when, model].filter(Boolean).join(' · ') };
}

async function undoDeletion(services: ChatServices, deletion: Deletion): Promise<void> {
  for (const id of deletion.ids) await services.conversations.change((store) => store.undelete(id));
  services.deletedChats.remove(deletion);
  for (const id of deletion.openTabs) await openChat(services, id, { preserveFocus: true });
}

/** Copies the shown branch of a chat to a new chat, and opens the new chat. */
async function forkChat(services: ChatServices, row?: unknown): Promise<void> {
  const chat = await resolveChat(services, row, {
    title: vscode.l10n.t('Choose the chat to fork'),
    filter: { hasMessages: true },
  });
  if (!chat) return;
  if (chat.isArriving) {
    return showStatusMessage(vscode.l10n.t('A reply is still being received. Stop it first.'));
  }
  const copyId = await services.conversations.change((store) => {
    const head = store.get(chat.id)?.head;
    return head === undefined ? undefined : store.fork(chat.id, head, createForkTitle(formatChatName(chat)));
  });
  if (copyId !== undefined) await showChat(services, copyId);
}

async function chooseFilter({ chatsView, conversations }: ChatServices): Promise<void> {
  const store = await conversations.store();
  const chosen = await pickChatsFilter(store.readFilterValues(), chatsView.filter);
  if (chosen) await chatsView.filterBy(chosen);
}

/** Returns the name of the only chat, otherwise the number of chats. */
function describeChats(chats: readonly ListedConversation[]): string {
  const [only, ...others] = chats;
  return only && others.length === 0 ? `“${formatChatName(only)}”` : formatChatCount(chats.length);
}

/** The commands of the Chats view by their ids. */
export const chatsCommands = {
  'chats.openChat': openRows,
  'chats.openToSide': openToSide,
  'chats.pin': createPinCommand(true),
  'chats.unpin': createPinCommand(false),
  'chats.archive': createArchiveCommand(true),
  'chats.unarchive': createArchiveCommand(false),
  'chats.delete': deleteChats,
  'chats.undoDelete': undoLastDeletion,
  'chats.restore': restoreChat,
  'chats.fork': forkChat,
  'chats.filter': chooseFilter,
  'chats.clearFilter': ({ chatsView }) => chatsView.filterBy([]),
  'chats.refresh': ({ chatsView }) => chatsView.refresh(),
} satisfies CommandTable<ChatServices>;
