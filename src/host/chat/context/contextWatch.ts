import * as vscode from 'vscode';
import { Throttle } from '../../../base/throttle.ts';
import type { ContextReference } from './contextReference.ts';

/** How long changes may gather before they are looked at, in milliseconds. */
const soonMs = 250;

/** Watches what references lead to, in editors and on disk. */
export class ContextWatch {
  readonly #throttle: Throttle;
  readonly #subscriptions: readonly vscode.Disposable[];

  /** @param changed called soon after something may have changed, and at least once */
  constructor(references: readonly ContextReference[], changed: () => void) {
    this.#throttle = new Throttle(changed, soonMs);
    const files = new Set(references.flatMap((each) => (each.kind === 'file' ? each.uri : [])));
    const soon = () => this.#throttle.schedule();
    const follows = (uri: vscode.Uri) => files.has(uri.toString());
    this.#subscriptions = [
      ...[...files].flatMap((file) => watchFile(vscode.Uri.parse(file), soon)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (follows(document.uri)) soon();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (follows(uri)) soon();
      }),
      ...(references.some(({ kind }) => kind === 'problems')
        ? [vscode.languages.onDidChangeDiagnostics(soon)]
        : []),
      ...(references.some(({ kind }) => kind === 'changes')
        ? [vscode.workspace.onDidSaveTextDocument(soon)]
        : []),
    ];
    soon();
  }

  dispose(): void {
    this.#throttle.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

function watchFile(file: vscode.Uri, changed: () => void): readonly vscode.Disposable[] {
  if (file.scheme === 'untitled') return [];
  const folder = vscode.Uri.joinPath(file, '..');
  const name = file.path.split('/').at(-1) ?? '';
  const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, globOf(name)));
  return [watcher, watcher.onDidChange(changed), watcher.onDidCreate(changed), watcher.onDidDelete(changed)];
}

/** A pattern that matches a name and nothing else. */
export function globOf(name: string): string {
  return name.replace(/[[\]{}*?]/g, '[$&]');
}
