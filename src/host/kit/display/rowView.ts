import * as vscode from 'vscode';
import { untilAborted } from '../../../base/cancellation.ts';
import { type Disposable, Emitter } from '../../../base/emitter.ts';
import { type ViewName, viewId } from '../manifest/contributions.ts';
import { type TreeRow, TreeRowCache } from './treeRowCache.ts';
import { createTreeItem } from './treeRows.ts';

/** The timeout for VS Code to list rows again, in milliseconds. */
const maxListingMs = 2000;

/**
 * A tree view of the extension. It redraws only changed rows, and disposes its parts. Subclasses list their rows in
 * `getChildren`.
 */
export abstract class RowView<N extends object> implements vscode.TreeDataProvider<N> {
  readonly #onDidChange = new vscode.EventEmitter<N[] | undefined>();
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly selection: TreeSelection<N>;
  protected readonly view: vscode.TreeView<N>;
  protected rows = new TreeRowCache<N>();
  readonly #owned: Disposable[] = [];

  /** @param name the name in the manifest */
  protected constructor(
    name: ViewName,
    options: Pick<vscode.TreeViewOptions<N>, 'canSelectMany' | 'showCollapseAll'> = {},
  ) {
    this.view = vscode.window.createTreeView(viewId(name), { ...options, treeDataProvider: this });
    this.selection = new TreeSelection(this.view);
  }

  abstract getChildren(node?: N): vscode.ProviderResult<N[]>;

  getTreeItem(node: N): vscode.TreeItem {
    return this.rows.createItem(node) ?? createTreeItem({ id: 'unknown-row', label: '' });
  }

  getParent(node: N): N | undefined {
    return this.rows.findParent(node);
  }

  dispose(): void {
    for (const each of this.#owned) each.dispose();
    this.view.dispose();
    this.#onDidChange.dispose();
  }

  /** Lists the cached rows below a row, or the top level rows, for `getChildren`. */
  protected listChildren(node: N | undefined): N[] {
    this.selection.reportListed();
    return [...(node === undefined ? this.rows.roots : this.rows.findChildren(node))];
  }

  /** Replaces the shown rows. */
  protected show(rows: readonly TreeRow<N>[]): void {
    this.redraw(this.rows.update(rows));
  }

  /** Redraws rows with their children; without `rows` the whole tree. */
  protected redraw(rows: readonly N[] | undefined): void {
    if (rows?.length !== 0) this.#onDidChange.fire(rows && [...rows]);
  }

  protected addDisposables(...disposables: readonly Disposable[]): void {
    this.#owned.push(...disposables);
  }
}

/** The selected, clicked or focused rows of a tree view. */
class TreeSelection<N> {
  readonly #view: vscode.TreeView<N>;
  readonly #onDidList = new Emitter();

  constructor(view: vscode.TreeView<N>) {
    this.#view = view;
  }

  get rows(): readonly N[] {
    return this.#view.selection;
  }

  /** Called whenever rows are returned to VS Code. */
  reportListed(): void {
    // VS Code can select the rows only after it has processed the whole result.
    setImmediate(() => this.#onDidList.fire());
  }

  /** Waits for the row that was just clicked. VS Code does not report a selection while it lists rows. */
  async waitForClickedRow(): Promise<N | undefined> {
    const timeout = AbortSignal.timeout(maxListingMs);
    while (this.rows.length === 0 && !timeout.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const subscription = this.#onDidList.event(resolve);
      await untilAborted(promise, timeout).catch(() => {});
      subscription.dispose();
    }
    return this.rows[0];
  }

  /**
   * Finds the rows that a key binding applies to, as in VS Code's Explorer: the focused row, or all selected rows if
   * it is selected. VS Code reports only the selection to extensions, so the focused row is found by toggling its
   * selection.
   */
  async findFocusedRows(): Promise<readonly N[]> {
    const before = this.rows;
    await vscode.commands.executeCommand(toggleSelection);
    const after = this.rows;
    await vscode.commands.executeCommand(toggleSelection);
    const added = after.filter((row) => !before.includes(row));
    return added.length > 0 || after.length === before.length ? added : before;
  }
}

const toggleSelection = 'list.toggleSelection';
