import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import type { ListedConversation } from '../../../conversations/store/listing.ts';
import { notify } from '../../kit/display/notify.ts';
import { pick } from '../../kit/display/prompts.ts';
import { forgottenRow } from '../../kit/forgottenRow.ts';
import type { ChatServices } from '../chatServices.ts';
import { chatFacts, chatName } from './chatRows.ts';

/** How many chats are offered to choose from: those that changed last. */
const maxOffered = 500;

/** For which chats a command is, and how it asks. */
export interface ChatsWanted {
  readonly title: string;
  readonly isSuitable?: (chat: ListedConversation) => boolean;
}

/** Whether something was asked in a chat. */
export function isAsked({ isDraft }: ListedConversation): boolean {
  return !isDraft;
}

/**
 * Finds the chats of a command: all selected rows if the clicked one is among them, else the clicked one; for a key,
 * the focused row or the selected ones; else the chat in front, else one that the user picks. Only those for which
 * the command is possible.
 */
export async function chosenChats(
  services: ChatServices,
  given: unknown,
  selected: unknown,
  wanted: ChatsWanted,
): Promise<readonly ListedConversation[]> {
  const { isSuitable = () => true } = wanted;
  const rows = await rowsOf(services, given, selected);
  const front = given === forgottenRow ? undefined : services.chats.active?.session;
  const ids = rows ?? (front ? [front.id] : []);
  const store = await services.conversations.store();
  const { conversations } = store.list({ ids, archived: 'any' }, Math.max(1, ids.length));
  const suitable = conversations.filter(isSuitable);
  if (!rows && suitable.length === 0) return askWhich(services, wanted);
  if (ids.length > 0 && suitable.length === 0) showNone();
  return suitable;
}

/** Like `chosenChats`, for a command for one chat. */
export async function chosenChat(
  services: ChatServices,
  given: unknown,
  wanted: ChatsWanted,
): Promise<ListedConversation | undefined> {
  return (await chosenChats(services, given, undefined, wanted))[0];
}

/** The ids of the chats of the rows that a command is for; undefined when it is for no rows. */
async function rowsOf(
  { chatsView }: ChatServices,
  given: unknown,
  selected: unknown,
): Promise<readonly string[] | undefined> {
  if (Array.isArray(selected) && selected.length > 1) return selected.flatMap(idOf);
  if (isObject(given) && given.rows === 'selected')
    return (await chatsView.selection.focused()).flatMap(idOf);
  const ids = idOf(given);
  return ids.length > 0 ? ids : undefined;
}

function idOf(row: unknown): readonly string[] {
  return isObject(row) && row.kind === 'chat' && typeof row.id === 'string' ? [row.id] : [];
}

async function askWhich(
  { conversations }: ChatServices,
  { title, isSuitable = () => true }: ChatsWanted,
): Promise<readonly ListedConversation[]> {
  const store = await conversations.store();
  const chats = store.list({ archived: 'any' }, maxOffered).conversations.filter(isSuitable);
  if (chats.length === 0) {
    showNone();
    return [];
  }
  const items = chats.map((chat) => ({ chat, label: chatName(chat), description: chatFacts(chat) }));
  const chosen = await pick(items, { title });
  return chosen ? [chosen.chat] : [];
}

function showNone(): void {
  void notify('info', vscode.l10n.t('No chat to apply this to.'));
}
