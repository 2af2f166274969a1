import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import type { GatewayStatus } from '../../protocol/gatewayControl.ts';
import { localEntry } from '../connection/gateways.ts';
import { requestsUnderWay } from '../counts.ts';
import { confirm, notify } from '../display/notify.ts';
import { withStatusBarProgress } from '../display/progress.ts';
import { showStatusMessage } from '../display/statusBar.ts';
import type { Services } from '../services.ts';
import { tellWithLog } from './runningGateway.ts';
import { startLocalGateway } from './startStop.ts';

/** Starts the local gateway again, or for the first time. */
export async function restartLocalGateway(services: Services): Promise<void> {
  await restart(services, []);
}

/**
 * Starts the local gateway again. Asks first where that cuts replies off, or lets commands run that the user has not
 * just entered.
 *
 * @param entered the commands for keys that the user has just entered
 * @returns whether it runs anew
 */
export async function restart(services: Services, entered: readonly string[]): Promise<boolean> {
  const { localGateway, connection } = services;
  const { control, isProvided } = localGateway;
  if (isProvided) {
    void notify(
      'info',
      vscode.l10n.t('The local gateway was not started by VS Code: restart it where it was.'),
    );
    return false;
  }
  if (!control) {
    await startLocalGateway(services);
    return localGateway.isRunning;
  }
  if (!(await mayRestart(await control.state(), entered))) return false;
  try {
    await withStatusBarProgress(vscode.l10n.t('Restarting the local gateway…'), async () => {
      await localGateway.restart();
      await connection.of(localEntry).refresh();
    });
  } catch (error) {
    await tellWithLog(vscode.l10n.t('The local gateway did not start again. {0}', errorMessage(error)));
    return false;
  }
  showStatusMessage(vscode.l10n.t('The local gateway was restarted'), 'check');
  return true;
}

async function mayRestart(
  { openRequests, waitingCommands = [] }: GatewayStatus,
  entered: readonly string[],
): Promise<boolean> {
  const commands = waitingCommands.filter((command) => !entered.includes(command));
  const words = [
    ...(openRequests > 0 ? [requestsUnderWay(openRequests)] : []),
    ...(commands.length > 0
      ? [
          vscode.l10n.t('Your shell then runs these commands of the configuration, which print keys:'),
          ...commands,
        ]
      : []),
  ];
  if (words.length === 0) return true;
  const answer = vscode.l10n.t('Restart');
  return (await confirm(vscode.l10n.t('Restart the local gateway?'), words.join('\n'), answer)) === answer;
}
