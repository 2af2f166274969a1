import * as vscode from 'vscode';
import { errorTrace } from '../../../base/errors.ts';
import { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { notify } from '../../kit/display/notify.ts';
import { errorText } from '../../kit/display/storageNotice.ts';
import type { CommandId } from '../../kit/manifest/contributions.ts';
import type { ConnectionServices } from '../connectionServices.ts';
import { failureMessage } from '../failureMessage.ts';
import { notifyFailure } from './notifyFailure.ts';

/**
 * Logs and shows why an action failed, with the next steps. An action that the user stopped is not reported.
 *
 * @param id the command of the action, or a similar command
 * @param retry repeats the action
 */
export async function reportFailure(
  error: unknown,
  id: CommandId,
  { log }: Pick<ConnectionServices, 'log'>,
  retry?: () => void,
): Promise<void> {
  if (GatewayError.is(error, 'cancelled')) return;
  log.error('command', `${id}: ${errorTrace(error)}`);
  if (GatewayError.is(error)) return notifyFailure(failureMessage(error), retry);
  const show = vscode.l10n.t('Show Log');
  if ((await notify('error', errorText(error), show)) === show) log.show();
}
