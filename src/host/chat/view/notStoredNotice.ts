import * as vscode from 'vscode';
import type * as page from '../../../protocol/chatTurn.ts';
import type { ReadOnlyCause, StorageError, StorageErrorKind } from '../../../storage/sqlite/storageError.ts';
import { describeStorageProblem, errorText } from '../../kit/display/storageNotice.ts';
import { createActionButton } from '../../kit/noticeActions.ts';

/** The reason why a chat cannot be stored now. */
export interface ChatStorageFailure {
  readonly problem: StorageError;
  /** The path of the chat file. */
  readonly file: string;
}

const causes: { readonly [Kind in StorageErrorKind]?: ReadOnlyCause } = {
  full: 'full',
  'read-only': 'unwritable',
  io: 'disk-error',
};

/** Creates the notice that a chat continues without being stored, with the reason and advice. */
export function createNotStoredNotice({ problem, file }: ChatStorageFailure): page.ReplyNotice {
  const { readOnly, kind } = problem;
  const cause = readOnly ?? causes[kind];
  const reason = cause
    ? describeStorageProblem(cause, file, vscode.l10n.t('chat file'))
    : vscode.l10n.t('The chat file cannot be written ({0}). {1}', file, errorText(problem));
  return {
    title: vscode.l10n.t('This chat cannot be saved at the moment'),
    detail: vscode.l10n.t('{0} {1}', reason, describeConsequence(cause)),
    buttons: [createActionButton('show-log')],
    severity: 'error',
  };
}

function describeConsequence(cause: ReadOnlyCause | undefined): string {
  return cause === 'newer'
    ? vscode.l10n.t(
        'You can use the chat until this window closes; then it is lost. Copy anything that you want to keep.',
      )
    : vscode.l10n.t('You can continue the chat; it is saved as soon as possible.');
}
