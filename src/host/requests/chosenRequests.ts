import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { notify } from '../kit/display/notify.ts';
import { pick } from '../kit/display/prompts.ts';
import { forgottenRow } from '../kit/forgottenRow.ts';
import { requestIdOf } from './requestDocuments.ts';
import type { RequestServices } from './requestServices.ts';
import { requestName, rowFacts } from './requestWords.ts';

/**
 * Finds the requests of a command: all selected rows if the clicked one is among them, else the clicked one; for a key
 * the focused row or the selected ones; else the one whose document is in front, else one that the user picks.
 */
export async function chosenRequests(
  services: RequestServices,
  given: unknown,
  selected: unknown,
  title: string,
): Promise<readonly RequestFigures[]> {
  const ids = (await idsOfRows(services, given, selected)) ?? idInFront(given);
  if (!ids) return askWhich(services, title);
  const found = ids.flatMap((id) => services.requests.find(id) ?? []);
  if (found.length === 0) showNone();
  return found;
}

/** Like `chosenRequests`, for a command for one request. */
export async function chosenRequest(
  services: RequestServices,
  given: unknown,
  title: string,
): Promise<RequestFigures | undefined> {
  return (await chosenRequests(services, given, undefined, title))[0];
}

async function idsOfRows(
  { requestsView }: RequestServices,
  given: unknown,
  selected: unknown,
): Promise<readonly string[] | undefined> {
  if (Array.isArray(selected) && selected.length > 1) return selected.flatMap(idOf);
  if (isObject(given) && given.rows === 'selected')
    return (await requestsView.selection.focused()).flatMap(idOf);
  const ids = idOf(given);
  return ids.length > 0 ? ids : undefined;
}

/** The arguments of a button of an editor begin with the address of its document. */
function idInFront(given: unknown): readonly string[] | undefined {
  if (given === forgottenRow) return undefined;
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  const id = uri && requestIdOf(uri);
  return id === undefined ? undefined : [id];
}

function idOf(row: unknown): readonly string[] {
  return isObject(row) && row.kind === 'request' && typeof row.id === 'string' ? [row.id] : [];
}

async function askWhich(
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
    showNone();
    return [];
  }
  const chosen = await pick(choices, { title });
  return chosen ? [chosen.figures] : [];
}

function showNone(): void {
  void notify('info', vscode.l10n.t('No request to apply this to.'));
}
