import * as vscode from 'vscode';
import { errorMessage } from '../../../../base/errors.ts';
import type { Log } from '../../../kit/display/log.ts';
import { extensionName } from '../../../kit/manifest/contributions.ts';
import { vendor } from '../list/offeredModel.ts';

const addedKey = 'vscodeChatGroupAdded';
/** Of VS Code 1.109 and later. Older ones ask nobody to sign in for models of extensions. */
const addGroup = 'lm.addLanguageModelsProviderGroup';

/**
 * The group of our models in VS Code's own list of providers. VS Code (1.139) takes models of extensions for set up
 * only where such a group is: without one, the first question in its chat asks whoever is signed out to sign in.
 */
export class ProviderGroup {
  readonly #memory: vscode.Memento;
  readonly #log: Log;
  #isAsked = false;

  constructor(memory: vscode.Memento, log: Log) {
    this.#memory = memory;
    this.#log = log;
  }

  /** Adds it once for all windows. One that the user deletes is not added again. */
  async add(): Promise<void> {
    if (this.#isAsked || this.#memory.get<boolean>(addedKey, false)) return;
    this.#isAsked = true;
    try {
      if (!(await vscode.commands.getCommands(true)).includes(addGroup)) return;
      // Another window may have added it meanwhile, which VS Code refuses.
      await vscode.commands.executeCommand(addGroup, { vendor, name: extensionName });
    } catch (error) {
      this.#log.warn('chat', `no group of models was added to VS Code’s list: ${errorMessage(error)}`);
    }
    await this.#memory.update(addedKey, true);
  }
}
