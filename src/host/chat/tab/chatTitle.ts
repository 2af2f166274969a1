import * as vscode from 'vscode';
import { clipped } from '../../display/plainText.ts';
import type { ChatSession } from '../chatSession.ts';

const maxTitleLength = 40;

/** The title of a chat's tab: its own, else the question that was asked first. */
export function chatTitle(session?: ChatSession): string {
  const title = session && (session.title || firstQuestion(session).trim().split('\n')[0]);
  return title ? clipped(title, maxTitleLength) : vscode.l10n.t('New Chat');
}

/** On whichever branch it stands, as the list of chats has it. */
function firstQuestion({ conversation }: ChatSession): string {
  const [first] = conversation.following(undefined);
  return first === undefined ? '' : conversation.prompt(first).text;
}
