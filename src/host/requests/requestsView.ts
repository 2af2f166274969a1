import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { Throttle } from '../../base/throttle.ts';
import type { RequestHistory } from '../../requests/requestHistory.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { errorText } from '../kit/display/errorText.ts';
import { KnownRows, type TreeRow } from '../kit/display/knownRows.ts';
import { messageOnView, treeItem } from '../kit/display/rows.ts';
import { TreeSelection } from '../kit/display/treeSelection.ts';
import { setContextKey, viewId } from '../kit/manifest/contributions.ts';
import { keptRow, type RequestsNode, requestRow, unreadableRow } from './requestRows.ts';
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
  #failure: unknown;

  constructor(history: RequestHistory) {
    this.#history = history;
    this.#view = vscode.window.createTreeView(viewId('requests'), {
      treeDataProvider: this,
      canSelectMany: true,
    });
    this.selection = new TreeSelection(this.#view);
    this.#subscriptions = [
      history.onDidChange(() => this.#throttle.schedule()),
      this.#view.onDidChangeVisibility(() => void this.readKept()),
      // Other windows keep failures, and clear them.
      vscode.window.onDidChangeWindowState(({ focused }) => focused && void this.readKept()),
    ];
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

  /** The requests that the view shows: those of this window, then earlier failures, each newest first. */
  get shown(): readonly RequestFigures[] {
    const { recent, kept } = this.#history;
    return [...recent, ...kept].filter((figures) => isShown(figures, this.#filter));
  }

  /** Reads earlier failures anew, while the view is seen. What prevents it is a row. */
  async readKept(): Promise<void> {
    if (!this.#view.visible) return;
    try {
      await this.#history.readKept();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    }
    this.#throttle.schedule();
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
    setContextKey('hasRequests', this.#history.recent.length + this.#history.kept.length > 0);
    if (!this.#view.visible) return;
    const changed = this.#rows.update(rows);
    if (changed?.length !== 0) this.#onDidChange.fire(changed && [...changed]);
  }

  #content(): readonly TreeRow<RequestsNode>[] {
    const { recent, kept } = this.#history;
    const wanted = (all: readonly RequestFigures[]) => all.filter((each) => isShown(each, this.#filter));
    const earlier = wanted(kept);
    return [
      ...wanted(recent).map(requestRow),
      ...(earlier.length > 0 ? [keptRow(earlier)] : []),
      ...(this.#failure === undefined ? [] : [unreadableRow(errorText(this.#failure))]),
    ];
  }
}
