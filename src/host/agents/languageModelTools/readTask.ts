import * as vscode from 'vscode';
import { formatTaskCount } from '../../kit/countWords.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { defineTool } from './defineTool.ts';
import { describeTask, findTask, taskLine } from './taskText.ts';
import { readTaskInput } from './toolInputs.ts';

const maxListed = 10;

/** Reads one task, or lists the latest tasks. Does not send a request, because running tasks are polled anyway. */
export const readTaskTool = defineTool({
  input: readTaskInput,
  progress: ({ task }) =>
    task === undefined ? vscode.l10n.t('Listing the latest tasks') : vscode.l10n.t('Reading a task'),
  run: async ({ task }, { tasks }) => {
    await tasks.open();
    if (task !== undefined) return describeTask(tasks, findTask(tasks, task));
    const { all } = tasks;
    if (all.length === 0) return `There are no tasks yet. Call ${toolName('startVideo')} to start one.`;
    return [
      `${formatTaskCount(all.length)}, newest first:`,
      ...all.slice(0, maxListed).map((each) => taskLine(tasks, each)),
      `Call ${toolName('readTask')} with a task for its details.`,
    ].join('\n');
  },
});
