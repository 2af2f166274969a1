import * as vscode from 'vscode';
import type { ListedConversation } from '../../../conversations/store/listing.ts';
import { reportFailure } from '../../connection/failures/reportFailure.ts';
import { chatCount } from '../../kit/counts.ts';
import { notify } from '../../kit/display/notify.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { TabPlace } from '../../kit/display/tabs.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { openChat } from '../commands/openChat.ts';
import { forkTitle } from '../forkedChat.ts';
import { chatName } from './chatRows.ts';
import { pickFilter } from './chatsFilter.ts';
import { chosenChat, chosenChats, isAsked } from './chosenChats.ts';
import type { Deletion } from './deletedChats.ts';
import { renameChat } from './renameChat.ts';
import { restoreChat } from './restoreChat.ts';

/** Opens the chats of rows; without a row, as for a click, does what a click on the selected row is for. */
async function open(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  if (row === undefined) return openSelected(services);
  const title = vscode.l10n.t('Choose the chat to open');
  for (const { id } of await chosenChats(services, row, selected, { title })) await show(services, id);
}

/** Opens the chat of a row beside the code; without a row the chat that was active last, else a new one. */
async function openToSide(services: ChatServices, row?: unknown): Promise<void> {
  const { chats } = services;
  if (row === undefined) {
    const session = chats.lastActive?.session;
    return (await chats.open({ session }, { beside: true })).perform('focus-composer');
  }
  const chat = await chosenChat(services, row, {
    title: vscode.l10n.t('Choose the chat to open to the side'),
  });
  if (chat) await show(services, chat.id, { beside: true });
}

async function openSelected(services: ChatServices): Promise<void> {
  const row = await services.chatsView.selection.clicked();
  if (row?.kind === 'chat') await show(services, row.id);
  else if (row?.kind === 'rest') services.chatsView.showMore(row.group);
  else if (row?.kind === 'notice' && row.file !== undefined) {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(row.file));
  }
}

async function show(services: ChatServices, id: string, place?: TabPlace): Promise<void> {
  const chat = await openChat(services, id, place);
  if (chat) return chat.perform('focus-composer');
  void notify('warning', vscode.l10n.t('This chat was permanently deleted in another window.'));
  await services.chatsView.refresh();
}

async function rename(services: ChatServices, row?: unknown): Promise<void> {
  const chat = await chosenChat(services, row, { title: vscode.l10n.t('Choose the chat to rename') });
  if (chat) await renameChat(services.conversations, chat);
}

async function pin(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to pin');
  const isSuitable = ({ pinnedAt }: ListedConversation) => pinnedAt === undefined;
  const chats = await chosenChats(services, row, selected, { title, isSuitable });
  for (const { id } of chats) await services.conversations.change((store) => store.pin(id, true));
}

async function unpin(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to unpin');
  const isSuitable = ({ pinnedAt }: ListedConversation) => pinnedAt !== undefined;
  const chats = await chosenChats(services, row, selected, { title, isSuitable });
  for (const { id } of chats) await services.conversations.change((store) => store.pin(id, false));
}

async function archive(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to archive');
  const isSuitable = ({ archivedAt }: ListedConversation) => archivedAt === undefined;
  const chats = await chosenChats(services, row, selected, { title, isSuitable });
  for (const { id } of chats) await services.conversations.change((store) => store.archive(id, true));
  if (chats.length > 0) showStatusMessage(vscode.l10n.t('Archived: {0}', named(chats)));
}

async function unarchive(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to unarchive');
  const isSuitable = ({ archivedAt }: ListedConversation) => archivedAt !== undefined;
  const chats = await chosenChats(services, row, selected, { title, isSuitable });
  for (const { id } of chats) await services.conversations.change((store) => store.archive(id, false));
}

/** Deletes chats until that is undone, and closes their tabs. A reply that arrives is stopped. */
async function remove(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to delete');
  const chats = await chosenChats(services, row, selected, { title });
  if (chats.length === 0) return;
  for (const { id } of chats) await services.conversations.change((store) => store.delete(id));
  const ids = chats.map(({ id }) => id);
  const deletion: Deletion = { ids, open: closeTabs(services, ids) };
  services.deletedChats.add(deletion);
  const undo = vscode.l10n.t('Undo');
  const told = notify('info', vscode.l10n.t('Deleted: {0}.', named(chats)), undo);
  void told
    .then((chosen) => (chosen === undo ? bringBack(services, deletion) : undefined))
    .catch((error) => reportFailure(error, 'chats.undoDelete', services));
}

/** @returns the ids of the chats that had tabs */
function closeTabs({ chats, closedChats }: ChatServices, ids: readonly string[]): readonly string[] {
  const closing = chats.all.filter(({ session }) => ids.includes(session.id));
  const open = closing.map(({ session }) => session.id);
  closedChats.lettingGo(() => {
    for (const { panel } of closing) panel.dispose();
  });
  for (const id of ids) closedChats.take(id)?.dispose();
  return open;
}

async function undoDelete(services: ChatServices): Promise<void> {
  const { last } = services.deletedChats;
  if (last) await bringBack(services, last);
  else showStatusMessage(vscode.l10n.t('There is no deleted chat to restore.'));
}

async function restore(services: ChatServices): Promise<void> {
  const chat = await restoreChat(services);
  if (chat !== undefined) await show(services, chat);
}

async function bringBack(services: ChatServices, deletion: Deletion): Promise<void> {
  for (const id of deletion.ids) await services.conversations.change((store) => store.undelete(id));
  services.deletedChats.remove(deletion);
  for (const id of deletion.open) await openChat(services, id, { preserveFocus: true });
}

/** Opens a copy of a chat as it is shown, to go on with beside it. */
async function fork(services: ChatServices, row?: unknown): Promise<void> {
  const chat = await chosenChat(services, row, {
    title: vscode.l10n.t('Choose the chat to fork'),
    isSuitable: isAsked,
  });
  if (!chat) return;
  if (chat.isArriving) {
    return showStatusMessage(vscode.l10n.t('A reply is still arriving. Stop it first.'));
  }
  const copy = await services.conversations.change((store) => {
    const head = store.get(chat.id)?.head;
    return head === undefined ? undefined : store.fork(chat.id, head, forkTitle(chatName(chat)));
  });
  if (copy !== undefined) await show(services, copy);
}

async function filter({ chatsView, conversations }: ChatServices): Promise<void> {
  const store = await conversations.store();
  const chosen = await pickFilter(store.listChoices(), chatsView.filter);
  if (chosen) await chatsView.filterBy(chosen);
}

async function clearFilter({ chatsView }: ChatServices): Promise<void> {
  await chatsView.filterBy([]);
}

async function refresh({ chatsView }: ChatServices): Promise<void> {
  await chatsView.refresh();
}

/** A chat by its name, or how many there are. */
function named(chats: readonly ListedConversation[]): string {
  const [only, ...others] = chats;
  return only && others.length === 0 ? `“${chatName(only)}”` : chatCount(chats.length);
}

/** The commands of the Chats view by their ids. */
export const chatsCommands = {
  'chats.openChat': open,
  'chats.openToSide': openToSide,
  'chats.rename': rename,
  'chats.pin': pin,
  'chats.unpin': unpin,
  'chats.archive': archive,
  'chats.unarchive': unarchive,
  'chats.delete': remove,
  'chats.undoDelete': undoDelete,
  'chats.restore': restore,
  'chats.fork': fork,
  'chats.filter': filter,
  'chats.clearFilter': clearFilter,
  'chats.refresh': refresh,
} satisfies CommandTable<ChatServices>;
