import * as vscode from 'vscode';
import { clipped } from '../../display/plainText.ts';
import type { ChatSession } from '../chatSession.ts';

const maxTitleLength = 40;

/** The title of a chat's tab: its own, else its first question. */
export function chatTitle(session?: ChatSession): string {
  const question = session?.title || session?.conversation.turns[0]?.question.text.trim().split('\n')[0];
  return question ? clipped(question, maxTitleLength) : vscode.l10n.t('New Chat');
}
