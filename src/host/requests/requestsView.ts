import * as vscode from 'vscode';
import { Throttle } from '../../base/throttle.ts';
import type { RequestHistory } from '../../requests/requestHistory.ts';
import { type RequestFigures, type RequestState, requestState } from '../../requests/requestRecord.ts';
import { catalogueEntry } from '../../wire/failures/failureCatalogue.ts';
import { joinFacts } from '../kit/display/joinNames.ts';
import { type Choice, pick } from '../kit/display/quickInput.ts';
import { RowView } from '../kit/display/rowView.ts';
import { errorText } from '../kit/display/storageNotice.ts';
import type { TreeRow } from '../kit/display/treeRowCache.ts';
import { createRow, type Row, showViewMessage } from '../kit/display/treeRows.ts';
import { commandName, setContextKey } from '../kit/manifest/contributions.ts';
import {
  failureSentence,
  failureWords,
  noteWords,
  requestFacts,
  requestName,
  routeName,
  rowFacts,
} from './requestWords.ts';
import { maySendAgain } from './sendableRequests.ts';

/** A row of the Requests view. */
export type RequestsNode =
  | { readonly kind: 'request'; readonly id: string }
  /** The group of failures of earlier sessions and of other windows. */
  | { readonly kind: 'earlier-failures' }
  | { readonly kind: 'notice' };

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

function requestRow(figures: RequestFigures): TreeRow<RequestsNode> {
  const label = requestName(figures);
  const state = requestState(figures);
  const description = rowFacts(figures);
  return createRow(
    { kind: 'request', id: figures.id },
    {
      id: `request/${figures.id}`,
      label,
      description,
      ...icons[state],
      tooltip: createTooltip(figures),
      spoken: joinFacts([label, failureSentence(figures), description]),
      context: [
        'request',
        state,
        ...(maySendAgain(figures) ? ['sendable'] : []),
        ...(isConnectionSuspect(figures) ? ['check-connection'] : []),
      ].join(' '),
      command: { command: commandName('requests.openRequest'), title: vscode.l10n.t('Open Request') },
    },
  );
}

/** Whether the connection to the gateway may be the cause of the failure. */
function isConnectionSuspect({ failure }: RequestFigures): boolean {
  return failure !== undefined && catalogueEntry(failure).steps.includes('check-connection');
}

const icons: Readonly<Record<RequestState, Pick<Row, 'icon' | 'color'>>> = {
  succeeded: { icon: 'check' },
  failed: { icon: 'error', color: 'list.errorForeground' },
  cancelled: { icon: 'circle-slash' },
};

function createTooltip(figures: RequestFigures): string {
  const { t } = vscode.l10n;
  const { method, url, gateway, requestId, gatewayRequestId, requestedAt } = figures;
  const words = failureWords(figures);
  return [
    `${method} ${url}`,
    requestFacts(figures),
    ...(words === undefined ? [] : ['', words]),
    '',
    t('Sent: {0}', new Date(requestedAt).toLocaleString(vscode.env.language)),
    t('Gateway: {0}', gateway),
    ...noteWords(figures).map(([name, words]) => `${name}: ${words}`),
    t('Request ID: {0}', requestId),
    ...(gatewayRequestId === undefined ? [] : [t('The gateway’s request ID: {0}', gatewayRequestId)]),
  ].join('\n');
}

/** The group of stored failures, of earlier sessions and other windows. */
function earlierFailuresRow(failures: readonly RequestFigures[]): TreeRow<RequestsNode> {
  const row: Row = {
    id: 'earlier-failures',
    label: vscode.l10n.t('Earlier failures'),
    description: String(failures.length),
    tooltip: vscode.l10n.t('Failures of earlier sessions and of other windows. The last 500 are stored.'),
    context: 'earlier-failures',
    children: 'collapsed',
  };
  return { ...createRow({ kind: 'earlier-failures' }, row), children: failures.map(requestRow) };
}

/** The row that shows why earlier failures cannot be read. A click tries again. */
function unreadableRow(reason: string): TreeRow<RequestsNode> {
  return createRow(
    { kind: 'notice' },
    {
      id: 'unreadable',
      label: vscode.l10n.t('Earlier failures cannot be read'),
      description: reason,
      icon: 'warning',
      color: 'list.warningForeground',
      tooltip: reason,
      command: { command: commandName('requests.openRequest'), title: vscode.l10n.t('Try Again') },
    },
  );
}
