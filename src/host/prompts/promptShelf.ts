import * as vscode from 'vscode';
import type { LastEditor } from '../display/lastEditor.ts';
import { readPromptsFolder } from '../settings.ts';
import { PromptCache } from './promptCache.ts';
import { type FoundPrompt, findPrompts } from './promptList.ts';
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
    const chosen = readPromptsFolder();
    return chosen === undefined
      ? vscode.Uri.joinPath(this.#globalStorage, 'prompts')
      : vscode.Uri.file(chosen);
  }

  /** Finds all prompts by name, and reads the files that changed since the last time. */
  find(): Promise<readonly FoundPrompt[]> {
    return findPrompts(this.ownFolder, (uri, folder) => this.#cache.read(uri, folder));
  }
}
