import * as vscode from 'vscode';
import type { LastEditor } from '../../kit/display/lastEditor.ts';
import { readFolder } from '../../kit/settings.ts';
import { builtInPrompts } from './builtInPrompts.ts';
import { PromptCache } from './promptCache.ts';
import { promptSuffix } from './promptFile.ts';
import { byName, type FoundPrompt, findPrompts, nameOf } from './promptList.ts';
import { PromptMemory } from './promptMemory.ts';

/** What running a prompt needs beside its file. */
export class PromptShelf {
  readonly editor: LastEditor;
  readonly memory: PromptMemory;
  readonly #cache = new PromptCache();
  readonly #globalStorage: vscode.Uri;

  constructor({ globalState, globalStorageUri }: vscode.ExtensionContext, editor: LastEditor) {
    this.editor = editor;
    this.memory = new PromptMemory(globalState);
    this.#globalStorage = globalStorageUri;
  }

  /** The folder of the user's own prompts, which may not be there yet. */
  get ownFolder(): vscode.Uri {
    const chosen = readFolder('promptsFolder');
    return chosen === undefined
      ? vscode.Uri.joinPath(this.#globalStorage, 'prompts')
      : vscode.Uri.file(chosen);
  }

  /**
   * Finds all prompts by name, and reads the files that changed since the last time. A prompt file replaces the
   * built-in prompt of the same name.
   */
  async find(): Promise<readonly FoundPrompt[]> {
    const files = await findPrompts(this.ownFolder, (uri, folder) => this.#cache.read(uri, folder));
    const names = new Set(files.map((file) => nameOf(file).replace(promptSuffix, '').toLowerCase()));
    const builtIn = builtInPrompts().filter((prompt) => !names.has(nameOf(prompt)));
    return [...files, ...builtIn].toSorted(byName);
  }
}
