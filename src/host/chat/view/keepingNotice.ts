import * as vscode from 'vscode';
import type * as page from '../../../protocol/chatTurn.ts';
import type { ReadOnlyCause, StorageError, StorageErrorKind } from '../../../storage/sqlite/storageError.ts';
import { storageErrorText, storageProblem } from '../../kit/display/storageNotice.ts';
import { actionButton } from '../../kit/noticeActions.ts';

/** Why a chat cannot be kept for now. */
export interface KeepingProblem {
  readonly problem: StorageError;
  /** The path of the file of chats. */
  readonly file: string;
}

const causes: { readonly [Kind in StorageErrorKind]?: ReadOnlyCause } = {
  full: 'full',
  'read-only': 'unwritable',
  io: 'disk-error',
};

/** Says that a chat goes on without being kept, why, and what helps. */
export function keepingNotice({ problem, file }: KeepingProblem): page.ReplyNotice {
  const { readOnly, kind } = problem;
  const cause = readOnly ?? causes[kind];
  const why = cause
    ? storageProblem(cause, file, vscode.l10n.t('chat file'))
    : vscode.l10n.t('The chat file cannot be written ({0}). {1}', file, storageErrorText(problem));
  return {
    title: vscode.l10n.t('This chat is not saved for now'),
    detail: vscode.l10n.t('{0} {1}', why, whatThen(cause)),
    buttons: [actionButton('show-log')],
    severity: 'error',
  };
}

function whatThen(cause: ReadOnlyCause | undefined): string {
  return cause === 'newer'
    ? vscode.l10n.t('The chat works until this window closes and is then lost: copy what you want to keep.')
    : vscode.l10n.t('The chat continues and is saved as soon as possible.');
}
