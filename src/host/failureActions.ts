import { notify } from './display/notify.ts';
import type { FailureMessage } from './failureMessage.ts';
import { actionLabel, runAction } from './noticeActions.ts';

/** Shows a failure in a notification with its buttons, and performs the one that is clicked. */
export async function notifyFailure(message: FailureMessage, again?: () => void): Promise<void> {
  const offered = message.actions.filter((action) => action !== 'choose-model' && action !== 'choose-format');
  const labels = offered.map(actionLabel);
  const chosen = await notify('error', `${message.title}. ${message.detail}`, ...labels);
  const action = offered[labels.indexOf(chosen ?? '')];
  if (action === undefined) return;
  if (action === 'again' && again) again();
  else await runAction(action);
}
