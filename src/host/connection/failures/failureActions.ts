import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { actionLabel, runAction } from '../../kit/noticeActions.ts';
import { type FailureAction, type FailureMessage, failureText, waitOf } from '../failureMessage.ts';

/** Actions that only make sense on a page. */
const pageActions: readonly FailureAction[] = [
  'choose-model',
  'choose-format',
  'open-parameters',
  'show-field',
];

/** A button that only one place has. */
interface OwnButton {
  readonly label: string;
  readonly run: () => Promise<void>;
}

/** Shows a failure in a notification with its buttons, and performs the one that is clicked. */
export async function notifyFailure(
  message: FailureMessage,
  again?: () => void,
  own?: OwnButton,
): Promise<void> {
  const offered = byImportance(message.actions.filter((action) => !pageActions.includes(action)));
  const labels = offered.map((action) => labelOf(action, message));
  const buttons = own ? labels.toSpliced(1, 0, own.label) : labels;
  const chosen = await notify('error', failureText(message), ...buttons);
  if (own && chosen === own.label) return own.run();
  const action = offered[labels.indexOf(chosen ?? '')];
  if (action === undefined) return;
  if (waitOf(action, message) > 0) {
    if (await waited(message)) await notifyFailure(message, again, own);
  } else if (action === 'again' && again) again();
  else if (action === 'copy-details') await vscode.env.clipboard.writeText(message.details);
  else if (action === 'open-request')
    await runCommand('requests.openRequest', { requestId: message.requestId });
  // The window's gateway need not be the one that failed.
  else await runAction(action, message.requestId && { requestId: message.requestId });
}

/** What helps most, then the evidence, then the rest: a notification has room for two buttons and a list. */
function byImportance(offered: readonly FailureAction[]): readonly FailureAction[] {
  const [first, ...others] = offered;
  if (first === undefined || !others.includes('open-request')) return offered;
  return [first, 'open-request', ...others.filter((action) => action !== 'open-request')];
}

function labelOf(action: FailureAction, message: FailureMessage): string {
  const seconds = Math.ceil(waitOf(action, message) / 1000);
  return seconds > 0 ? vscode.l10n.t('Try Again in {0} s', seconds) : actionLabel(action);
}

/** Counts the seconds down until trying again is possible. Returns whether the user waited for that. */
async function waited(message: FailureMessage): Promise<boolean> {
  const wholeMs = waitOf('again', message);
  return withNotificationProgress(vscode.l10n.t('Trying again is possible in'), async (signal, tell) => {
    for (let ms = wholeMs; ms > 0 && !signal.aborted; ms = waitOf('again', message)) {
      tell(1 - ms / wholeMs, `${Math.ceil(ms / 1000)} s`);
      await sleep(Math.min(ms, 1000), undefined, { signal }).catch(() => undefined);
    }
    return !signal.aborted;
  });
}
