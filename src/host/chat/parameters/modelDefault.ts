import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { QuestionTarget } from '../session/questionTarget.ts';

/** Stores the chat's parameters as the default of its model for new chats. */
export async function saveDefault({ model, parameters }: QuestionTarget): Promise<void> {
  if (model === undefined) return;
  const { store } = parameters;
  if (!(await saveOrNotify(() => store.setDefault(model, parameters.getForModel(model))))) return;
  parameters.refresh();
  showStatusMessage(vscode.l10n.t('New chats with {0} begin with these parameters', model));
}

/** Removes the default parameters of the chat's model for new chats. */
export async function removeDefault({ model, parameters }: QuestionTarget): Promise<void> {
  if (model === undefined) return;
  // The current parameters of this chat must not change.
  parameters.adoptDefault(model);
  await parameters.store.setDefault(model, undefined);
  parameters.refresh();
  showStatusMessage(vscode.l10n.t('New chats with {0} begin without parameters', model));
}

/**
 * Stores parameters. If they are too long, notifies the user.
 *
 * @returns whether they were stored
 */
export async function saveOrNotify(save: () => Promise<void>): Promise<boolean> {
  try {
    await save();
    return true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    void notify(
      'error',
      vscode.l10n.t(
        'These parameters are too long to be saved. Shorten the system prompt, the tools or the response schema.',
      ),
    );
    return false;
  }
}
