// Tree views, and the parts of the window without state: status bar items, output channels, terminals.
import { randomUUID } from 'node:crypto';
import type * as vscode from 'vscode';
import { addCommands } from './commands.ts';
import { noEvent } from './noEvent.ts';
import { EventEmitter } from './values.ts';

const nothing = () => {};

/** A tree view that is hidden until it is revealed or focused. */
export class TreeView<T> {
  title = '';
  description: string | undefined;
  message: string | undefined;
  badge: vscode.ViewBadge | undefined;
  visible = false;
  selection: readonly T[] = [];
  readonly id: string;
  readonly provider: vscode.TreeDataProvider<T>;
  readonly onDidChangeSelection = noEvent;
  readonly onDidChangeVisibility: vscode.Event<vscode.TreeViewVisibilityChangeEvent>;
  readonly onDidExpandElement = noEvent;
  readonly onDidCollapseElement = noEvent;
  readonly onDidChangeCheckboxState = noEvent;
  readonly #visibility = new EventEmitter<vscode.TreeViewVisibilityChangeEvent>();

  constructor(id: string, provider: vscode.TreeDataProvider<T>) {
    [this.id, this.provider] = [id, provider];
    this.onDidChangeVisibility = this.#visibility.event;
    addCommands({ [`${id}.focus`]: () => this.#show() });
  }

  async reveal(): Promise<void> {
    this.#show();
  }

  dispose(): void {}

  #show(): void {
    if (this.visible) return;
    this.visible = true;
    this.#visibility.fire({ visible: true });
  }
}

/** Creates a status bar item that is not displayed. */
export function createStatusBarItem(id?: string) {
  return { id, text: '', tooltip: undefined, show: nothing, hide: nothing, dispose: nothing };
}

/** Creates an output channel that discards its text. */
export function createOutputChannel(name: string) {
  return {
    name,
    logLevel: 2,
    onDidChangeLogLevel: noEvent,
    append: nothing,
    appendLine: nothing,
    replace: nothing,
    clear: nothing,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    show: nothing,
    hide: nothing,
    dispose: nothing,
  };
}

/** Creates a terminal that runs no commands. */
export function createTerminal({ name = randomUUID() }: vscode.TerminalOptions) {
  return { name, show: nothing, sendText: nothing, dispose: nothing };
}
