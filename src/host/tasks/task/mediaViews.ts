import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { MediaView } from '../../../protocol/taskPage.ts';
import type { LedgerResult } from '../../../tasks/record/task.ts';

/** Reads each saved file once, to find out how a page can show it. */
export class MediaViews {
  readonly #facts = new Map<string, Omit<MediaView, 'src'> | undefined>();
  readonly #reading = new Set<string>();
  readonly #onDidRead = new vscode.EventEmitter<void>();

  /** Fires when another file was read. */
  readonly onDidRead = this.#onDidRead.event;

  /** Returns how a webview can show a result; undefined when it cannot, or not yet. */
  of(result: LedgerResult, webview: vscode.Webview): MediaView | undefined {
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

/** The folders whose files a page may show: the folder of results, and the folders of these results. */
export function mediaRoots(folder: string, results: readonly LedgerResult[]): readonly vscode.Uri[] {
  const folders = results.flatMap(({ path }) => (path === undefined ? [] : dirname(path)));
  return [...new Set([folder, ...folders])].map((path) => vscode.Uri.file(path));
}
