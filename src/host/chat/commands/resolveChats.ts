import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import type { ListedConversation, ListFilter } from '../../../conversations/store/listing.ts';
import type { PageAction } from '../../../protocol/chatPage.ts';
import { notify } from '../../kit/display/notify.ts';
import { pick } from '../../kit/display/quickInput.ts';
import { missingRow } from '../../kit/manifest/command.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { ChatServices } from '../chatServices.ts';
import { describeChat, formatChatName } from '../list/chatRows.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';

/** The maximum number of chats in the list. The last changed chats are listed. */
const maxListedChats = 500;

/** The options of a command that applies to chats. */
interface ChatChoice {
  /** The title of the list from which the user picks a chat. */
  readonly title: string;
  /** The chats that the command applies to; by default all chats, including archived chats. */
  readonly filter?: Pick<ListFilter, 'pinned' | 'archived' | 'hasMessages'>;
}

/**
 * Finds the chats for a command, without the chats that the command does not apply to:
 * - for a click, the chats of all selected rows if the clicked row is among them, otherwise of the clicked row;
 * - for a key binding, the chats of the focused row or of the selected rows;
 * - without rows, the active chat, otherwise a chat that the user picks.
 *
 * If no chat is left, notifies the user and returns an empty list.
 *
 * @param row the clicked row
 * @param selected the selected rows, if the clicked row is among them
 */
export async function resolveChats(
  services: ChatServices,
  row: unknown,
  selected: unknown,
  choice: ChatChoice,
): Promise<readonly ListedConversation[]> {
  const rowIds = await readRowIds(services, row, selected);
  const active = row === missingRow ? undefined : services.chats.active?.session;
  const ids = rowIds ?? (active ? [active.id] : []);
  const store = await services.conversations.store();
  const filter = { ids, archived: 'any', ...choice.filter } as const;
  const { conversations: suitable } = store.list(filter, Math.max(1, ids.length));
  if (!rowIds && suitable.length === 0) return pickChat(services, choice);
  if (ids.length > 0 && suitable.length === 0) notifyNoChat();
  return suitable;
}

/** Finds the chat for a command that applies to a single chat, like `resolveChats`. */
export async function resolveChat(
  services: ChatServices,
  row: unknown,
  choice: ChatChoice,
): Promise<ListedConversation | undefined> {
  return (await resolveChats(services, row, undefined, choice))[0];
}

/** Reads the ids of the chats of rows; undefined if the command was not run on rows. */
async function readRowIds(
  { chatsView }: ChatServices,
  row: unknown,
  selected: unknown,
): Promise<readonly string[] | undefined> {
  if (Array.isArray(selected) && selected.length > 1) return selected.flatMap(readChatId);
  if (isObject(row) && row.rows === 'selected')
    return (await chatsView.selection.findFocusedRows()).flatMap(readChatId);
  const ids = readChatId(row);
  return ids.length > 0 ? ids : undefined;
}

/** @returns a list with the id, or an empty list for a row of another kind */
function readChatId(row: unknown): readonly string[] {
  return isObject(row) && row.kind === 'chat' && typeof row.id === 'string' ? [row.id] : [];
}

async function pickChat(
  { conversations }: ChatServices,
  { title, filter }: ChatChoice,
): Promise<readonly ListedConversation[]> {
  const store = await conversations.store();
  const { conversations: chats } = store.list({ archived: 'any', ...filter }, maxListedChats);
  if (chats.length === 0) {
    notifyNoChat();
    return [];
  }
  const items = chats.map((chat) => ({ chat, label: formatChatName(chat), description: describeChat(chat) }));
  const chosen = await pick(items, { title });
  return chosen ? [chosen.chat] : [];
}

function notifyNoChat(): void {
  void notify('info', vscode.l10n.t('No chat is available for this command.'));
}

/** Returns the last active chat. If no chat is open, offers to open a new chat, and returns undefined. */
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
