import * as vscode from 'vscode';
import type { LastEditor } from '../display/lastEditor.ts';
import { readPromptsFolder } from '../settings.ts';
import { PromptMemory } from './promptMemory.ts';

/** What running a prompt needs beside its file. */
export class PromptShelf {
  readonly editor: LastEditor;
  readonly memory: PromptMemory;
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
}
