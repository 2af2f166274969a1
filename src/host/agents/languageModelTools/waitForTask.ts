import * as vscode from 'vscode';
import { untilAborted } from '../../../base/cancellation.ts';
import type { TaskService } from '../../../tasks/taskService.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { defineTool } from './defineTool.ts';
import { describeTask, findTask, isSettled } from './taskText.ts';
import { waitForTaskInput } from './toolInputs.ts';

const defaultSeconds = 120;

/** Waits until a task has ended and its results are saved, for a limited time. */
export const waitForTaskTool = defineTool({
  input: waitForTaskInput,
  progress: () => vscode.l10n.t('Waiting for a task'),
  run: async ({ task: id, seconds = defaultSeconds }, { tasks }, signal) => {
    await tasks.open();
    const { key, status, watching } = findTask(tasks, id);
    // A task that is not polled automatically would not change while waiting.
    if (status === 'running' && watching !== 'on') await tasks.poll(key);
    const isOver = await waitForCondition(tasks, () => isSettled(tasks, key), seconds * 1000, signal);
    const description = describeTask(tasks, findTask(tasks, key));
    return isOver
      ? description
      : `The task did not end within ${seconds} s.\n${description}\nCall ${toolName('waitForTask')} again to continue waiting.`;
  },
});

/**
 * Waits until a condition on tasks is true, checking it when a task changes.
 *
 * @param ms the longest wait, in milliseconds
 * @returns whether it became true
 * @throws the reason of the signal when it is aborted
 */
export async function waitForCondition(
  tasks: TaskService,
  condition: () => boolean,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const settled = Promise.withResolvers<boolean>();
  const check = () => {
    if (condition()) settled.resolve(true);
  };
  const subscription = tasks.onDidChange(check);
  const timer = setTimeout(() => settled.resolve(false), ms);
  try {
    check();
    return await untilAborted(settled.promise, signal);
  } finally {
    clearTimeout(timer);
    subscription.dispose();
  }
}
