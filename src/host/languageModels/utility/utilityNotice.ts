import * as vscode from 'vscode';
import { notify } from '../../display/notify.ts';
import { lacksUtilityModel, restoreUtilityModel, setUtilityModel } from './utilityModel.ts';

const toldKey = 'utilityModelTold';

/**
 * Offers once, after the first answer in VS Code's own chat, that the model of the chat writes titles and commit
 * messages, where VS Code has none for them.
 */
export class UtilityNotice {
  readonly #memory: vscode.Memento;
  #isLookedAt = false;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** Call it when an answer is whole. VS Code hides the notification by itself, and keeps it under its bell. */
  async afterReply(): Promise<void> {
    if (this.#isLookedAt || this.#memory.get<boolean>(toldKey, false)) return;
    this.#isLookedAt = true;
    if (!(await lacksUtilityModel())) return;
    await this.#memory.update(toldKey, true);
    const { t } = vscode.l10n;
    const use = t('Use the Chat’s Model');
    const words = t(
      'VS Code’s chat has no model that writes titles and commit messages. The model of each chat can write them, too; that uses some of its tokens.',
    );
    if ((await notify('info', words, use, t('Not Now'))) !== use) return;
    await setUtilityModel(this.#memory, undefined);
    await tellUtilityModel(this.#memory, t('the model of each chat'));
  }
}

/** Says who writes titles from now on, and offers the way back. */
export async function tellUtilityModel(memory: vscode.Memento, who: string): Promise<void> {
  const { t } = vscode.l10n;
  const undo = t('Undo');
  const words = t('Titles and commit messages in VS Code’s chat: {0}.', who);
  if ((await notify('info', words, undo)) === undo) await restoreUtilityModel(memory);
}
