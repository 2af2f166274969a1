import * as vscode from 'vscode';
import { untilAborted } from '../../../base/untilAborted.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { notifyFailure } from '../../connection/failures/failureActions.ts';
import type { GatewayState } from '../../connection/gatewayConnection.ts';
import { localEntry } from '../../connection/gateways.ts';
import type { LocalGateway } from '../../connection/localGateway.ts';
import { requestsUnderWay, tasksInTheMaking } from '../../kit/counts.ts';
import { confirm } from '../../kit/display/notify.ts';
import { withStatusBarProgress } from '../../kit/display/progress.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { gatewayOf } from '../../tasks/task/taskGateways.ts';
import type { GatewayServices } from '../gatewayServices.ts';

const tellsWithinMs = 2_000;

/** Starts the local gateway and reads its models. Asks first in a remote window. */
export async function startLocalGateway(services: GatewayServices): Promise<void> {
  if (!(await mayStart(services))) return;
  const { error } = await startAndList(services);
  if (error) await notifyFailure(failureMessage(error), () => void startLocalGateway(services));
}

/** Whether the local gateway may run where this window works. Asks in a remote window. */
export async function mayStart({ localGateway }: GatewayServices): Promise<boolean> {
  return localGateway.consent.ask();
}

/** Starts the local gateway and reads its models. Never rejects: a failure is in the returned state. */
export async function startAndList({ connection }: GatewayServices): Promise<GatewayState> {
  return withStatusBarProgress(vscode.l10n.t('Starting the local gateway…'), () =>
    connection.of(localEntry).refresh(),
  );
}

/**
 * Stops the local gateway that all windows share, and withdraws the consent to run it in a remote one. Asks first
 * while it makes something.
 */
export async function stopLocalGateway(services: GatewayServices): Promise<void> {
  const { localGateway } = services;
  if (!localGateway.isRunning) {
    showStatusMessage(vscode.l10n.t('The local gateway does not run.'));
    return;
  }
  if (!(await confirmStop(services))) return;
  await localGateway.consent.withdraw();
  localGateway.stop();
}

async function confirmStop({ tasks, localGateway }: GatewayServices): Promise<boolean> {
  const running = tasks.runningAt(gatewayOf(localEntry));
  const open = await openRequests(localGateway);
  const words = [
    ...(open > 0 ? [requestsUnderWay(open)] : []),
    ...(running > 0
      ? [
          vscode.l10n.t(
            '{0}. Its tasks are not watched until it is started again; then they continue.',
            tasksInTheMaking(running),
          ),
        ]
      : []),
  ];
  if (words.length === 0) return true;
  const stop = vscode.l10n.t('Stop');
  const chosen = await confirm(
    vscode.l10n.t('Stop the local gateway of all windows?'),
    words.join('\n'),
    stop,
  );
  return chosen === stop;
}

/** How many requests of any program are under way. One that does not tell soon is stopped all the same. */
async function openRequests({ control }: LocalGateway): Promise<number> {
  const status = control && untilAborted(control.state(), AbortSignal.timeout(tellsWithinMs));
  return (await status?.catch(() => undefined))?.openRequests ?? 0;
}
