import * as vscode from 'vscode';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import { failureMessage, formatFailure } from '../connection/failureMessage.ts';
import { formatFirstNames, formatTaskCount } from '../kit/countWords.ts';
import { notify } from '../kit/display/notify.ts';
import { withNotificationProgress } from '../kit/display/progress.ts';
import { type CommandId, runCommand } from '../kit/manifest/contributions.ts';
import { nameTask } from './task/taskWords.ts';
import type { TaskSelection } from './taskSelection.ts';

/** The outcome of an action on several tasks. A task in neither list was not started, because the user stopped. */
interface BatchResult<T> {
  readonly done: readonly { readonly chosen: TaskSelection; readonly result: T }[];
  readonly failed: readonly { readonly chosen: TaskSelection; readonly error: GatewayError }[];
}

/**
 * Runs `act` for one task after the other, until the user stops it. After a gateway was unreachable or refused the
 * credential, its other tasks fail without a request.
 */
export async function runBatch<T>(
  title: string,
  tasks: readonly TaskSelection[],
  act: (chosen: TaskSelection) => Promise<T>,
): Promise<BatchResult<T>> {
  const done: { chosen: TaskSelection; result: T }[] = [];
  const failed: { chosen: TaskSelection; error: GatewayError }[] = [];
  const failureByGateway = new Map<string, GatewayError>();
  await withNotificationProgress(title, async (signal) => {
    for (const chosen of tasks) {
      if (signal.aborted) return;
      const { gateway } = chosen.task;
      try {
        const failure = failureByGateway.get(gateway);
        if (failure) throw failure;
        done.push({ chosen, result: await act(chosen) });
      } catch (error) {
        if (!GatewayError.is(error)) throw error;
        failed.push({ chosen, error });
        if (error.kind === 'unreachable' || error.status === 401) failureByGateway.set(gateway, error);
      }
    }
  });
  return { done, failed };
}

/** Shows the number of failed tasks and the reason, and offers to repeat the action for them. */
export async function showFailed(id: CommandId, { failed }: BatchResult<unknown>): Promise<void> {
  const [first] = failed;
  if (!first) return;
  const names = formatFirstNames(failed.map(({ chosen }) => nameTask(chosen.task)));
  const tryAgain = vscode.l10n.t('Try Again');
  const text = vscode.l10n.t(
    'It failed for {0}: {1}. {2}',
    formatTaskCount(failed.length),
    names,
    formatFailure(failureMessage(first.error)),
  );
  if ((await notify('error', text, tryAgain)) !== tryAgain) return;
  const rows = failed.map(({ chosen }) => ({ kind: 'task', key: chosen.task.key }));
  await runCommand(id, rows[0], rows);
}
