import * as vscode from 'vscode';
import { errorTrace } from '../../base/errors.ts';
import { KeptFailures } from '../../requests/keptFailures.ts';
import { RequestHistory } from '../../requests/requestHistory.ts';
import { requestRecord } from '../../requests/requestRecord.ts';
import { settingsSection } from '../kit/contributions.ts';
import { errorText } from '../kit/display/errorText.ts';
import { notify } from '../kit/display/notify.ts';
import type { Log } from '../kit/log.ts';
import { readSetting } from '../kit/settings.ts';
import type { Connection } from './connection.ts';
import type { LocalGateway } from './localGateway.ts';
import { servedFigures } from './servedFigures.ts';

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
