import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { errorTrace } from '../../../base/errors.ts';
import { GatewayError } from '../../../wire/failures/gatewayError.ts';
import type { Log } from '../../kit/display/log.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { errorText } from '../../kit/display/storageNotice.ts';
import { type CommandId, runCommand } from '../../kit/manifest/contributions.ts';
import { getActionLabel, runAction } from '../../kit/noticeActions.ts';
import {
  computeWaitMs,
  type FailureAction,
  type FailureMessage,
  failureMessage,
  formatFailure,
} from '../failureMessage.ts';

/** Actions that only a page can perform. */
const pageActions: readonly FailureAction[] = [
  'choose-model',
  'choose-format',
  'open-parameters',
  'show-field',
];

/** An additional button of the caller. */
interface OwnButton {
  readonly label: string;
  readonly run: () => Promise<void>;
}

/**
 * Logs the failure of an action and shows it with the next steps. An action that the user stopped is not reported.
 *
 * @param id the command of the action, or a similar command, for the log
 * @param retry repeats the action
 */
export async function reportFailure(
  error: unknown,
  id: CommandId,
  { log }: { readonly log: Log },
  retry?: () => void,
): Promise<void> {
  if (GatewayError.is(error, 'cancelled')) return;
  log.error('command', `${id}: ${errorTrace(error)}`);
  if (GatewayError.is(error)) return notifyFailure(failureMessage(error), retry);
  const show = vscode.l10n.t('Show Log');
  if ((await notify('error', errorText(error), show)) === show) log.show();
}

/** Shows a failure in a notification with its buttons, and performs the clicked action. */
export async function notifyFailure(
  message: FailureMessage,
  retry?: () => void,
  ownButton?: OwnButton,
): Promise<void> {
  const offeredActions = orderByImportance(message.actions.filter((action) => !pageActions.includes(action)));
  const labels = offeredActions.map((action) => formatLabel(action, message));
  const buttons = ownButton ? labels.toSpliced(1, 0, ownButton.label) : labels;
  const chosen = await notify('error', formatFailure(message), ...buttons);
  if (ownButton && chosen === ownButton.label) return ownButton.run();
  const action = offeredActions[labels.indexOf(chosen ?? '')];
  if (action === undefined) return;
  if (computeWaitMs(action, message) > 0) {
    if (await waitForRetry(message)) await notifyFailure(message, retry, ownButton);
  } else if (action === 'again' && retry) retry();
  else if (action === 'copy-details') await vscode.env.clipboard.writeText(message.details);
  else if (action === 'open-request')
    await runCommand('requests.openRequest', { requestId: message.requestId });
  else if (action === 'open-help') await runCommand('openHelp', message.helpPage);
  // The request identifies the failed gateway, which may not be the window's gateway.
  else await runAction(action, message.requestId && { requestId: message.requestId });
}

/**
 * Orders the actions: the most helpful action, the request, then the other actions. A notification shows two buttons,
 * and the others in a list.
 */
function orderByImportance(actions: readonly FailureAction[]): readonly FailureAction[] {
  const [first, ...others] = actions;
  if (first === undefined || !others.includes('open-request')) return actions;
  return [first, 'open-request', ...others.filter((action) => action !== 'open-request')];
}

function formatLabel(action: FailureAction, message: FailureMessage): string {
  const seconds = Math.ceil(computeWaitMs(action, message) / 1000);
  return seconds > 0 ? vscode.l10n.t('Try Again in {0} s', seconds) : getActionLabel(action);
}

/** Counts down the seconds until a retry is possible. @returns false if the user cancelled */
async function waitForRetry(message: FailureMessage): Promise<boolean> {
  const totalMs = computeWaitMs('again', message);
  return withNotificationProgress(vscode.l10n.t('You can try again in'), async (signal, report) => {
    for (let ms = totalMs; ms > 0 && !signal.aborted; ms = computeWaitMs('again', message)) {
      report(1 - ms / totalMs, `${Math.ceil(ms / 1000)} s`);
      await sleep(Math.min(ms, 1000), undefined, { signal }).catch(() => undefined);
    }
    return !signal.aborted;
  });
}
