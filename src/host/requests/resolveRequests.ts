import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { notify } from '../kit/display/notify.ts';
import { pick } from '../kit/display/quickInput.ts';
import { missingRow } from '../kit/manifest/command.ts';
import { readRequestId } from './requestDocuments.ts';
import type { RequestServices } from './requestServices.ts';
import { requestName, rowFacts } from './requestWords.ts';

/**
 * Finds the requests of a command: the requests of the rows, or else of the active document, or else a request that
 * the user picks. Notifies the user if there is no request.
 *
 * @param argument the clicked row, the address of a document, `missingRow`, or `{ rows: 'selected' }` of a key binding
 * @param selected the selected rows, if the clicked one is among them
 */
export async function resolveRequests(
  services: RequestServices,
  argument: unknown,
  selected: unknown,
  title: string,
): Promise<readonly RequestFigures[]> {
  const ids = (await findRowIds(services, argument, selected)) ?? findDocumentIds(argument);
  if (!ids) return pickShownRequest(services, title);
  const requests = ids.flatMap((id) => services.requests.find(id) ?? []);
  if (requests.length === 0) notifyNoRequest();
  return requests;
}

/** Finds the request of a command, like `resolveRequests`. */
export async function resolveRequest(
  services: RequestServices,
  argument: unknown,
  title: string,
): Promise<RequestFigures | undefined> {
  return (await resolveRequests(services, argument, undefined, title))[0];
}

async function findRowIds(
  { requestsView }: RequestServices,
  argument: unknown,
  selected: unknown,
): Promise<readonly string[] | undefined> {
  if (Array.isArray(selected) && selected.length > 1) return selected.flatMap(readRowIds);
  if (isObject(argument) && argument.rows === 'selected')
    return (await requestsView.selection.findFocusedRows()).flatMap(readRowIds);
  const ids = readRowIds(argument);
  return ids.length > 0 ? ids : undefined;
}

/** The first argument of an editor's button is the address of the editor's document. */
function findDocumentIds(argument: unknown): readonly string[] | undefined {
  if (argument === missingRow) return undefined;
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  const id = uri && readRequestId(uri);
  return id === undefined ? undefined : [id];
}

function readRowIds(row: unknown): readonly string[] {
  return isObject(row) && row.kind === 'request' && typeof row.id === 'string' ? [row.id] : [];
}

async function pickShownRequest(
  { requestsView }: RequestServices,
  title: string,
): Promise<readonly RequestFigures[]> {
  const choices = requestsView.shown.map((figures) => ({
    figures,
    label: requestName(figures),
    description: rowFacts(figures),
    detail: figures.requestId,
  }));
  if (choices.length === 0) {
    notifyNoRequest();
    return [];
  }
  const chosen = await pick(choices, { title });
  return chosen ? [chosen.figures] : [];
}

function notifyNoRequest(): void {
  void notify('info', vscode.l10n.t('No request is available for this command.'));
}
