import * as vscode from 'vscode';
import { wasStored } from '../../../conversations/conversation/history.ts';
import { isPromptMissing, type Prompt } from '../../../conversations/conversation/turn.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { notify } from '../../kit/display/notify.ts';
import { ContextError } from '../context/contextReference.ts';
import { assertContextSize } from '../context/contextText.ts';
import { formatMissingName } from '../context/contextView.ts';

/**
 * Refuses a question that has no text and whose attachments are missing, and warns the user. Even an empty request
 * costs money.
 *
 * @returns whether the question is refused
 */
export function refuseEmpty(prompt: Prompt): boolean {
  if (!isPromptMissing(prompt)) return false;
  const { missing = [] } = prompt;
  const names = joinNames([...new Set(missing.map(formatMissingName))]);
  void notify(
    'warning',
    missing.some(wasStored)
      ? vscode.l10n.t(
          'Nothing was sent. This question has only attachments, which are no longer on the disk: {0}. Attach them to a new question.',
          names,
        )
      : vscode.l10n.t(
          'Nothing was sent. This question has only attachments, which were not part of the import: {0}. Attach them to a new question.',
          names,
        ),
  );
  return true;
}

/**
 * Refuses a question whose context exceeds the limit of a question, and warns the user.
 *
 * @returns whether the question is refused
 */
export function refuseTooLarge({ files = [] }: Prompt): boolean {
  try {
    assertContextSize(files);
    return false;
  } catch (error) {
    if (!(error instanceof ContextError)) throw error;
    void notify('warning', vscode.l10n.t('Nothing was sent. {0}', error.message));
    return true;
  }
}
