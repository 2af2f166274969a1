import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import type { GatewayStatus } from '../../../protocol/gatewayControl.ts';
import { localEntry } from '../../connection/gateways.ts';
import { requestsUnderWay } from '../../kit/counts.ts';
import { confirm } from '../../kit/display/notify.ts';
import { withStatusBarProgress } from '../../kit/display/progress.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { tellWithLog } from './runningGateway.ts';
import { startLocalGateway } from './startStop.ts';

/** Starts the local gateway again, or for the first time. Asks first where that cuts replies off. */
export async function restartLocalGateway(services: GatewayServices): Promise<void> {
  const { localGateway, connection } = services;
  const { control } = localGateway;
  if (!control) return startLocalGateway(services);
  if (!(await mayRestart(await control.state()))) return;
  try {
    await withStatusBarProgress(vscode.l10n.t('Restarting the local gateway…'), async () => {
      await localGateway.restart();
      await connection.of(localEntry).refresh();
    });
  } catch (error) {
    await tellWithLog(vscode.l10n.t('The local gateway did not start again. {0}', errorMessage(error)));
    return;
  }
  showStatusMessage(vscode.l10n.t('The local gateway was restarted'), 'check');
}

async function mayRestart({ openRequests }: GatewayStatus): Promise<boolean> {
  if (openRequests === 0) return true;
  const answer = vscode.l10n.t('Restart');
  const question = vscode.l10n.t('Restart the local gateway?');
  return (await confirm(question, requestsUnderWay(openRequests), answer)) === answer;
}
