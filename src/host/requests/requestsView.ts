import * as vscode from 'vscode';
import { Throttle } from '../../base/throttle.ts';
import type { RequestHistory } from '../../requests/requestHistory.ts';
import { type RequestFigures, requestState } from '../../requests/requestRecord.ts';
import { type Choice, pick } from '../kit/display/quickInput.ts';
import { RowView } from '../kit/display/rowView.ts';
import { errorText } from '../kit/display/storageNotice.ts';
import type { TreeRow } from '../kit/display/treeRowCache.ts';
import { showViewMessage } from '../kit/display/treeRows.ts';
import { setContextKey } from '../kit/manifest/contributions.ts';
import { earlierFailuresRow, type RequestsNode, requestRow, unreadableRow } from './requestRows.ts';
import { routeName } from './requestWords.ts';

/** The requests that the view shows: failed requests, or the requests of a route. */
type RequestFilter = { readonly kind: 'failed' } | { readonly kind: 'route'; readonly route: string };

function isShown(figures: RequestFigures, filter: RequestFilter | undefined): boolean {
  switch (filter?.kind) {
    case undefined:
      return true;
    case 'failed':
      return requestState(figures) === 'failed';
    case 'route':
      return figures.route === filter.route;
  }
}

function filterName(filter: RequestFilter): string {
  return filter.kind === 'failed' ? vscode.l10n.t('failed requests') : routeName(filter.route);
}

interface FilterChoice extends Choice {
  readonly filter: RequestFilter;
}

/**
 * Lets the user choose a filter.
 *
 * @param requests the requests whose routes are offered
 * @returns undefined when the user cancels
 */
export async function pickFilter(requests: readonly RequestFigures[]): Promise<RequestFilter | undefined> {
  const routes = [...new Set(requests.map(({ route }) => route))];
  const choices: readonly FilterChoice[] = [
    { label: vscode.l10n.t('Failed requests'), icon: 'error', filter: { kind: 'failed' } },
    ...routes.map((route) => ({
      label: routeName(route),
      description: route,
      filter: { kind: 'route', route } as const,
    })),
  ];
  return (await pick(choices, { title: vscode.l10n.t('Choose the requests to show') }))?.filter;
}

/** The shortest time between two updates of the view, in milliseconds. */
const refreshMs = 200;

/** The Requests view: the requests of this window to gateways, newest first. */
export class RequestsView extends RowView<RequestsNode> {
  readonly #history: RequestHistory;
  readonly #throttle = new Throttle(() => this.#refresh(), refreshMs);
  #filter: RequestFilter | undefined;
  /** The error of the last read of earlier failures. */
  #readError: unknown;

  constructor(history: RequestHistory) {
    super('requests', { canSelectMany: true });
    this.#history = history;
    this.addDisposables(
      history.onDidChange(() => this.#throttle.schedule()),
      this.view.onDidChangeVisibility(() => void this.readEarlierFailures()),
      // Other windows may have stored or cleared failures.
      vscode.window.onDidChangeWindowState(({ focused }) => focused && void this.readEarlierFailures()),
      this.#throttle,
    );
  }

  filterBy(filter: RequestFilter | undefined): void {
    this.#filter = filter;
    showViewMessage(this.view, filter && vscode.l10n.t('Showing only: {0}.', filterName(filter)));
    setContextKey('requestsFiltered', filter !== undefined);
    this.#refresh();
  }

  /** The requests that the view shows: first this window's, then earlier failures, each newest first. */
  get shown(): readonly RequestFigures[] {
    const { recent, earlierFailures } = this.#history;
    return this.#matching([...recent, ...earlierFailures]);
  }

  /** Reads earlier failures again if the view is visible. An error is shown as a row. */
  async readEarlierFailures(): Promise<void> {
    if (!this.view.visible) return;
    try {
      await this.#history.readEarlierFailures();
      this.#readError = undefined;
    } catch (error) {
      this.#readError = error;
    }
    this.#throttle.schedule();
  }

  getChildren(node?: RequestsNode): RequestsNode[] {
    if (node === undefined) this.rows.update(this.#createRows());
    return this.listChildren(node);
  }

  #refresh(): void {
    const rows = this.#createRows();
    setContextKey('hasRequests', this.#history.recent.length + this.#history.earlierFailures.length > 0);
    if (!this.view.visible) return;
    this.show(rows);
  }

  #createRows(): readonly TreeRow<RequestsNode>[] {
    const { recent, earlierFailures } = this.#history;
    const earlier = this.#matching(earlierFailures);
    return [
      ...this.#matching(recent).map(requestRow),
      ...(earlier.length > 0 ? [earlierFailuresRow(earlier)] : []),
      ...(this.#readError === undefined ? [] : [unreadableRow(errorText(this.#readError))]),
    ];
  }

  #matching(requests: readonly RequestFigures[]): readonly RequestFigures[] {
    return requests.filter((figures) => isShown(figures, this.#filter));
  }
}
