import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import type { GatewayControl } from '../../connection/gatewayControl.ts';
import { notify } from '../../kit/display/notify.ts';
import { withStatusBarProgress } from '../../kit/display/progress.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { mayStart } from './startStop.ts';

/**
 * The connection to the local gateway, which is started where it does not run. Asks first in a remote window, and
 * tells when it does not start.
 *
 * @returns undefined when there is none
 */
export async function runningGateway(services: GatewayServices): Promise<GatewayControl | undefined> {
  if (!(await mayStart(services))) return undefined;
  const { localGateway } = services;
  try {
    await withStatusBarProgress(vscode.l10n.t('Starting the local gateway…'), () => localGateway.start());
  } catch (error) {
    await tellWithLog(vscode.l10n.t('The local gateway did not start. {0}', errorMessage(error)));
    return undefined;
  }
  const { control } = localGateway;
  if (!control) await tellWithLog(vscode.l10n.t('The local gateway cannot be operated from this window.'));
  return control;
}

/** Tells of a failure, with a way to the gateway's log. */
export async function tellWithLog(words: string): Promise<void> {
  const showLog = vscode.l10n.t('Show Local Gateway Log');
  const chosen = await notify('error', words, showLog);
  if (chosen === showLog) await runCommand('localGateway.showLog');
}
