import * as vscode from 'vscode';
import { errorTrace } from '../../../base/errors.ts';
import { GatewayError } from '../../../wire/failure.ts';
import { errorText } from '../../kit/display/errorText.ts';
import { notify } from '../../kit/display/notify.ts';
import type { CommandId } from '../../kit/manifest/contributions.ts';
import type { ConnectionServices } from '../connectionServices.ts';
import { failureMessage } from '../failureMessage.ts';
import { notifyFailure } from './failureActions.ts';

/**
 * Logs why an action failed, and shows it once, with what can be done. What the user stopped is no failure.
 *
 * @param id the command that the action is, or that it is like
 * @param again does it once more
 */
export async function reportFailure(
  error: unknown,
  id: CommandId,
  { log }: Pick<ConnectionServices, 'log'>,
  again?: () => void,
): Promise<void> {
  if (GatewayError.is(error, 'cancelled')) return;
  log.error('command', `${id}: ${errorTrace(error)}`);
  if (GatewayError.is(error)) return notifyFailure(failureMessage(error), again);
  const show = vscode.l10n.t('Show Log');
  if ((await notify('error', errorText(error), show)) === show) log.show();
}
