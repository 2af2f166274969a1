import * as vscode from 'vscode';
import { demoTasks } from '../counts.ts';
import { confirm } from '../display/notify.ts';
import { withStatusBarProgress } from '../display/progress.ts';
import { showStatusMessage } from '../display/statusBar.ts';
import { notifyFailure } from '../failureActions.ts';
import { failureMessage } from '../failureMessage.ts';
import type { Services } from '../services.ts';
import { gatewayOf } from '../tasks/taskGateways.ts';
import type { GatewayState } from './gatewayConnection.ts';
import { demoGateway } from './gateways.ts';

/** Starts the demo gateway again. Asks first in a remote window. */
export async function startLocalGateway(services: Services): Promise<void> {
  const state = await startDemo(services);
  if (state?.error) await notifyFailure(failureMessage(state.error), () => void startLocalGateway(services));
}

/**
 * Starts the demo gateway and reads its models.
 *
 * @returns undefined when the user did not consent
 */
export async function startDemo({ localGateway, connection }: Services): Promise<GatewayState | undefined> {
  if (!localGateway.isProvided && !(await localGateway.consent.ask())) return undefined;
  return withStatusBarProgress(vscode.l10n.t('Starting the demo gateway…'), () =>
    connection.of(demoGateway).refresh(),
  );
}

/**
 * Stops the demo gateway that all windows share, and withdraws the consent to run it in a remote one. Asks first
 * while it makes something.
 */
export async function stopLocalGateway(services: Services): Promise<void> {
  const { localGateway } = services;
  if (!localGateway.isRunning) {
    showStatusMessage(vscode.l10n.t('The demo gateway does not run.'));
    return;
  }
  if (!(await confirmStop(services))) return;
  await localGateway.consent.withdraw();
  localGateway.stop();
}

async function confirmStop({ tasks }: Services): Promise<boolean> {
  const running = tasks.runningAt(gatewayOf(demoGateway));
  if (running === 0) return true;
  const stop = vscode.l10n.t('Stop');
  const chosen = await confirm(
    vscode.l10n.t('Stop the demo gateway of all windows?'),
    vscode.l10n.t(
      '{0}. Its tasks are not watched meanwhile; they go on when it is started again.',
      demoTasks(running),
    ),
    stop,
  );
  return chosen === stop;
}
