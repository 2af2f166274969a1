import * as vscode from 'vscode';
import { Emitter } from '../../../base/emitter.ts';
import { untilAborted } from '../../../base/untilAborted.ts';

/** How long VS Code takes at most to list rows anew, in milliseconds. */
const maxListingMs = 2000;

/** The rows of a tree view that the user means. */
export class TreeSelection<N> {
  readonly #view: vscode.TreeView<N>;
  readonly #onDidList = new Emitter();

  constructor(view: vscode.TreeView<N>) {
    this.#view = view;
  }

  get rows(): readonly N[] {
    return this.#view.selection;
  }

  /** Call it with each answer to VS Code's question for rows. */
  listed(): void {
    // VS Code knows the rows once it has taken all of the answer.
    setImmediate(() => this.#onDidList.fire());
  }

  /** The row that was just clicked. VS Code knows none of a group while it lists its rows anew. */
  async clicked(): Promise<N | undefined> {
    const tooLate = AbortSignal.timeout(maxListingMs);
    while (this.rows.length === 0 && !tooLate.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const listed = this.#onDidList.event(resolve);
      await untilAborted(promise, tooLate).catch(() => {});
      listed.dispose();
    }
    return this.rows[0];
  }

  /**
   * The rows that a key is for, as in VS Code's Explorer: the focused one, or all that are selected where it is among
   * them. VS Code tells an extension the selection only, so the focused row is the one whose selection toggles.
   */
  async focused(): Promise<readonly N[]> {
    const before = this.rows;
    await vscode.commands.executeCommand(toggle);
    const after = this.rows;
    await vscode.commands.executeCommand(toggle);
    const added = after.filter((row) => !before.includes(row));
    return added.length > 0 || after.length === before.length ? added : before;
  }
}

const toggle = 'list.toggleSelection';
