import { groupOf, type KeptResult, type Task } from '../../../tasks/record/task.ts';
import type { TaskService } from '../../../tasks/taskService.ts';
import { taskText as writtenText } from '../../../wire/apis/taskRecord/text.ts';
import { clipped, plainLine, plainText } from '../../kit/display/plainText.ts';
import { problemWords } from '../../kit/explanationWords.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { progressSentence, shortProgress } from '../../tasks/task/progressWords.ts';
import { noticeOf } from '../../tasks/task/taskNotice.ts';
import { byteCount, clockTime, providersWord, shortPrompt, statusOf } from '../../tasks/task/taskWords.ts';
import { ToolError } from './tool.ts';

const maxPromptLength = 300;
const maxNameLength = 120;
const maxPathLength = 1000;
const maxWrittenLength = 8000;

/**
 * The task that an agent names, by our key of it or by the gateway's id.
 *
 * @throws {ToolError} for one that is not known here
 */
export function namedTask(tasks: TaskService, id: string): Task {
  const task = tasks.get(id) ?? tasks.all.find(({ taskId }) => taskId === id);
  if (task) return task;
  throw new ToolError(
    `Nothing was done: no task “${plainLine(id, maxNameLength)}” is known here. Call ${toolName('readTask')} without a ` +
      'task to list the latest ones.',
  );
}

/**
 * Whether nothing more comes of a task by itself: it ended and its results are here, or the user has to decide, or has
 * removed it.
 */
export function isSettled(tasks: TaskService, key: string): boolean {
  const task = tasks.get(key);
  if (!task) return true;
  const isSaving = task.results.some(({ state }) => state === 'waiting' || state === 'fetching');
  const group = groupOf(task, tasks.isInFlight(task));
  return group !== 'running' && !(task.status === 'completed' && isSaving);
}

/** Whether it is known what became of the request for a task. */
export function isSent(tasks: TaskService, task: Task): boolean {
  return task.status !== 'intent' && task.status !== 'submitting' && !tasks.isInFlight(task);
}

/** A task in one line of a list. */
export function taskLine(tasks: TaskService, task: Task): string {
  const facts = [
    [statusOf(task, tasks.isInFlight(task)), shortProgress(tasks.runProgress(task))]
      .filter(Boolean)
      .join(' '),
    `“${shortPrompt(task.prompt)}”`,
    plainLine(task.model ?? '', maxNameLength),
    `begun ${new Date(task.submittedAt ?? task.intendedAt).toISOString()}`,
  ];
  return `- ${task.key}: ${facts.filter(Boolean).join(', ')}`;
}

/** All that an agent needs to know of a task, and what it can do next. */
export function taskForAgent(tasks: TaskService, task: Task): string {
  const inFlight = tasks.isInFlight(task);
  const { taskId, model = '', gatewayName } = task;
  const notice = noticeOf(task, inFlight);
  const lines = [
    `Task ${task.key}: ${statusOf(task, inFlight)}. ${providersWord(task)}`.trim(),
    progressSentence(tasks.runProgress(task)),
    `Prompt: “${shortPrompt(task.prompt, maxPromptLength)}”`,
    `Model: ${plainLine(model, maxNameLength)} at ${plainLine(gatewayName, maxNameLength)}`,
    timesLine(task),
    taskId === undefined ? '' : `The gateway’s id of it: ${plainLine(taskId, maxNameLength)}`,
    ...task.results.map(resultLine),
    writtenLine(tasks, task),
    notice ? plainText(`${notice.title}. ${notice.detail}`, maxWrittenLength) : '',
    nextLine(tasks, task),
  ];
  return lines.filter(Boolean).join('\n');
}

function timesLine({ submittedAt, intendedAt, endedAt }: Task): string {
  const begun = submittedAt ?? intendedAt;
  const took = endedAt === undefined ? '' : `, took ${clockTime(endedAt - begun)}`;
  return `Begun: ${new Date(begun).toISOString()}${took}`;
}

function resultLine({ index, state, path, mimeType = 'file', bytes, problem }: KeptResult): string {
  const what = `Result ${index + 1} (${plainLine(mimeType, maxNameLength)})`;
  if (state === 'saved' && path !== undefined)
    return `${what}: saved at ${plainLine(path, maxPathLength)}${bytes === undefined ? '' : `, ${byteCount(bytes)}`}`;
  if (state === 'failed') return `${what}: not saved. ${problem ? problemWords(problem) : ''}`.trim();
  return state === 'link' ? `${what}: stays at the gateway` : `${what}: being downloaded`;
}

/** A text that a task wrote instead of a file. */
function writtenLine(tasks: TaskService, { key, status, results }: Task): string {
  if (status !== 'completed' || results.length > 0) return '';
  const text = writtenText(tasks.history(key)?.record);
  return text === '' ? '' : `It wrote: “${clipped(text, maxWrittenLength)}”`;
}

function nextLine(tasks: TaskService, task: Task): string {
  switch (groupOf(task, tasks.isInFlight(task))) {
    case 'running':
      return `It goes on by itself. Wait for it with ${toolName('waitForTask')}, or stop it with ${toolName('cancelTask')}.`;
    case 'failed':
      return task.problem?.requestId ? `${toolName('explainFailure')} with this task tells more of it.` : '';
    case 'attention':
      return 'The user has to decide: the Tasks view of Model Gateway offers what can be done. Do not start it again yourself.';
    default:
      return '';
  }
}
