import * as vscode from 'vscode';
import { wasThere } from '../../../conversations/conversation/history.ts';
import { isGone, type Prompt } from '../../../conversations/conversation/turn.ts';
import { listed } from '../../kit/display/listed.ts';
import { notify } from '../../kit/display/notify.ts';
import { ContextError } from '../context/contextError.ts';
import { missingName } from '../context/contextView.ts';
import { assertNotTooMuch } from '../context/takenText.ts';

/**
 * Tells that a question is not asked where nothing is left of it: a request costs money, empty ones as well.
 *
 * @returns whether that is so
 */
export function refuseGone(prompt: Prompt): boolean {
  if (!isGone(prompt)) return false;
  const { missing = [] } = prompt;
  const names = listed([...new Set(missing.map(missingName))]);
  void notify(
    'warning',
    missing.some(wasThere)
      ? vscode.l10n.t(
          'Nothing was sent. This question has attachments only, and they are not on the disk any more: {0}. Attach them to a new question.',
          names,
        )
      : vscode.l10n.t(
          'Nothing was sent. This question has attachments only, and they were not part of the import: {0}. Attach them to a new question.',
          names,
        ),
  );
  return true;
}

/**
 * Tells that a question is not asked where more goes along than with one question.
 *
 * @returns whether that is so
 */
export function refuseTooMuch({ files = [] }: Prompt): boolean {
  try {
    assertNotTooMuch(files);
    return false;
  } catch (error) {
    if (!(error instanceof ContextError)) throw error;
    void notify('warning', vscode.l10n.t('Nothing was sent. {0}', error.message));
    return true;
  }
}
