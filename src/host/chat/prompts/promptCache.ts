import * as vscode from 'vscode';
import { type FoundPrompt, readPromptFile } from './promptList.ts';

/** Of so many prompt files it is known what they hold; then they are read again. */
const maxKnown = 1000;

interface Known {
  readonly mtime: number;
  readonly size: number;
  readonly found: FoundPrompt;
}

/** What prompt files held when they were read last. One is read again once it has another time or size. */
export class PromptCache {
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
