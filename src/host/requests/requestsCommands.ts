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

/** Opens a request. Without an argument, performs the click action of the selected row. */
async function openRequest(services: RequestServices, row?: unknown): Promise<void> {
  if (row === undefined) return openSelectedRow(services);
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
  const storedRequest = requests.findSent(requestId);
  if (!storedRequest) void notify('info', vscode.l10n.t('This request is no longer stored.'));
  return storedRequest;
}

async function openSelectedRow({ requestsView, requests, requestDocuments }: RequestServices): Promise<void> {
  const row = await requestsView.selection.waitForClickedRow();
  if (row?.kind === 'notice') return requestsView.readEarlierFailures();
  const request = row?.kind === 'request' ? requests.find(row.id) : undefined;
  if (request) await requestDocuments.show(request);
}

async function confirmClear(services: RequestServices): Promise<void> {
  const erase = vscode.l10n.t('Clear');
  const chosen = await confirm(
    vscode.l10n.t('Clear all requests?'),
    vscode.l10n.t(
      'The requests of this window are removed, and stored failures of all windows are erased from the disk. This cannot be undone.',
    ),
    erase,
  );
  if (chosen === erase) await clearRequests(services);
}

async function clearRequests(services: RequestServices): Promise<void> {
  try {
    await services.requests.clear();
  } catch (error) {
    await notifyNotErased(error, services.log, () => clearRequests(services));
  }
}

async function chooseFilter({ requestsView, requests }: RequestServices): Promise<void> {
  const chosen = await pickFilter([...requests.recent, ...requests.earlierFailures]);
  if (chosen) requestsView.filterBy(chosen);
}

/**
 * Opens the body of a request, so that the user can edit it and send it again. A request for a video opens on the
 * Generate page. Sends nothing.
 */
async function sendAgain(services: RequestServices, row?: unknown): Promise<void> {
  const { requests, requestDrafts } = services;
  const figures = await resolveRequest(services, row, vscode.l10n.t('Choose the request to send again'));
  if (!figures) return;
  const opened = await requests.open(figures.id);
  const storedBody = opened?.content?.requestBody;
  const body = storedBody && storedBody.omitted === 0 ? parseJson(storedBody.text) : undefined;
  if (!isObject(body)) {
    return notifyWarning(vscode.l10n.t('The complete body of this request is no longer stored.'));
  }
  const videoRoute = taskRoute(figures, body);
  if (videoRoute) return openGenerateForm(services, figures, videoRoute, body);
  if (!replyRoute(figures, body)) return notifyWarning(notSendableWords());
  await requestDrafts.open(figures, body);
}

/** Sends the edited body in the active editor once, and shows the new request. */
async function sendDraft(services: RequestServices): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const figures = document && services.requestDrafts.getRequest(document);
  if (!figures)
    return notifyWarning(vscode.l10n.t('Choose “Edit and Send Request Again…” on a request first.'));
  const body = parseJson(document.getText());
  if (!isObject(body)) return notifyWarning(vscode.l10n.t('The request is not a JSON object.'));
  const videoRoute = taskRoute(figures, body);
  if (videoRoute) return openGenerateForm(services, figures, videoRoute, body);
  const target = replyRoute(figures, body);
  if (!target) return notifyWarning(notSendableWords());
  const gateway = findGateway(services.gateways, figures);
  if (!gateway) {
    return notifyWarning(vscode.l10n.t('The gateway “{0}” is no longer at that address.', figures.gateway));
  }
  const requestId = randomUUID();
  // The user may have changed the model in the body; some formats have the model in the path only.
  const model = scalarText(body.model) || (figures.model ?? '');
  const client = await services.connection.get(gateway).getClient();
  await withNotificationProgress(requestName(figures), (signal) =>
    client.sendFormatRequest({ ...target, body, model }, () => {}, { signal, requestId }),
  );
  const sentRequest = services.requests.recent.find((each) => each.requestId === requestId);
  if (sentRequest) await services.requestDocuments.show(sentRequest);
}

/** Fills the form of the Generate page. The page shows a confirmation before a request may cost money. */
async function openGenerateForm(
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

/** Finds the gateway of a request, if its address still has the same origin. */
function findGateway({ all }: Gateways, { gateway: name, url }: RequestFigures): Gateway | undefined {
  if (isLocalName(name)) return localEntry;
  return all.find((each) => each.name === name && new URL(each.baseUrl).origin === new URL(url).origin);
}

function notifyWarning(text: string): void {
  void notify('warning', text);
}

/** The commands of the Requests view and of the documents of requests and usage, by their ids. */
export const requestsCommands = {
  'requests.show': () => showView('requests'),
  'requests.openRequest': openRequest,
  'requests.clear': confirmClear,
  'requests.filter': chooseFilter,
  'requests.clearFilter': ({ requestsView }) => requestsView.filterBy(undefined),
  'requests.sendAgain': sendAgain,
  'requests.send': sendDraft,
  showUsage: ({ usageDocument }) => usageDocument.show(),
} satisfies CommandTable<RequestServices>;
