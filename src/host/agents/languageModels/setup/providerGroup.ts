import * as vscode from 'vscode';
import { errorMessage } from '../../../../base/errors.ts';
import type { Log } from '../../../kit/display/log.ts';
import { extensionName } from '../../../kit/manifest/contributions.ts';
import { vendor } from '../list/offeredModel.ts';

const addedKey = 'vscodeChatGroupAdded';
/** Available since VS Code 1.109. Older versions do not require a sign-in for models of extensions. */
const addGroup = 'lm.addLanguageModelsProviderGroup';

/**
 * The group of our models in VS Code's own list of providers. VS Code (1.139) uses models of extensions only if
 * such a group exists: without one, its chat prompts signed-out users to sign in at the first question.
 */
export class ProviderGroup {
  readonly #memory: vscode.Memento;
  readonly #log: Log;
  #hasRequested = false;

  constructor(memory: vscode.Memento, log: Log) {
    this.#memory = memory;
    this.#log = log;
  }

  /** Adds the group once for all windows. If the user deletes it, it is not added again. */
  async add(): Promise<void> {
    if (this.#hasRequested || this.#memory.get<boolean>(addedKey, false)) return;
    this.#hasRequested = true;
    try {
      if (!(await vscode.commands.getCommands(true)).includes(addGroup)) return;
      // VS Code refuses it if another window has added it since.
      await vscode.commands.executeCommand(addGroup, { vendor, name: extensionName });
    } catch (error) {
      this.#log.warn('chat', `could not add a group of models to VS Code’s list: ${errorMessage(error)}`);
    }
    await this.#memory.update(addedKey, true);
  }
}
