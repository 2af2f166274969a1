import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { tellNotErased } from '../connection/openRequestHistory.ts';
import { confirm, notify } from '../kit/display/notify.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { showView } from '../kit/manifest/contributions.ts';
import { chosenRequest } from './chosenRequests.ts';
import type { RequestServices } from './requestServices.ts';
import { pickFilter } from './requestsFilter.ts';

/** Opens a request; without an argument, as for a click, does what a click on the selected row is for. */
async function open(services: RequestServices, row?: unknown): Promise<void> {
  if (row === undefined) return openSelected(services);
  const sent = requestIdIn(services, row);
  const request =
    sent === undefined
      ? await chosenRequest(services, row, vscode.l10n.t('Choose the request to open'))
      : await sentRequest(services, sent);
  if (request) await services.requestDocuments.show(request);
}

/** The X-Request-Id in the argument of a command: of a failure, or of the task that a failed request was for. */
function requestIdIn({ tasks }: RequestServices, given: unknown): string | undefined {
  if (!isObject(given)) return undefined;
  if (typeof given.requestId === 'string') return given.requestId;
  const task = given.kind === 'task' && typeof given.key === 'string' ? tasks.get(given.key) : undefined;
  return task && (task.problem?.requestId ?? task.requestId);
}

/** Failures of earlier sessions are read when they are needed. */
async function sentRequest(
  { requests }: RequestServices,
  requestId: string,
): Promise<RequestFigures | undefined> {
  const known = requests.findSent(requestId);
  if (known) return known;
  await requests.readKept();
  const kept = requests.findSent(requestId);
  if (!kept) void notify('info', vscode.l10n.t('This request is no longer stored.'));
  return kept;
}

async function openSelected({ requestsView, requests, requestDocuments }: RequestServices): Promise<void> {
  const row = await requestsView.selection.clicked();
  if (row?.kind === 'notice') return requestsView.readKept();
  const request = row?.kind === 'request' ? requests.find(row.id) : undefined;
  if (request) await requestDocuments.show(request);
}

async function clear(services: RequestServices): Promise<void> {
  const erase = vscode.l10n.t('Clear');
  const chosen = await confirm(
    vscode.l10n.t('Clear all requests?'),
    vscode.l10n.t(
      'The requests of this window are removed, and stored failures of all windows are erased from the disk. This cannot be undone.',
    ),
    erase,
  );
  if (chosen === erase) await clearAll(services);
}

async function clearAll(services: RequestServices): Promise<void> {
  try {
    await services.requests.clear();
  } catch (error) {
    await tellNotErased(error, services.log, () => clearAll(services));
  }
}

async function filter({ requestsView, requests }: RequestServices): Promise<void> {
  const chosen = await pickFilter([...requests.recent, ...requests.kept]);
  if (chosen) requestsView.filterBy(chosen);
}

async function clearFilter({ requestsView }: RequestServices): Promise<void> {
  requestsView.filterBy(undefined);
}

/** The commands of the Requests view by their ids. */
export const requestsCommands = {
  'requests.show': () => showView('requests'),
  'requests.openRequest': open,
  'requests.clear': clear,
  'requests.filter': filter,
  'requests.clearFilter': clearFilter,
} satisfies CommandTable<RequestServices>;
