import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import type { Database } from '../../../storage/sharedDatabase.ts';
import type { TreeRow } from '../../kit/display/knownRows.ts';
import { storageProblem } from '../../kit/display/storageNotice.ts';
import { commandName } from '../../kit/manifest/contributions.ts';
import { type ChatsNode, rowOf } from './chatRows.ts';

/** The row that says why no chats are shown. A click tries again. */
export function failureRow(error: unknown): TreeRow<ChatsNode> {
  const label = vscode.l10n.t('The chat file cannot be read');
  return rowOf(
    { kind: 'notice' },
    {
      ...{ id: 'failure', label, icon: 'error', color: 'list.errorForeground' },
      description: vscode.l10n.t('click to try again'),
      tooltip: vscode.l10n.t('{0}\n{1}\nA click tries again.', label, errorMessage(error)),
      command: { command: commandName('chats.refresh'), title: label },
    },
  );
}

/** The rows that say that nothing new is kept, or that the file was damaged. */
export function healthRows({
  readOnly,
  setAside,
  path,
}: Pick<Database, 'readOnly' | 'setAside' | 'path'>): readonly TreeRow<ChatsNode>[] {
  return [...(readOnly ? [readOnlyRow(readOnly, path)] : []), ...(setAside ? [damagedRow(setAside)] : [])];
}

function readOnlyRow(why: NonNullable<Database['readOnly']>, path: string): TreeRow<ChatsNode> {
  const label = vscode.l10n.t('Changes to chats are not saved');
  const problem = storageProblem(why, path, vscode.l10n.t('chat file'));
  return rowOf(
    { kind: 'notice' },
    {
      ...{ id: 'readOnly', label, icon: 'warning', color: 'list.warningForeground' },
      description: problem,
      tooltip: `${label}\n${problem}`,
      command: { command: commandName('chats.refresh'), title: label },
    },
  );
}

function damagedRow(file: string): TreeRow<ChatsNode> {
  const label = vscode.l10n.t('The chat file was damaged');
  return rowOf(
    { kind: 'notice', file },
    {
      ...{ id: 'damaged', label, icon: 'warning', color: 'list.warningForeground' },
      description: vscode.l10n.t('click to show it'),
      tooltip: vscode.l10n.t(
        '{0}\nThe readable part was recovered. The damaged file was moved to: {1}',
        label,
        file,
      ),
      command: { command: commandName('chats.openChat'), title: vscode.l10n.t('Reveal File') },
    },
  );
}
