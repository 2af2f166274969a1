import * as vscode from 'vscode';
import { untilAborted } from '../../../base/untilAborted.ts';
import type { TaskService } from '../../../tasks/taskService.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { isSettled, namedTask, taskForAgent } from './taskText.ts';
import { defineTool } from './tool.ts';
import { waitForTaskInput } from './toolInputs.ts';

const defaultSeconds = 120;

/** Waits until a task has ended and its results are saved, for a limited time. */
export const waitForTask = defineTool({
  input: waitForTaskInput,
  progress: () => vscode.l10n.t('Waiting for a task'),
  run: async ({ task: id, seconds = defaultSeconds }, { tasks }, signal) => {
    await tasks.open();
    const { key, status, watching } = namedTask(tasks, id);
    // Nobody polls it, so that waiting would find out nothing.
    if (status === 'running' && watching !== 'on') await tasks.poll(key);
    const isOver = await isSoWithin(tasks, () => isSettled(tasks, key), seconds * 1000, signal);
    const told = taskForAgent(tasks, namedTask(tasks, key));
    return isOver
      ? told
      : `It has not ended within ${seconds} s.\n${told}\nCall ${toolName('waitForTask')} again to go on waiting.`;
  },
});

/**
 * Waits for something about tasks to become true, and no longer than so many milliseconds.
 *
 * @returns whether it became true
 * @throws the reason of the signal when that is aborted
 */
export async function isSoWithin(
  tasks: TaskService,
  isSo: () => boolean,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const settled = Promise.withResolvers<boolean>();
  const look = () => {
    if (isSo()) settled.resolve(true);
  };
  const subscription = tasks.onDidChange(look);
  const limit = setTimeout(() => settled.resolve(false), ms);
  try {
    look();
    return await untilAborted(settled.promise, signal);
  } finally {
    clearTimeout(limit);
    subscription.dispose();
  }
}
