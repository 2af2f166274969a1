import * as vscode from 'vscode';
import { confirm } from '../../kit/display/notify.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { isActionEnabled } from '../../tasks/task/taskActions.ts';
import { statusWords, taskName } from '../../tasks/task/taskWords.ts';
import { defineTool, ToolError } from './defineTool.ts';
import { namedTask, taskForAgent } from './taskText.ts';
import { cancelTaskInput } from './toolInputs.ts';

/** Cancels a task at its gateway once the user has agreed. */
export const cancelTaskTool = defineTool({
  input: cancelTaskInput,
  progress: () => vscode.l10n.t('Cancelling a task'),
  run: async ({ task: id }, { tasks }, signal) => {
    await tasks.open();
    const task = namedTask(tasks, id);
    const isCancellable = () => {
      const now = namedTask(tasks, task.key);
      return isActionEnabled(now, tasks.isInFlight(now), 'cancel');
    };
    if (!isCancellable())
      throw new ToolError(
        `Nothing was done: only a running task can be cancelled.\n${taskForAgent(tasks, task)}`,
      );
    const yes = vscode.l10n.t('Cancel Task');
    const detail = [
      vscode.l10n.t('An agent wants to cancel this task at {0}. Its result will be lost.', task.gatewayName),
      vscode.l10n.t('The part created so far may be billed.'),
    ];
    const chosen = await confirm(vscode.l10n.t('Cancel “{0}”?', taskName(task)), detail.join('\n\n'), yes);
    signal.throwIfAborted();
    if (chosen !== yes)
      return 'The user did not agree. The task was not cancelled and continues to run. Do not ask again unless the user wants it.';
    if (isCancellable()) await tasks.cancel(task);
    const now = namedTask(tasks, task.key);
    const isOver = now.failedAs === 'cancelled';
    const description = taskForAgent(tasks, now);
    return isOver
      ? `The task was cancelled.\n${description}`
      : `The request to cancel the task was sent to the gateway. Current status: ${statusWords(now, false)}.\n${description}\nCall ${toolName('readTask')} later to check the outcome.`;
  },
});
