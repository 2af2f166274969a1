import * as vscode from 'vscode';
import type { ListedConversation } from '../../../conversations/store/listing.ts';
import { joinFacts } from '../../kit/display/joinNames.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { formatShortTime } from '../../kit/display/timeWords.ts';
import type { TreeRow } from '../../kit/display/treeRowCache.ts';
import { createRow, type Row } from '../../kit/display/treeRows.ts';
import { commandName } from '../../kit/manifest/contributions.ts';
import { type ChatGroup, chatGroups, type LoadedChats, type LoadedGroup } from './loadedChats.ts';

/** A row of the Chats view. */
export type ChatsNode =
  /** A problem with the chat file. A click reveals `file`, which is a path. */
  | { readonly kind: 'notice'; readonly file?: string }
  | { readonly kind: 'group'; readonly group: ChatGroup }
  | { readonly kind: 'chat'; readonly id: string }
  /** The chats of a group that are not shown yet. */
  | { readonly kind: 'rest'; readonly group: ChatGroup };

const maxNameLength = 120;

/** Creates the rows of the non-empty groups. */
export function createChatRows(
  loaded: LoadedChats,
  isOpen: (id: string) => boolean,
): readonly TreeRow<ChatsNode>[] {
  return chatGroups
    .map((group) => ({ group, ...loaded.getGroup(group) }))
    .filter(({ chats }) => chats.length > 0)
    .map((each) => createGroupRow(each, isOpen));
}

function createGroupRow(
  { group, chats, next }: LoadedGroup & { readonly group: ChatGroup },
  isOpen: (id: string) => boolean,
): TreeRow<ChatsNode> {
  const rest = createRow(
    { kind: 'rest', group },
    {
      id: `rest/${group}`,
      label: vscode.l10n.t('Show More…'),
      icon: 'ellipsis',
      command: createOpenCommand(vscode.l10n.t('Show More…')),
    },
  );
  const heading: Row = {
    id: `group/${group}`,
    label: nameGroup(group),
    context: 'chatGroup',
    children: group === 'archived' ? 'collapsed' : 'expanded',
  };
  return {
    ...createRow({ kind: 'group', group }, heading),
    children: [...chats.map((chat) => createChatRow(chat, isOpen(chat.id))), ...(next ? [rest] : [])],
  };
}

function createChatRow(chat: ListedConversation, isOpen: boolean): TreeRow<ChatsNode> {
  const label = formatChatName(chat);
  const description = describeChat(chat);
  const state = chat.isArriving ? vscode.l10n.t('replying') : isOpen ? vscode.l10n.t('open') : undefined;
  return createRow(
    { kind: 'chat', id: chat.id },
    {
      id: `chat/${chat.id}`,
      label,
      description,
      icon: chooseIcon(chat, isOpen),
      tooltip: createTooltip(chat, state),
      spoken: joinFacts([label, state, description]),
      context: [
        'chat',
        ...(chat.isDraft ? ['draft'] : []),
        chat.pinnedAt === undefined ? 'unpinned' : 'pinned',
        chat.archivedAt === undefined ? 'unarchived' : 'archived',
      ].join(' '),
      command: createOpenCommand(vscode.l10n.t('Open Chat')),
    },
  );
}

function chooseIcon({ isArriving, isDraft }: ListedConversation, isOpen: boolean): string {
  if (isArriving) return 'loading~spin';
  if (isDraft) return 'comment-draft';
  return isOpen ? 'comment-discussion' : 'comment';
}

/** Returns the title of a chat, otherwise the beginning of its first question or of its draft. */
export function formatChatName({
  title,
  beginning,
}: Pick<ListedConversation, 'title' | 'beginning'>): string {
  return plainLine(title || beginning, maxNameLength).trim() || vscode.l10n.t('Chat without text');
}

/** Describes a chat: whether it is a draft, its last change, and its last model. */
export function describeChat({ isDraft, changedAt, model }: ListedConversation): string {
  const draft = isDraft && vscode.l10n.t('Draft');
  return [draft, formatShortTime(changedAt), model].filter(Boolean).join(' · ');
}

function createTooltip(chat: ListedConversation, state: string | undefined): string {
  const { title, beginning, messages, model, gatewayName, workspace, changedAt } = chat;
  const { t } = vscode.l10n;
  return [
    title || beginning || formatChatName(chat),
    ...(title && beginning ? [beginning] : []),
    '',
    ...(state === undefined ? [] : [t('State: {0}', state)]),
    t('Last change: {0}', new Date(changedAt).toLocaleString(vscode.env.language)),
    ...(model === undefined ? [] : [t('Model: {0}', model)]),
    ...(gatewayName === undefined ? [] : [t('Gateway: {0}', gatewayName)]),
    ...(workspace === undefined ? [] : [t('Workspace: {0}', readWorkspaceName(workspace))]),
    chat.isDraft ? t('No questions yet.') : t('Messages: {0}', messages),
  ].join('\n');
}

/** Reads the name of a workspace: the last segment of its URI, without the extension. */
export function readWorkspaceName(uri: string): string {
  const { path } = vscode.Uri.parse(uri);
  return (
    path
      .split('/')
      .findLast(Boolean)
      ?.replace(/\.code-workspace$/, '') ?? uri
  );
}

function nameGroup(group: ChatGroup): string {
  const { t } = vscode.l10n;
  switch (group) {
    case 'pinned':
      return t('Pinned');
    case 'today':
      return t('Today');
    case 'yesterday':
      return t('Yesterday');
    case 'week':
      return t('This week');
    case 'older':
      return t('Older');
    case 'archived':
      return t('Archived');
  }
}

/** Creates the command for a click on a row. It opens a chat, or shows more chats of a group. */
function createOpenCommand(title: string) {
  return { command: commandName('chats.openChat'), title };
}
