import { findTaskGroup, type LedgerResult, type Task } from '../../../tasks/record/task.ts';
import type { TaskService } from '../../../tasks/taskService.ts';
import { readTaskText as textResult } from '../../../wire/apis/taskRecord/taskText.ts';
import { clip, plainLine, plainText } from '../../kit/display/plainText.ts';
import { describeStoredProblem } from '../../kit/explanationWords.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { createTaskNotice } from '../../tasks/task/taskNotice.ts';
import {
  describeStatus,
  formatBytes,
  formatClockTime,
  formatProgress,
  formatShortProgress,
  quoteStatus,
  shortenPrompt,
} from '../../tasks/task/taskWords.ts';
import { ToolError } from './defineTool.ts';

const maxPromptLength = 300;
const maxNameLength = 120;
const maxPathLength = 1000;
const maxTextLength = 8000;

/**
 * Finds the task with an id from an agent, which is our key or the gateway's id.
 *
 * @throws {ToolError} if the task is not known here
 */
export function findTask(tasks: TaskService, id: string): Task {
  const task = tasks.get(id) ?? tasks.all.find(({ taskId }) => taskId === id);
  if (task) return task;
  throw new ToolError(
    `Nothing was done: no task “${plainLine(id, maxNameLength)}” is known here. Call ${toolName('readTask')} without a ` +
      'task to list the latest ones.',
  );
}

/**
 * Whether a task no longer changes by itself: it ended and its results are saved, the user has to decide, or the user
 * removed it.
 */
export function isSettled(tasks: TaskService, key: string): boolean {
  const task = tasks.get(key);
  if (!task) return true;
  const isSaving = task.results.some(({ state }) => state === 'waiting' || state === 'downloading');
  const group = findTaskGroup(task, tasks.isInFlight(task));
  return group !== 'running' && !(task.status === 'completed' && isSaving);
}

/** Whether the outcome of the request for a task is known. */
export function isRequestEnded(tasks: TaskService, task: Task): boolean {
  return task.status !== 'intent' && task.status !== 'submitting' && !tasks.isInFlight(task);
}

/** The line of a task in a list. */
export function taskLine(tasks: TaskService, task: Task): string {
  const facts = [
    [describeStatus(task, tasks.isInFlight(task)), formatShortProgress(tasks.findProgress(task))]
      .filter(Boolean)
      .join(' '),
    `“${shortenPrompt(task.prompt)}”`,
    plainLine(task.model ?? '', maxNameLength),
    `started ${new Date(task.submittedAt ?? task.intendedAt).toISOString()}`,
  ];
  return `- ${task.key}: ${facts.filter(Boolean).join(', ')}`;
}

/** Describes a task for an agent, with the next steps. */
export function describeTask(tasks: TaskService, task: Task): string {
  const isInFlight = tasks.isInFlight(task);
  const { taskId, model = '', gatewayName } = task;
  const notice = createTaskNotice(task, isInFlight);
  const lines = [
    `Task ${task.key}: ${describeStatus(task, isInFlight)}. ${quoteStatus(task)}`.trim(),
    formatProgress(tasks.findProgress(task)),
    `Prompt: “${shortenPrompt(task.prompt, maxPromptLength)}”`,
    `Model: ${plainLine(model, maxNameLength)} at ${plainLine(gatewayName, maxNameLength)}`,
    timesLine(task),
    taskId === undefined ? '' : `The gateway’s task ID: ${plainLine(taskId, maxNameLength)}`,
    ...task.results.map(resultLine),
    textResultLine(tasks, task),
    notice ? plainText(`${notice.title}. ${notice.detail}`, maxTextLength) : '',
    nextStepLine(tasks, task),
  ];
  return lines.filter(Boolean).join('\n');
}

function timesLine({ submittedAt, intendedAt, endedAt }: Task): string {
  const startedAt = submittedAt ?? intendedAt;
  const duration = endedAt === undefined ? '' : `, took ${formatClockTime(endedAt - startedAt)}`;
  return `Started: ${new Date(startedAt).toISOString()}${duration}`;
}

function resultLine({ index, state, path, mimeType = 'file', bytes, problem }: LedgerResult): string {
  const name = `Result ${index + 1} (${plainLine(mimeType, maxNameLength)})`;
  if (state === 'saved' && path !== undefined)
    return `${name}: saved at ${plainLine(path, maxPathLength)}${bytes === undefined ? '' : `, ${formatBytes(bytes)}`}`;
  if (state === 'failed')
    return `${name}: not saved. ${problem ? describeStoredProblem(problem) : ''}`.trim();
  return state === 'link' ? `${name}: stays at the gateway` : `${name}: being downloaded`;
}

/** The result of a task whose model wrote a text instead of a file. */
function textResultLine(tasks: TaskService, { key, status, results }: Task): string {
  if (status !== 'completed' || results.length > 0) return '';
  const text = textResult(tasks.readHistory(key)?.record);
  return text === '' ? '' : `Text result: “${clip(text, maxTextLength)}”`;
}

function nextStepLine(tasks: TaskService, task: Task): string {
  switch (findTaskGroup(task, tasks.isInFlight(task))) {
    case 'running':
      return `It continues in the background. Wait for it with ${toolName('waitForTask')}, or cancel it with ${toolName('cancelTask')}.`;
    case 'failed':
      return task.problem?.requestId ? `Call ${toolName('explainFailure')} with this task for details.` : '';
    case 'attention':
      return 'The user has to decide: the Tasks view of Model Gateway shows the available actions. Do not start it again yourself.';
    default:
      return '';
  }
}
