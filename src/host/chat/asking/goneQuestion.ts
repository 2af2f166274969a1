import * as vscode from 'vscode';
import { isGone, type Prompt } from '../../../conversations/turn.ts';
import { missingName } from '../../context/contextView.ts';
import { notify } from '../../display/notify.ts';

/**
 * Tells that a question is not asked where nothing is left of it: a request costs money, empty ones as well.
 *
 * @returns whether that is so
 */
export function refuseGone(prompt: Prompt): boolean {
  if (!isGone(prompt)) return false;
  const names = [...new Set((prompt.missing ?? []).map(missingName))].join(', ');
  void notify(
    'warning',
    vscode.l10n.t(
      'Nothing was sent. All of this question was attached, and is not on the disk any more: {0}. Attach it to a new question.',
      names,
    ),
  );
  return true;
}
