import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import type { VideoRouteId } from '../../wire/apis/videoRoutes.ts';
import { type Gateway, type Gateways, isLocalName, localEntry } from '../connection/gateways.ts';
import { notify } from '../kit/display/notify.ts';
import { withNotificationProgress } from '../kit/display/progress.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { fillForm } from '../tasks/fillForm.ts';
import { chosenRequest } from './chosenRequests.ts';
import type { RequestServices } from './requestServices.ts';
import { requestName } from './requestWords.ts';
import { replyRoute, taskRoute } from './sendableRequests.ts';

/** Opens the body of a request to be edited and sent again, on the Generate page where it makes a task. Sends nothing. */
async function sendAgain(services: RequestServices, row?: unknown): Promise<void> {
  const { requests, requestDrafts } = services;
  const figures = await chosenRequest(services, row, vscode.l10n.t('Choose the request to send again'));
  if (!figures) return;
  const opened = await requests.open(figures.id);
  const kept = opened?.content?.requestBody;
  const body = kept && kept.omitted === 0 ? parseJson(kept.text) : undefined;
  if (!isObject(body)) {
    return tell(vscode.l10n.t('The complete body of this request is no longer stored.'));
  }
  const task = taskRoute(figures, body);
  if (task) return openForm(services, figures, task, body);
  if (!replyRoute(figures, body)) return tell(onlyReplies());
  await requestDrafts.open(figures, body);
}

/** Sends what was edited, once, and shows the new request. */
async function send(services: RequestServices): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const figures = document && services.requestDrafts.of(document);
  if (!figures) return tell(vscode.l10n.t('Choose “Edit and Send Request Again…” on a request first.'));
  const body = parseJson(document.getText());
  if (!isObject(body)) return tell(vscode.l10n.t('The request is not a JSON object.'));
  const task = taskRoute(figures, body);
  if (task) return openForm(services, figures, task, body);
  const target = replyRoute(figures, body);
  if (!target) return tell(onlyReplies());
  const gateway = gatewayOf(services.gateways, figures);
  if (!gateway) {
    return tell(vscode.l10n.t('There is no gateway “{0}” at that address any more.', figures.gateway));
  }
  const requestId = randomUUID();
  const client = await services.connection.of(gateway).client();
  await withNotificationProgress(requestName(figures), (signal) =>
    client.ask({ ...target, body, model: figures.model ?? '' }, () => {}, { signal, requestId }),
  );
  const sent = services.requests.recent.find((each) => each.requestId === requestId);
  if (sent) await services.requestDocuments.show(sent);
}

/** Fills the Generate page, which asks before it spends and keeps the task before it is sent. */
async function openForm(
  services: RequestServices,
  figures: RequestFigures,
  route: VideoRouteId,
  body: JsonObject,
): Promise<void> {
  const recipe = { route, model: String(body.model ?? ''), request: body };
  await fillForm(services, recipe, requestName(figures));
}

function onlyReplies(): string {
  return vscode.l10n.t('Only requests for a reply or for a video are sent again.');
}

/** The gateway that was asked, where it still has that address. */
function gatewayOf({ all }: Gateways, { gateway: name, url }: RequestFigures): Gateway | undefined {
  if (isLocalName(name)) return localEntry;
  const named = all.find(
    (each) => each.name === name && new URL(each.baseUrl).origin === new URL(url).origin,
  );
  return named && { kind: 'gateway', ...named };
}

function tell(text: string): void {
  void notify('warning', text);
}

/** The commands that send requests, by their ids. */
export const requestSendingCommands = {
  'requests.sendAgain': sendAgain,
  'requests.send': send,
} satisfies CommandTable<RequestServices>;
