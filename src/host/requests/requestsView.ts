import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { Throttle } from '../../base/throttle.ts';
import type { RequestHistory } from '../../requests/requestHistory.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { setContextKey, viewId } from '../contributions.ts';
import { KnownRows, type TreeRow } from '../display/knownRows.ts';
import { messageOnView, treeItem } from '../display/rows.ts';
import { TreeSelection } from '../display/treeSelection.ts';
import { type RequestsNode, requestRow } from './requestRows.ts';
import { filterName, isShown, type RequestFilter } from './requestsFilter.ts';

/** Changes are shown at most this often, in milliseconds. */
const refreshMs = 200;

/** The Requests view: what this window asked gateways, newest first. */
export class RequestsView implements vscode.TreeDataProvider<RequestsNode> {
  readonly #history: RequestHistory;
  readonly #onDidChange = new vscode.EventEmitter<RequestsNode[] | undefined>();
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #view: vscode.TreeView<RequestsNode>;
  readonly selection: TreeSelection<RequestsNode>;
  readonly #subscriptions: readonly Disposable[];
  readonly #throttle = new Throttle(() => this.#refresh(), refreshMs);
  readonly #rows = new KnownRows<RequestsNode>();
  #filter: RequestFilter | undefined;

  constructor(history: RequestHistory) {
    this.#history = history;
    this.#view = vscode.window.createTreeView(viewId('requests'), {
      treeDataProvider: this,
      canSelectMany: true,
    });
    this.selection = new TreeSelection(this.#view);
    const look = () => this.#throttle.schedule();
    this.#subscriptions = [history.onDidChange(look), this.#view.onDidChangeVisibility(look)];
  }

  get filter(): RequestFilter | undefined {
    return this.#filter;
  }

  filterBy(filter: RequestFilter | undefined): void {
    this.#filter = filter;
    messageOnView(this.#view, filter && vscode.l10n.t('Showing only: {0}.', filterName(filter)));
    setContextKey('requestsFiltered', filter !== undefined);
    this.#refresh();
  }

  /** The requests that the view shows, newest first. */
  get shown(): readonly RequestFigures[] {
    return this.#history.recent.filter((figures) => isShown(figures, this.#filter));
  }

  getChildren(node?: RequestsNode): RequestsNode[] {
    if (node === undefined) this.#rows.update(this.#content());
    this.selection.listed();
    return [...(node === undefined ? this.#rows.roots : this.#rows.childrenOf(node))];
  }

  getTreeItem(node: RequestsNode): vscode.TreeItem {
    return this.#rows.itemOf(node) ?? treeItem({ id: 'gone', label: '' });
  }

  getParent(node: RequestsNode): RequestsNode | undefined {
    return this.#rows.parentOf(node);
  }

  dispose(): void {
    this.#throttle.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.#onDidChange.dispose();
  }

  #refresh(): void {
    const rows = this.#content();
    setContextKey('hasRequests', this.#history.recent.length > 0);
    if (!this.#view.visible) return;
    const changed = this.#rows.update(rows);
    if (changed?.length !== 0) this.#onDidChange.fire(changed && [...changed]);
  }

  #content(): readonly TreeRow<RequestsNode>[] {
    return this.shown.map(requestRow);
  }
}
