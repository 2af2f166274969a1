import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { AskTarget } from '../asking/askTarget.ts';

/** Lets new chats with the model of this one begin with its parameters. */
export async function saveDefault({ model, parameters }: AskTarget): Promise<void> {
  if (model === undefined) return;
  const { kept } = parameters;
  if (!(await keepOrTell(() => kept.setDefault(model, parameters.for(model))))) return;
  parameters.refresh();
  showStatusMessage(vscode.l10n.t('New chats with {0} begin with these parameters', model));
}

/** Lets new chats with the model of this one begin without parameters. */
export async function removeDefault({ model, parameters }: AskTarget): Promise<void> {
  if (model === undefined) return;
  // What this chat asks with stays as it is.
  parameters.keep(model);
  await parameters.kept.setDefault(model, undefined);
  parameters.refresh();
  showStatusMessage(vscode.l10n.t('New chats with {0} begin without parameters', model));
}

/**
 * Keeps parameters, or tells that they are too long.
 *
 * @returns whether they are kept
 */
export async function keepOrTell(keep: () => Promise<void>): Promise<boolean> {
  try {
    await keep();
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
