import * as vscode from 'vscode';
import { errorTrace } from '../../base/errors.ts';
import type { ServedRequest } from '../../protocol/gatewayControl.ts';
import { KeptFailures } from '../../requests/keptFailures.ts';
import { RequestHistory } from '../../requests/requestHistory.ts';
import {
  type RequestFailure,
  type RequestFigures,
  requestFailure,
  requestRecord,
} from '../../requests/requestRecord.ts';
import { textFormats } from '../../wire/apis/textFormats.ts';
import { cutReply, type FailureDetails, failureOfReply } from '../../wire/errorMapping.ts';
import { routes } from '../../wire/routes.ts';
import { errorText } from '../kit/display/errorText.ts';
import type { Log } from '../kit/display/log.ts';
import { notify } from '../kit/display/notify.ts';
import { settingsSection } from '../kit/manifest/contributions.ts';
import { readSetting } from '../kit/manifest/settings.ts';
import type { Connection } from './connection.ts';
import { localEntry } from './gateways.ts';
import type { LocalGateway } from './localGateway.ts';

/** What is known of requests, and what writes failures to the disk. */
export interface OpenRequests {
  readonly history: RequestHistory;
  readonly failures: KeptFailures;
  readonly subscriptions: readonly vscode.Disposable[];
}

/** Creates the history of this window's requests, whose failures are kept in the extension's storage. */
export function openRequestHistory(
  { extensionUri, globalStorageUri }: vscode.ExtensionContext,
  connection: Connection,
  localGateway: Pick<LocalGateway, 'onServed'>,
  log: Log,
): OpenRequests {
  const failures = new KeptFailures({
    file: vscode.Uri.joinPath(globalStorageUri, 'requests.sqlite').fsPath,
    program: vscode.Uri.joinPath(extensionUri, 'dist', 'requestsWorker.js').fsPath,
    isWanted: readKeepsFailures,
    onError: (error) => {
      log.error('http', errorTrace(error));
      void notify('warning', vscode.l10n.t('Failed requests are not being stored. {0}', errorText(error)));
    },
  });
  const history = new RequestHistory(failures);
  const eraseUnwanted = async () => {
    if (readKeepsFailures()) return;
    await history.clearKept().catch((error) => tellNotErased(error, log, eraseUnwanted));
  };
  return {
    history,
    failures,
    subscriptions: [
      connection.onDidExchange(({ exchange, gateway }) => history.add(requestRecord(exchange, gateway))),
      localGateway.onServed(({ baseUrl, request }) => history.addServed(servedFigures(baseUrl, request))),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${settingsSection}.requests.keepFailures`)) void eraseUnwanted();
      }),
    ],
  };
}

/**
 * Says that failures are still on the disk, which the user wanted gone from there.
 *
 * @param again tries once more to erase them
 */
export async function tellNotErased(error: unknown, log: Log, again: () => Promise<void>): Promise<void> {
  log.error('http', errorTrace(error));
  const words = vscode.l10n.t('Stored requests could not be erased from the disk. {0}', errorText(error));
  const tryAgain = vscode.l10n.t('Try Again');
  if ((await notify('error', words, tryAgain)) === tryAgain) await again();
}

/** Whether failed requests are stored on the disk. */
function readKeepsFailures(): boolean {
  return readSetting<boolean>('requests.keepFailures') !== false;
}

const known = [...textFormats.flatMap((format) => format.routes), ...Object.values(routes)];

/**
 * A request that the local gateway answered to another program, as the Requests view shows it.
 *
 * @param baseUrl of the local gateway
 */
function servedFigures(baseUrl: string, served: ServedRequest): RequestFigures {
  const { time, method, route, status, ms, firstByteMs, bytes, requestId, credential = '' } = served;
  const { model = '', alias = model, upstream, conversion, passedOver = [] } = served;
  const named = known.find((each) => each.method === method && each.path === route);
  const failure = failureOf(served, baseUrl, named);
  const notes = {
    ...(upstream !== undefined && { upstream }),
    ...(alias !== model && { model }),
    ...(conversion !== undefined && { conversion }),
    ...(passedOver.length > 0 && { passedOver: passedOver.join('; ') }),
  };
  return {
    id: `served ${time} ${requestId}`,
    gateway: localEntry.name,
    caller: credential,
    route: named?.name ?? route,
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

/** By its status alone: what was said is told to the caller only. */
function failureOf(
  { status, isCut }: ServedRequest,
  baseUrl: string,
  route: (typeof known)[number] | undefined,
): RequestFailure | undefined {
  const details = isCut ? cutReply() : status >= 400 ? ofStatus(status, baseUrl, route) : undefined;
  return details && requestFailure(details);
}

function ofStatus(
  status: number,
  baseUrl: string,
  route: (typeof known)[number] | undefined,
): FailureDetails {
  const { group = '', name } = route ?? {};
  const reply = { status, headers: {}, body: '', group, url: new URL(baseUrl), now: new Date() };
  return failureOfReply({ ...reply, ...(name !== undefined && { route: name }) });
}
