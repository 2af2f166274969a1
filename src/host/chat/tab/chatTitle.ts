import * as vscode from 'vscode';
import { clipped } from '../../kit/display/plainText.ts';
import type { ChatSession } from '../chatSession.ts';
import { firstQuestion } from '../firstQuestion.ts';

const maxTitleLength = 40;

/** The title of a chat's tab: its own, else the question that was asked first. */
export function chatTitle(session?: ChatSession): string {
  const title = session && (session.title || firstQuestion(session.conversation).trim().split('\n')[0]);
  return title ? clipped(title, maxTitleLength) : vscode.l10n.t('New Chat');
}
