import * as vscode from 'vscode';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import { clip } from '../../kit/display/plainText.ts';

const maxTitleLength = 40;

/** Formats the title of a chat's tab: the title of the chat, otherwise the first line of its first question. */
export function formatChatTitle(session?: {
  readonly title: string;
  readonly conversation: Conversation;
}): string {
  const title = session && (session.title || readFirstQuestion(session.conversation).trim().split('\n')[0]);
  return title ? clip(title, maxTitleLength) : vscode.l10n.t('New Chat');
}

/** Reads the text of a conversation's first question, even if another branch is shown. */
export function readFirstQuestion(conversation: Conversation): string {
  const [first] = conversation.tree.children(undefined);
  return first === undefined ? '' : conversation.prompt(first).text;
}
