import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { MediaView } from '../../../protocol/taskPage.ts';
import type { LedgerResult } from '../../../tasks/record/task.ts';

/** Reads the type of each saved file once, so that pages can show it. */
export class MediaViews {
  readonly #facts = new Map<string, Omit<MediaView, 'src'> | undefined>();
  readonly #reading = new Set<string>();
  readonly #onDidRead = new vscode.EventEmitter<void>();

  /** Fires when another file was read. */
  readonly onDidRead = this.#onDidRead.event;

  /** Finds the address and the type of a result for a webview; undefined if it cannot be shown, or is not read yet. */
  find(result: LedgerResult, webview: vscode.Webview): MediaView | undefined {
    const { path, state } = result;
    if (state !== 'saved' || path === undefined) return undefined;
    if (!this.#facts.has(path)) void this.#read(path);
    const facts = this.#facts.get(path);
    return facts && { ...facts, src: webview.asWebviewUri(vscode.Uri.file(path)).toString() };
  }

  dispose(): void {
    this.#onDidRead.dispose();
  }

  async #read(path: string): Promise<void> {
    if (this.#reading.has(path)) return;
    this.#reading.add(path);
    const { readMediaInfo } = await import('../../../tasks/results/mediaInfo.ts');
    this.#facts.set(path, await readMediaInfo(path).catch(() => undefined));
    this.#reading.delete(path);
    this.#onDidRead.fire();
  }
}

/** Lists the folders whose files a page may show: the folder of results, and the folders of these results. */
export function listMediaFolders(folder: string, results: readonly LedgerResult[]): readonly vscode.Uri[] {
  const folders = results.flatMap(({ path }) => (path === undefined ? [] : dirname(path)));
  return [...new Set([folder, ...folders])].map((path) => vscode.Uri.file(path));
}
