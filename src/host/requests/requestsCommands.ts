import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { isObject, type JsonObject, parseJson, scalarText } from '../../base/json.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import type { VideoRouteId } from '../../wire/apis/videoRoutes.ts';
import { type Gateway, type Gateways, isLocalName, localEntry } from '../connection/gateways.ts';
import { notifyNotErased } from '../connection/openRequestHistory.ts';
import { confirm, notify } from '../kit/display/notify.ts';
import { withNotificationProgress } from '../kit/display/progress.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { showView } from '../kit/manifest/contributions.ts';
import { fillForm } from '../tasks/generateCommands.ts';
import type { RequestServices } from './requestServices.ts';
import { pickFilter } from './requestsView.ts';
import { requestName } from './requestWords.ts';
import { resolveRequest } from './resolveRequests.ts';
import { replyRoute, taskRoute } from './sendableRequests.ts';

/** Opens a request; without an argument, performs the click action of the selected row. */
async function open(services: RequestServices, row?: unknown): Promise<void> {
  if (row === undefined) return openSelected(services);
  const requestId = requestIdIn(services, row);
  const request =
    requestId === undefined
      ? await resolveRequest(services, row, vscode.l10n.t('Choose the request to open'))
      : await findSentRequest(services, requestId);
  if (request) await services.requestDocuments.show(request);
}

/** The X-Request-Id of a command's argument, which may be a failure or a task. */
function requestIdIn({ tasks }: RequestServices, argument: unknown): string | undefined {
  if (!isObject(argument)) return undefined;
  if (typeof argument.requestId === 'string') return argument.requestId;
  const isTask = argument.kind === 'task' && typeof argument.key === 'string';
  const task = isTask ? tasks.get(String(argument.key)) : undefined;
  return task && (task.problem?.requestId ?? task.requestId);
}

/** Finds a request by its X-Request-Id. Reads the failures of earlier sessions if needed. */
async function findSentRequest(
  { requests }: RequestServices,
  requestId: string,
): Promise<RequestFigures | undefined> {
  const recent = requests.findSent(requestId);
  if (recent) return recent;
  await requests.readEarlierFailures();
  const stored = requests.findSent(requestId);
  if (!stored) void notify('info', vscode.l10n.t('This request is no longer stored.'));
  return stored;
}

async function openSelected({ requestsView, requests, requestDocuments }: RequestServices): Promise<void> {
  const row = await requestsView.selection.clickedRow();
  if (row?.kind === 'notice') return requestsView.readEarlierFailures();
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
    await notifyNotErased(error, services.log, () => clearAll(services));
  }
}

async function filter({ requestsView, requests }: RequestServices): Promise<void> {
  const chosen = await pickFilter([...requests.recent, ...requests.earlierFailures]);
  if (chosen) requestsView.filterBy(chosen);
}

/**
 * Opens the body of a request to edit and send it again, on the Generate page if it makes a task. Sends nothing.
 */
async function sendAgain(services: RequestServices, row?: unknown): Promise<void> {
  const { requests, requestDrafts } = services;
  const figures = await resolveRequest(services, row, vscode.l10n.t('Choose the request to send again'));
  if (!figures) return;
  const opened = await requests.open(figures.id);
  const storedBody = opened?.content?.requestBody;
  const body = storedBody && storedBody.omitted === 0 ? parseJson(storedBody.text) : undefined;
  if (!isObject(body)) {
    return warn(vscode.l10n.t('The complete body of this request is no longer stored.'));
  }
  const task = taskRoute(figures, body);
  if (task) return openForm(services, figures, task, body);
  if (!replyRoute(figures, body)) return warn(notSendableWords());
  await requestDrafts.open(figures, body);
}

/** Sends the edited body once, and shows the new request. */
async function send(services: RequestServices): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const figures = document && services.requestDrafts.requestOf(document);
  if (!figures) return warn(vscode.l10n.t('Choose “Edit and Send Request Again…” on a request first.'));
  const body = parseJson(document.getText());
  if (!isObject(body)) return warn(vscode.l10n.t('The request is not a JSON object.'));
  const task = taskRoute(figures, body);
  if (task) return openForm(services, figures, task, body);
  const target = replyRoute(figures, body);
  if (!target) return warn(notSendableWords());
  const gateway = gatewayOf(services.gateways, figures);
  if (!gateway) {
    return warn(vscode.l10n.t('The gateway “{0}” is no longer at that address.', figures.gateway));
  }
  const requestId = randomUUID();
  const client = await services.connection.of(gateway).client();
  await withNotificationProgress(requestName(figures), (signal) =>
    client.sendFormatRequest({ ...target, body, model: figures.model ?? '' }, () => {}, {
      signal,
      requestId,
    }),
  );
  const sent = services.requests.recent.find((each) => each.requestId === requestId);
  if (sent) await services.requestDocuments.show(sent);
}

/**
 * Fills the Generate page. The page shows a confirmation before it spends, and stores the task before sending its
 * request.
 */
async function openForm(
  services: RequestServices,
  figures: RequestFigures,
  route: VideoRouteId,
  body: JsonObject,
): Promise<void> {
  const recipe = { route, model: scalarText(body.model), request: body };
  await fillForm(services, recipe, requestName(figures));
}

function notSendableWords(): string {
  return vscode.l10n.t('Only requests for a reply or a video can be sent again.');
}

/** The request's gateway, if it still has that address. */
function gatewayOf({ all }: Gateways, { gateway: name, url }: RequestFigures): Gateway | undefined {
  if (isLocalName(name)) return localEntry;
  return all.find((each) => each.name === name && new URL(each.baseUrl).origin === new URL(url).origin);
}

function warn(text: string): void {
  void notify('warning', text);
}

/** The commands of the Requests view and of the documents of requests and usage, by their ids. */
export const requestsCommands = {
  'requests.show': () => showView('requests'),
  'requests.openRequest': open,
  'requests.clear': clear,
  'requests.filter': filter,
  'requests.clearFilter': ({ requestsView }) => requestsView.filterBy(undefined),
  'requests.sendAgain': sendAgain,
  'requests.send': send,
  showUsage: ({ usageDocument }) => usageDocument.show(),
} satisfies CommandTable<RequestServices>;
