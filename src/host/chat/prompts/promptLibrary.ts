import * as vscode from 'vscode';
import type { LastEditor } from '../../kit/display/lastEditor.ts';
import { readFolder } from '../../kit/manifest/settings.ts';
import { createBuiltInPrompts } from './builtInPrompts.ts';
import { promptSuffix } from './promptFile.ts';
import {
  compareByName,
  type FoundPrompt,
  findPrompts,
  readPromptFile,
  readPromptName,
} from './promptList.ts';
import { PromptMemory } from './promptMemory.ts';

/** The prompts and the services for running them. */
export class PromptLibrary {
  readonly editor: LastEditor;
  readonly memory: PromptMemory;
  readonly #cache = new PromptCache();
  readonly #globalStorage: vscode.Uri;

  constructor({ globalState, globalStorageUri }: vscode.ExtensionContext, editor: LastEditor) {
    this.editor = editor;
    this.memory = new PromptMemory(globalState);
    this.#globalStorage = globalStorageUri;
  }

  /** The folder of the user's own prompts. The folder may not exist yet. */
  get ownFolder(): vscode.Uri {
    const chosen = readFolder('promptsFolder');
    return chosen === undefined
      ? vscode.Uri.joinPath(this.#globalStorage, 'prompts')
      : vscode.Uri.file(chosen);
  }

  /**
   * Finds all prompts, sorted by name, and reads the files that changed since the last call. A prompt file
   * replaces the built-in prompt of the same name.
   */
  async find(): Promise<readonly FoundPrompt[]> {
    const files = await findPrompts(this.ownFolder, (uri, folder) => this.#cache.read(uri, folder));
    const names = new Set(files.map((file) => readPromptName(file).replace(promptSuffix, '').toLowerCase()));
    const builtIn = createBuiltInPrompts().filter((prompt) => !names.has(readPromptName(prompt)));
    return [...files, ...builtIn].toSorted(compareByName);
  }
}

/** The maximum number of cached prompt files. The cache is cleared when it is full. */
const maxCachedFiles = 1000;

interface CachedPrompt {
  readonly mtime: number;
  readonly size: number;
  readonly found: FoundPrompt;
}

/** A cache of prompt files. A file is read again if its modification time or size has changed. */
class PromptCache {
  readonly #cached = new Map<string, CachedPrompt>();

  async read(uri: vscode.Uri, folder?: string): Promise<FoundPrompt> {
    const stat = await vscode.workspace.fs.stat(uri).then(undefined, () => undefined);
    const key = `${uri.toString()} ${folder ?? ''}`;
    const cached = this.#cached.get(key);
    if (stat && cached && cached.mtime === stat.mtime && cached.size === stat.size) return cached.found;
    const found = await readPromptFile(uri, folder);
    if (this.#cached.size >= maxCachedFiles) this.#cached.clear();
    if (stat && found.problem?.kind !== 'unreadable')
      this.#cached.set(key, { mtime: stat.mtime, size: stat.size, found });
    return found;
  }
}
