import { notify } from './display/notify.ts';
import { type FailureAction, type FailureMessage, failureText } from './failureMessage.ts';
import { actionLabel, runAction } from './noticeActions.ts';

/** Actions that only make sense on a page. */
const pageActions: readonly FailureAction[] = ['choose-model', 'choose-format', 'open-parameters'];

/** Shows a failure in a notification with its buttons, and performs the one that is clicked. */
export async function notifyFailure(message: FailureMessage, again?: () => void): Promise<void> {
  const offered = message.actions.filter((action) => !pageActions.includes(action));
  const labels = offered.map(actionLabel);
  const chosen = await notify('error', failureText(message), ...labels);
  const action = offered[labels.indexOf(chosen ?? '')];
  if (action === undefined) return;
  if (action === 'again' && again) again();
  else await runAction(action);
}
