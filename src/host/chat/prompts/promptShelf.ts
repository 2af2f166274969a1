import * as vscode from 'vscode';
import type { LastEditor } from '../../kit/display/lastEditor.ts';
import { readFolder } from '../../kit/manifest/settings.ts';
import { builtInPrompts } from './builtInPrompts.ts';
import { promptSuffix } from './promptFile.ts';
import { byName, type FoundPrompt, findPrompts, nameOf, readPromptFile } from './promptList.ts';
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

/** Of so many prompt files it is known what they hold; then they are read again. */
const maxKnown = 1000;

interface Known {
  readonly mtime: number;
  readonly size: number;
  readonly found: FoundPrompt;
}

/** What prompt files held when they were read last. One is read again once it has another time or size. */
class PromptCache {
  readonly #known = new Map<string, Known>();

  async read(uri: vscode.Uri, folder?: string): Promise<FoundPrompt> {
    const stat = await vscode.workspace.fs.stat(uri).then(
      (found) => found,
      () => undefined,
    );
    const key = `${uri.toString()} ${folder ?? ''}`;
    const known = this.#known.get(key);
    if (stat && known && known.mtime === stat.mtime && known.size === stat.size) return known.found;
    const found = await readPromptFile(uri, folder);
    if (this.#known.size >= maxKnown) this.#known.clear();
    if (stat && found.problem?.kind !== 'unreadable')
      this.#known.set(key, { mtime: stat.mtime, size: stat.size, found });
    return found;
  }
}
