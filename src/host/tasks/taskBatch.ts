import * as vscode from 'vscode';
import { GatewayError } from '../../wire/failure.ts';
import { failureMessage, failureText } from '../connection/failureMessage.ts';
import { firstNames, taskCount } from '../kit/counts.ts';
import { notify } from '../kit/display/notify.ts';
import { withNotificationProgress } from '../kit/display/progress.ts';
import { type CommandId, runCommand } from '../kit/manifest/contributions.ts';
import { taskName } from './task/taskWords.ts';
import type { TaskSelection } from './taskSelection.ts';

/**
 * The outcome of an action on several tasks. A task in neither list was not begun, because the user stopped.
 */
export interface BatchResult<T> {
  readonly done: readonly { readonly chosen: TaskSelection; readonly answer: T }[];
  readonly failed: readonly { readonly chosen: TaskSelection; readonly error: GatewayError }[];
}

/**
 * Runs `act` for one task after the other, until the user stops it. A gateway that is unreachable or refuses
 * the credential is not asked again.
 */
export async function runBatch<T>(
  title: string,
  all: readonly TaskSelection[],
  act: (chosen: TaskSelection) => Promise<T>,
): Promise<BatchResult<T>> {
  const done: { chosen: TaskSelection; answer: T }[] = [];
  const failed: { chosen: TaskSelection; error: GatewayError }[] = [];
  const closed = new Map<string, GatewayError>();
  await withNotificationProgress(title, async (signal) => {
    for (const chosen of all) {
      if (signal.aborted) return;
      const { gateway } = chosen.task;
      try {
        const known = closed.get(gateway);
        if (known) throw known;
        done.push({ chosen, answer: await act(chosen) });
      } catch (error) {
        if (!GatewayError.is(error)) throw error;
        failed.push({ chosen, error });
        if (error.kind === 'unreachable' || error.status === 401) closed.set(gateway, error);
      }
    }
  });
  return { done, failed };
}

/** Shows for how many tasks an action failed and why, and offers to repeat it for those. */
export async function showFailed(id: CommandId, { failed }: BatchResult<unknown>): Promise<void> {
  const [first] = failed;
  if (!first) return;
  const names = firstNames(failed.map(({ chosen }) => taskName(chosen.task)));
  const again = vscode.l10n.t('Try Again');
  const text = vscode.l10n.t(
    'It failed for {0}: {1}. {2}',
    taskCount(failed.length),
    names,
    failureText(failureMessage(first.error)),
  );
  if ((await notify('error', text, again)) !== again) return;
  const rows = failed.map(({ chosen }) => ({ kind: 'task', key: chosen.task.key }));
  await runCommand(id, rows[0], rows);
}
