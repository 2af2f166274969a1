import * as vscode from 'vscode';
import { untilAborted } from '../../../base/cancellation.ts';
import { errorMessage } from '../../../base/errors.ts';
import type { GatewayStatus } from '../../../protocol/gatewayControl.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { notifyFailure } from '../../connection/failures/notifyFailure.ts';
import type { GatewayState } from '../../connection/gatewayConnection.ts';
import type { GatewayControl } from '../../connection/gatewayControl.ts';
import { localEntry } from '../../connection/gateways.ts';
import type { LocalGateway } from '../../connection/localGateway.ts';
import { formatRequestsInProgress, formatTasksInProgress } from '../../kit/countWords.ts';
import { confirm, notify } from '../../kit/display/notify.ts';
import { withStatusBarProgress } from '../../kit/display/progress.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { toLedgerGatewayId } from '../../tasks/task/taskGateways.ts';
import type { GatewayServices } from '../gatewayServices.ts';

const statusTimeoutMs = 2_000;

/** Starts the local gateway and reads its models. In a remote window, the user has to agree first. */
export async function startLocalGateway(services: GatewayServices): Promise<void> {
  if (!(await confirmStart(services))) return;
  const { error } = await startAndList(services);
  if (error) await notifyFailure(failureMessage(error), () => void startLocalGateway(services));
}

/** Whether the local gateway may run on this window's machine. In a remote window, prompts the user to agree. */
export async function confirmStart({ localGateway }: GatewayServices): Promise<boolean> {
  return localGateway.consent.request();
}

/** Starts the local gateway and reads its models. Never rejects: a failure is in the returned state. */
export async function startAndList({ connection }: GatewayServices): Promise<GatewayState> {
  return withStatusBarProgress(vscode.l10n.t('Starting the local gateway…'), () =>
    connection.get(localEntry).refresh(),
  );
}

/**
 * Returns the control of the local gateway, and starts the gateway if needed. In a remote window the user has to agree
 * first. Reports a failed start.
 *
 * @returns undefined if the gateway does not run
 */
export async function openGatewayControl(services: GatewayServices): Promise<GatewayControl | undefined> {
  if (!(await confirmStart(services))) return undefined;
  const { localGateway } = services;
  try {
    await withStatusBarProgress(vscode.l10n.t('Starting the local gateway…'), () => localGateway.start());
  } catch (error) {
    await notifyWithLog(vscode.l10n.t('The local gateway did not start. {0}', errorMessage(error)));
    return undefined;
  }
  const { control } = localGateway;
  if (!control)
    await notifyWithLog(vscode.l10n.t('The local gateway cannot be controlled from this window.'));
  return control;
}

/** Shows a failure, with a button for the gateway's log. */
async function notifyWithLog(words: string): Promise<void> {
  const showLog = vscode.l10n.t('Show Local Gateway Log');
  const chosen = await notify('error', words, showLog);
  if (chosen === showLog) await runCommand('localGateway.showLog');
}

/** Restarts the local gateway, or starts it. The user has to agree first if requests are in progress. */
export async function restartLocalGateway(services: GatewayServices): Promise<void> {
  const { localGateway, connection } = services;
  const { control } = localGateway;
  if (!control) return startLocalGateway(services);
  if (!(await confirmRestart(await control.readStatus()))) return;
  try {
    await withStatusBarProgress(vscode.l10n.t('Restarting the local gateway…'), async () => {
      await localGateway.restart();
      await connection.get(localEntry).refresh();
    });
  } catch (error) {
    await notifyWithLog(vscode.l10n.t('The local gateway could not be restarted. {0}', errorMessage(error)));
    return;
  }
  showStatusMessage(vscode.l10n.t('The local gateway was restarted'), 'check');
}

async function confirmRestart({ openRequests }: GatewayStatus): Promise<boolean> {
  if (openRequests === 0) return true;
  const restart = vscode.l10n.t('Restart');
  const question = vscode.l10n.t('Restart the local gateway?');
  return (await confirm(question, formatRequestsInProgress(openRequests), restart)) === restart;
}

/**
 * Stops the local gateway that all windows share, and withdraws the consent to run it in a remote window. The user
 * has to agree first if requests are in progress.
 */
export async function stopLocalGateway(services: GatewayServices): Promise<void> {
  const { localGateway } = services;
  if (!localGateway.isRunning) {
    showStatusMessage(vscode.l10n.t('The local gateway is not running.'));
    return;
  }
  if (!(await confirmStop(services))) return;
  await localGateway.consent.withdraw();
  localGateway.stop();
}

async function confirmStop({ tasks, localGateway }: GatewayServices): Promise<boolean> {
  const running = tasks.countRunningAt(toLedgerGatewayId(localEntry));
  const open = await countOpenRequests(localGateway);
  const words = [
    ...(open > 0 ? [formatRequestsInProgress(open)] : []),
    ...(running > 0
      ? [
          vscode.l10n.t(
            '{0}. Its tasks are not watched while it is stopped; they continue after it is started again.',
            formatTasksInProgress(running),
          ),
        ]
      : []),
  ];
  if (words.length === 0) return true;
  const stop = vscode.l10n.t('Stop');
  const chosen = await confirm(
    vscode.l10n.t('Stop the local gateway for all windows?'),
    words.join('\n'),
    stop,
  );
  return chosen === stop;
}

/** The number of requests in progress, of any program; 0 if the gateway does not reply soon. */
async function countOpenRequests({ control }: LocalGateway): Promise<number> {
  const status = control && untilAborted(control.readStatus(), AbortSignal.timeout(statusTimeoutMs));
  return (await status?.catch(() => undefined))?.openRequests ?? 0;
}
