import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import type { ListedConversation } from '../../conversations/store/listing.ts';
import { clipped } from '../display/plainText.ts';
import { pick } from '../display/prompts.ts';
import { shortTime } from '../display/shortTime.ts';
import { showStatusMessage } from '../display/statusBar.ts';
import type { Services } from '../services.ts';

/** How many chats are offered to choose from: those that changed last. */
const maxOffered = 500;
const maxNameLength = 100;

/** A chat, and what it is called. */
export interface NamedChat {
  readonly id: string;
  readonly name: string;
}

/** The chats of the rows that a command is for, else the chat in front, else one that the user picks. */
export async function chosenChats(
  { chats, conversations }: Services,
  row: unknown,
  selected: unknown,
  title: string,
): Promise<readonly NamedChat[]> {
  const store = await conversations.store();
  const { conversations: listed } = store.list({ archived: 'any' }, maxOffered);
  const known = (id: string) => {
    const chat = listed.find((each) => each.id === id);
    if (chat) return [named(chat)];
    const record = store.get(id);
    return record?.head === undefined ? [] : [{ id, name: record.title }];
  };
  const rows = Array.isArray(selected) && selected.length > 1 ? selected : [row];
  const given = rows.flatMap(idOf);
  if (given.length > 0) return given.flatMap(known);
  const front = chats.lastActive?.session.id;
  const [active] = front === undefined ? [] : known(front);
  return active ? [active] : askWhich(listed, title);
}

function idOf(row: unknown): readonly string[] {
  return isObject(row) && row.kind === 'chat' && typeof row.id === 'string' ? [row.id] : [];
}

async function askWhich(listed: readonly ListedConversation[], title: string): Promise<readonly NamedChat[]> {
  if (listed.length === 0) {
    showStatusMessage(vscode.l10n.t('There is no chat yet.'));
    return [];
  }
  const items = listed.map((each) => {
    const chat = named(each);
    return { chat, label: chat.name, description: shortTime(each.changedAt) };
  });
  const chosen = await pick(items, { title });
  return chosen ? [chosen.chat] : [];
}

function named({ id, title, beginning }: ListedConversation): NamedChat {
  return { id, name: clipped(title || beginning, maxNameLength) || vscode.l10n.t('Chat without words') };
}
