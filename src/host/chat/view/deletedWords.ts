import * as vscode from 'vscode';
import type { Deleted } from '../deletedMessages.ts';

/** Says how much was deleted, as a sentence. */
export function deletedWords({ messages, branches }: Deleted): string {
  const count = (n: number) => n.toLocaleString(vscode.env.language);
  if (messages === 1) return vscode.l10n.t('1 message was deleted.');
  if (branches === 1) return vscode.l10n.t('{0} messages were deleted.', count(messages));
  return vscode.l10n.t('{0} messages on {1} branches were deleted.', count(messages), count(branches));
}
