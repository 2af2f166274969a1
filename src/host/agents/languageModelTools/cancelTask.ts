import * as vscode from 'vscode';
import type { Task } from '../../../tasks/record/task.ts';
import { confirm } from '../../kit/display/notify.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { isActionEnabled } from '../../tasks/task/taskActions.ts';
import { describeStatus, nameTask } from '../../tasks/task/taskWords.ts';
import { defineTool, ToolError } from './defineTool.ts';
import { describeTask, findTask } from './taskText.ts';
import { cancelTaskInput } from './toolInputs.ts';

/** Cancels a task at its gateway once the user has agreed. */
export const cancelTaskTool = defineTool({
  input: cancelTaskInput,
  progress: () => vscode.l10n.t('Cancelling a task'),
  run: async ({ task: id }, { tasks }, signal) => {
    await tasks.open();
    const task = findTask(tasks, id);
    const isCancellable = (each: Task) => isActionEnabled(each, tasks.isInFlight(each), 'cancel');
    if (!isCancellable(task))
      throw new ToolError(
        `Nothing was done: only a running task can be cancelled.\n${describeTask(tasks, task)}`,
      );
    const cancel = vscode.l10n.t('Cancel Task');
    const detail = [
      vscode.l10n.t('An agent wants to cancel this task at {0}. Its result will be lost.', task.gatewayName),
      vscode.l10n.t('The part created so far may be billed.'),
    ];
    const chosen = await confirm(vscode.l10n.t('Cancel “{0}”?', nameTask(task)), detail.join('\n\n'), cancel);
    signal.throwIfAborted();
    if (chosen !== cancel)
      return 'The user did not agree. The task was not cancelled and continues to run. Do not ask again unless the user wants it.';
    const confirmed = findTask(tasks, task.key);
    if (!isCancellable(confirmed))
      return `Nothing was sent, because the task ended before the user agreed.\n${describeTask(tasks, confirmed)}`;
    await tasks.cancel(confirmed);
    const current = findTask(tasks, task.key);
    const description = describeTask(tasks, current);
    return current.failedAs === 'cancelled'
      ? `The task was cancelled.\n${description}`
      : `The request to cancel the task was sent to the gateway. Current status: ${describeStatus(current, false)}.\n${description}\nCall ${toolName('readTask')} later to check the outcome.`;
  },
});
