import * as vscode from 'vscode';
import { type RequestFigures, type RequestState, requestState } from '../../requests/requestRecord.ts';
import { catalogueEntry } from '../../wire/failureCatalogue.ts';
import type { TreeRow } from '../kit/display/knownRows.ts';
import { factLine } from '../kit/display/listed.ts';
import { type Row, treeItem } from '../kit/display/rows.ts';
import { commandName } from '../kit/manifest/contributions.ts';
import {
  failureSentence,
  failureWords,
  noteWords,
  requestFacts,
  requestName,
  rowFacts,
} from './requestWords.ts';
import { maySendAgain } from './sendableRequests.ts';

/** A row of the Requests view. */
export type RequestsNode =
  | { readonly kind: 'request'; readonly id: string }
  /** Failures of earlier sessions and of other windows. */
  | { readonly kind: 'kept' }
  | { readonly kind: 'notice' };

/** Shows a request as its row. */
export function requestRow(figures: RequestFigures): TreeRow<RequestsNode> {
  const label = requestName(figures);
  const state = requestState(figures);
  const description = rowFacts(figures);
  return rowOf(
    { kind: 'request', id: figures.id },
    {
      ...{ id: `request/${figures.id}`, label, description, ...icons[state] },
      tooltip: tooltipOf(figures),
      spoken: factLine([label, failureSentence(figures), description]),
      context: [
        'request',
        state,
        ...(maySendAgain(figures) ? ['sendable'] : []),
        ...(mayCheck(figures) ? ['check-connection'] : []),
      ].join(' '),
      command: { command: commandName('requests.openRequest'), title: vscode.l10n.t('Open Request') },
    },
  );
}

/** Whether the way to the gateway may be why it failed. */
function mayCheck({ failure }: RequestFigures): boolean {
  return failure !== undefined && catalogueEntry(failure).steps.includes('check-connection');
}

const icons: Readonly<Record<RequestState, Pick<Row, 'icon' | 'color'>>> = {
  succeeded: { icon: 'check' },
  failed: { icon: 'error', color: 'list.errorForeground' },
  cancelled: { icon: 'circle-slash' },
};

function tooltipOf(figures: RequestFigures): string {
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

/** The group of failures that are kept, of earlier sessions and other windows. */
export function keptRow(kept: readonly RequestFigures[]): TreeRow<RequestsNode> {
  const row: Row = {
    id: 'kept',
    label: vscode.l10n.t('Earlier failures'),
    description: String(kept.length),
    tooltip: vscode.l10n.t('Failures of earlier sessions and of other windows. The last 500 are stored.'),
    context: 'kept',
    children: 'collapsed',
  };
  return { ...rowOf({ kind: 'kept' }, row), children: kept.map(requestRow) };
}

/** Says why no earlier failures are shown. */
export function unreadableRow(why: string): TreeRow<RequestsNode> {
  return rowOf(
    { kind: 'notice' },
    {
      id: 'unreadable',
      label: vscode.l10n.t('Earlier failures cannot be read'),
      description: why,
      icon: 'warning',
      color: 'list.warningForeground',
      tooltip: why,
      command: { command: commandName('requests.openRequest'), title: vscode.l10n.t('Try Again') },
    },
  );
}

/** A row whose line is all that is told of it. */
export function rowOf(node: RequestsNode, row: Row): TreeRow<RequestsNode> {
  return { id: row.id, node, look: row, item: () => treeItem(row) };
}
