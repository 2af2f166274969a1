import * as vscode from 'vscode';
import { type RequestFigures, type RequestState, requestState } from '../../requests/requestRecord.ts';
import { catalogueEntry } from '../../wire/failures/failureCatalogue.ts';
import { joinFacts } from '../kit/display/joinNames.ts';
import type { TreeRow } from '../kit/display/treeRowCache.ts';
import { createRow, type Row } from '../kit/display/treeRows.ts';
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
  /** The group of failures of earlier sessions and of other windows. */
  | { readonly kind: 'earlier-failures' }
  | { readonly kind: 'notice' };

/** The row of a request. */
export function requestRow(figures: RequestFigures): TreeRow<RequestsNode> {
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
      tooltip: tooltipOf(figures),
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

/** The group of stored failures, of earlier sessions and other windows. */
export function earlierFailuresRow(failures: readonly RequestFigures[]): TreeRow<RequestsNode> {
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
export function unreadableRow(reason: string): TreeRow<RequestsNode> {
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
