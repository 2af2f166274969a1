import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { isObject, parseJson } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { type TextFormat, textFormats } from '../../wire/apis/textFormats.ts';
import type { Route } from '../../wire/routes.ts';
import { type Gateway, type Gateways, localEntry } from '../connection/gateways.ts';
import { notify } from '../display/notify.ts';
import { withNotificationProgress } from '../display/progress.ts';
import type { CommandTable, Services } from '../services.ts';
import { chosenRequest } from './chosenRequests.ts';
import { requestName } from './requestWords.ts';

/** Opens the body of a request to be edited and sent again. Sends nothing. */
async function sendAgain(services: Services, row?: unknown): Promise<void> {
  const { requests, requestDrafts } = services;
  const figures = await chosenRequest(services, row, vscode.l10n.t('Send which request again?'));
  if (!figures) return;
  const opened = await requests.open(figures.id);
  const kept = opened?.content?.requestBody;
  const body = kept && kept.omitted === 0 ? parseJson(kept.text) : undefined;
  if (!routeOf(figures) || makesTask(body)) return tell(onlyReplies());
  if (!isObject(body)) {
    return tell(vscode.l10n.t('The whole body of this request is not kept any more.'));
  }
  await requestDrafts.open(figures, body);
}

/** Sends what was edited, once, and shows the new request. */
async function send(services: Services): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const figures = document && services.requestDrafts.of(document);
  if (!figures) return tell(vscode.l10n.t('Choose “Send Again After Editing…” at a request first.'));
  const target = routeOf(figures);
  const body = parseJson(document.getText());
  if (!isObject(body)) return tell(vscode.l10n.t('The request is not a JSON object.'));
  if (!target || makesTask(body)) return tell(onlyReplies());
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

/** The route of a reply in a text format; undefined for any other. */
function routeOf({ route: name }: RequestFigures): { format: TextFormat; route: Route } | undefined {
  for (const format of textFormats) {
    const route = format.routes.find((each) => each.name === name);
    if (route) return { format, route };
  }
  return undefined;
}

/** What makes a task is paid for: the Tasks view asks first, and keeps it before it is sent. */
function makesTask(body: unknown): boolean {
  if (!isObject(body)) return false;
  const wanted = valueAt(body, ['response_format', 'type']);
  return body.background === true || wanted === 'video' || wanted === 'image' || wanted === 'audio';
}

function onlyReplies(): string {
  return vscode.l10n.t(
    'Only requests for a reply are sent again from here. What makes a task is run again in the Tasks view, which asks first.',
  );
}

/** The gateway that was asked, where it still has that address. */
function gatewayOf({ all }: Gateways, { gateway: name, url }: RequestFigures): Gateway | undefined {
  if (name === localEntry.name) return localEntry;
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
} satisfies CommandTable;
