import * as vscode from 'vscode';
import { Throttle } from '../../../base/throttle.ts';
import type { ContextReference } from './contextReference.ts';

/** The delay between a change and the call of `onChange`, in milliseconds. Changes within this time are merged. */
const delayMs = 250;

/** Watches the sources of references: edits, saves and changes of files, but not commits and checkouts. */
export class ContextWatch {
  readonly #throttle: Throttle;
  readonly #subscriptions: readonly vscode.Disposable[];

  /** @param onChange called soon after a possible change, and once at the beginning, since a source may have changed */
  constructor(references: readonly ContextReference[], onChange: () => void) {
    this.#throttle = new Throttle(onChange, delayMs);
    const files = new Set(references.flatMap((each) => (each.kind === 'file' ? each.uri : [])));
    const schedule = () => this.#throttle.schedule();
    const isWatched = (uri: vscode.Uri) => files.has(uri.toString());
    this.#subscriptions = [
      ...[...files].flatMap((file) => watchFile(vscode.Uri.parse(file), schedule)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (isWatched(document.uri)) schedule();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (isWatched(uri)) schedule();
      }),
      ...(references.some(({ kind }) => kind === 'problems')
        ? [vscode.languages.onDidChangeDiagnostics(schedule)]
        : []),
      ...(references.some(({ kind }) => kind === 'changes')
        ? [vscode.workspace.onDidSaveTextDocument(schedule)]
        : []),
    ];
    schedule();
  }

  dispose(): void {
    this.#throttle.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

function watchFile(file: vscode.Uri, onChange: () => void): readonly vscode.Disposable[] {
  if (file.scheme === 'untitled') return [];
  const folder = vscode.Uri.joinPath(file, '..');
  const name = file.path.split('/').at(-1) ?? '';
  const watcher = vscode.workspace.createFileSystemWatcher(
    new vscode.RelativePattern(folder, escapeGlob(name)),
  );
  return [
    watcher,
    watcher.onDidChange(onChange),
    watcher.onDidCreate(onChange),
    watcher.onDidDelete(onChange),
  ];
}

/** Escapes a name, so that the glob pattern matches only this name. */
export function escapeGlob(name: string): string {
  return name.replace(/[[\]{}*?]/g, '[$&]');
}
