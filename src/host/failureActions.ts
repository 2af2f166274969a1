import { type CommandId, runCommand } from './contributions.ts';
import { notify } from './display/notify.ts';
import { actionLabel, type FailureAction, type FailureMessage } from './failureMessage.ts';

/** The command behind an action, where nothing more particular can be done. */
export function actionCommand(action: FailureAction): CommandId {
  switch (action) {
    case 'set-credential':
      return 'setCredential';
    case 'change-address':
      return 'connect';
    case 'choose-model':
      return 'chat.chooseModel';
    case 'choose-format':
      return 'chat.chooseFormat';
    case 'refresh-models':
    case 'again':
      return 'refreshModels';
    case 'open-timeouts':
      return 'openTimeouts';
    case 'open-proxy':
      return 'openProxySettings';
    case 'show-log':
      return 'showLog';
  }
}

/** Tells of a failure the user is not looking at, with its buttons, and does what is clicked. */
export async function notifyFailure(message: FailureMessage, again?: () => void): Promise<void> {
  const offered = message.actions.filter((action) => action !== 'choose-model' && action !== 'choose-format');
  const labels = offered.map(actionLabel);
  const chosen = await notify('error', `${message.title}. ${message.detail}`, ...labels);
  const action = offered[labels.indexOf(chosen ?? '')];
  if (action === undefined) return;
  if (action === 'again' && again) again();
  else await runCommand(actionCommand(action));
}
