import * as vscode from 'vscode';
import { errorTrace } from '../../base/errors.ts';
import type { ServedRequest } from '../../protocol/gatewayControl.ts';
import { FailureWorker } from '../../requests/failureWorker.ts';
import { RequestHistory } from '../../requests/requestHistory.ts';
import {
  createRequestFailure,
  createRequestRecord,
  type RequestFailure,
  type RequestFigures,
} from '../../requests/requestRecord.ts';
import { textFormats } from '../../wire/apis/textFormats.ts';
import { createCutReplyFailure, readReplyFailure } from '../../wire/failures/replyFailure.ts';
import { routes } from '../../wire/routes.ts';
import type { Log } from '../kit/display/log.ts';
import { notify } from '../kit/display/notify.ts';
import { errorText } from '../kit/display/storageNotice.ts';
import { settingsSection } from '../kit/manifest/contributions.ts';
import { readSetting } from '../kit/manifest/settings.ts';
import type { Connection } from './connection.ts';
import { localEntry } from './gateways.ts';
import type { LocalGateway } from './localGateway.ts';

/** The history of requests, and the worker that stores failures on the disk. */
interface OpenRequests {
  readonly history: RequestHistory;
  readonly failures: FailureWorker;
  readonly subscriptions: readonly vscode.Disposable[];
}

/** Creates the history of this window's requests. Failed requests are stored in the extension's storage. */
export function openRequestHistory(
  { extensionUri, globalStorageUri }: vscode.ExtensionContext,
  connection: Connection,
  localGateway: Pick<LocalGateway, 'onServed'>,
  log: Log,
): OpenRequests {
  const failures = new FailureWorker({
    file: vscode.Uri.joinPath(globalStorageUri, 'requests.sqlite').fsPath,
    program: vscode.Uri.joinPath(extensionUri, 'dist', 'requestsWorker.js').fsPath,
    shouldStore: shouldStoreFailures,
    onError: (error) => {
      log.error('http', errorTrace(error));
      void notify('warning', vscode.l10n.t('Failed requests are not being stored. {0}', errorText(error)));
    },
  });
  const history = new RequestHistory(failures);
  const eraseUnwanted = async () => {
    if (shouldStoreFailures()) return;
    await history.clearStoredFailures().catch((error) => notifyNotErased(error, log, eraseUnwanted));
  };
  return {
    history,
    failures,
    subscriptions: [
      connection.onDidExchange(({ exchange, gateway }) =>
        history.add(createRequestRecord(exchange, gateway)),
      ),
      localGateway.onServed(({ baseUrl, request }) => history.addServed(toRequestFigures(baseUrl, request))),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${settingsSection}.requests.keepFailures`)) void eraseUnwanted();
      }),
    ],
  };
}

/**
 * Notifies the user that stored failures could not be erased from the disk.
 *
 * @param retry tries to erase them again
 */
export async function notifyNotErased(error: unknown, log: Log, retry: () => Promise<void>): Promise<void> {
  log.error('http', errorTrace(error));
  const words = vscode.l10n.t('Stored requests could not be erased from the disk. {0}', errorText(error));
  const tryAgain = vscode.l10n.t('Try Again');
  if ((await notify('error', words, tryAgain)) === tryAgain) await retry();
}

/** Whether failed requests are stored on the disk. */
function shouldStoreFailures(): boolean {
  return readSetting<boolean>('requests.keepFailures') !== false;
}

const allRoutes = [...textFormats.flatMap((format) => format.routes), ...Object.values(routes)];

/**
 * Converts a request of another program that the local gateway handled, for the Requests view.
 *
 * @param baseUrl the address of the local gateway
 */
function toRequestFigures(baseUrl: string, served: ServedRequest): RequestFigures {
  const { time, method, route, status, ms, firstByteMs, bytes, requestId, credential = '' } = served;
  const { model = '', alias = model, upstream, conversion, skippedModels = [] } = served;
  const knownRoute = allRoutes.find((each) => each.method === method && each.path === route);
  const failure = deriveFailure(served, baseUrl, knownRoute);
  const notes = {
    ...(upstream !== undefined && { upstream }),
    ...(alias !== model && { model }),
    ...(conversion !== undefined && { conversion }),
    ...(skippedModels.length > 0 && { skippedModels: skippedModels.join('; ') }),
  };
  return {
    id: `served ${time} ${requestId}`,
    gateway: localEntry.name,
    caller: credential,
    route: knownRoute?.name ?? route,
    method,
    url: `${baseUrl}${route.startsWith('/') ? route : ''}`,
    requestId,
    requestedAt: time,
    status,
    totalMs: ms,
    bytesReceived: bytes,
    ...(alias !== '' && { model: alias }),
    ...(firstByteMs !== undefined && { firstByteMs }),
    ...(Object.keys(notes).length > 0 && { notes }),
    ...(failure && { failure }),
  };
}

/** Derives the failure from the status alone, because only the caller receives the text of the reply. */
function deriveFailure(
  { status, isCut }: ServedRequest,
  baseUrl: string,
  route: (typeof allRoutes)[number] | undefined,
): RequestFailure | undefined {
  if (isCut) return createRequestFailure(createCutReplyFailure());
  if (status < 400) return undefined;
  const { group = '', name } = route ?? {};
  const reply = { status, headers: {}, body: '', group, url: new URL(baseUrl), now: new Date() };
  return createRequestFailure(readReplyFailure({ ...reply, ...(name !== undefined && { route: name }) }));
}
