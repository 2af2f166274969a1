import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import type { LedgerResult, Task } from '../../tasks/record/task.ts';
import { notify } from '../kit/display/notify.ts';
import { pick } from '../kit/display/quickInput.ts';
import { formatShortTime } from '../kit/display/timeWords.ts';
import { missingRow } from '../kit/manifest/command.ts';
import { isActionEnabled, type TaskActionId } from './task/taskActions.ts';
import {
  chooseAppearance,
  chooseIcon,
  describeStatus,
  nameUntitled,
  shortenPrompt,
} from './task/taskWords.ts';
import type { TaskServices } from './taskServices.ts';
import type { TasksNode } from './tasksViewRows.ts';

/** The length limit of a prompt in a list to choose from, in UTF-16 units. */
const maxLabelLength = 120;

/** A task to act on. */
export interface TaskSelection {
  readonly task: Task;
  /** The index of the result that a button belongs to. */
  readonly result: number | undefined;
}

/**
 * The argument of a command, from a row, a page, a notification or a key. Other arguments are ignored (T16).
 */
interface CommandArgument {
  readonly kind?: unknown;
  readonly key?: unknown;
  readonly result?: unknown;
  /** `selected` for a key binding of the Tasks view, for its selected rows; `forgotten` for an unknown row. */
  readonly rows?: unknown;
}

/**
 * Finds the task of a command: from its argument, otherwise the active page or the selected row, otherwise a task
 * that the user picks. The choices are tasks that allow the action.
 */
export async function chooseTask(
  services: TaskServices,
  argument: unknown,
  action: TaskActionId | undefined,
  title: string,
): Promise<TaskSelection | undefined> {
  await services.tasks.open();
  const { key } = (argument ?? {}) as CommandArgument;
  const passedTask = typeof key === 'string' ? services.tasks.get(key) : undefined;
  const suitableTasks = findCurrentTasks(services, argument).filter((task) =>
    isSuitable(services, task, action),
  );
  const [only, ...others] = suitableTasks;
  const single = passedTask ?? (others.length === 0 ? only : undefined);
  const task =
    single ?? (await pickTask(services, suitableTasks.length > 0 ? suitableTasks : undefined, action, title));
  return task && { task, result: readResultIndex(argument) };
}

function readResultIndex(argument: unknown): number | undefined {
  const { result } = (argument ?? {}) as CommandArgument;
  return typeof result === 'number' ? result : undefined;
}

/**
 * Finds the tasks of a command for several tasks: all selected rows if the clicked row is selected, otherwise the
 * clicked row, otherwise like `chooseTask` with all selected rows. Returns only tasks that allow the action.
 */
export async function chooseTasks(
  services: TaskServices,
  argument: unknown,
  selected: unknown,
  action: TaskActionId | undefined,
  title: string,
): Promise<readonly TaskSelection[]> {
  await services.tasks.open();
  const rows = listPassedRows(argument, selected);
  const tasks = rows.length > 0 ? findTasks(services, rows) : findCurrentTasks(services, argument);
  const suitableTasks = tasks.filter((task) => isSuitable(services, task, action));
  if (suitableTasks.length > 0)
    return suitableTasks.map((task) => ({ task, result: readResultIndex(argument) }));
  if (tasks.length > 0) {
    showNoTask();
    return [];
  }
  const one = await pickTask(services, undefined, action, title);
  return one ? [{ task: one, result: undefined }] : [];
}

/** Lists the rows of the Tasks view that a command acts on, of any kind; empty without an argument. */
export function listChosenRows(
  { tasksView }: TaskServices,
  argument: unknown,
  selected: unknown,
): readonly TasksNode[] {
  if ((argument as CommandArgument | undefined)?.rows === 'selected') return tasksView.selection.rows;
  return listPassedRows(argument, selected) as readonly TasksNode[];
}

/** Finds a saved file of the button's result, otherwise the only file, otherwise a file that the user picks. */
export async function chooseSavedFile(
  { task, result }: TaskSelection,
  title: string,
): Promise<(LedgerResult & { readonly path: string }) | undefined> {
  const savedResults = task.results
    .filter(isSaved)
    .filter(({ index }) => result === undefined || index === result);
  if (savedResults.length === 0) {
    void notify('info', vscode.l10n.t('No result of this task is saved yet.'));
    return undefined;
  }
  if (savedResults.length === 1) return savedResults[0];
  const items = savedResults.map((each) => ({
    label: vscode.l10n.t('Result {0}', each.index + 1),
    description: each.mimeType ?? '',
    result: each,
  }));
  return (await pick(items, { title }))?.result;
}

function isSaved(result: LedgerResult): result is LedgerResult & { readonly path: string } {
  return result.state === 'saved' && result.path !== undefined;
}

/** Lists the rows that VS Code passes: all selected rows if the clicked row is selected, otherwise the clicked row. */
function listPassedRows(argument: unknown, selected: unknown): readonly CommandArgument[] {
  if (Array.isArray(selected) && selected.length > 1) return selected.filter(isObject);
  return isObject(argument) && argument.rows === undefined ? [argument] : [];
}

function findTasks({ tasks }: TaskServices, rows: readonly CommandArgument[]): readonly Task[] {
  return rows.flatMap(({ key }) => (typeof key === 'string' ? (tasks.get(key) ?? []) : []));
}

/**
 * Finds the task of the active page, otherwise the tasks of the selected rows. For a key binding of the view, only
 * the selected rows; for an unknown row, an empty list.
 */
function findCurrentTasks(services: TaskServices, argument: unknown): readonly Task[] {
  if (argument === missingRow) return [];
  const page =
    (argument as CommandArgument | undefined)?.rows === 'selected'
      ? undefined
      : services.taskPages.active?.key;
  return findTasks(services, page === undefined ? services.tasksView.selection.rows : [{ key: page }]);
}

async function pickTask(
  services: TaskServices,
  candidates: readonly Task[] | undefined,
  action: TaskActionId | undefined,
  title: string,
): Promise<Task | undefined> {
  const tasks = candidates ?? services.tasks.all.filter((task) => isSuitable(services, task, action));
  if (tasks.length === 0) {
    showNoTask();
    return undefined;
  }
  const items = tasks.map((task) => createChoice(services, task));
  return (await pick(items, { title }))?.task;
}

function showNoTask(): void {
  void notify('info', vscode.l10n.t('No task is available for this command.'));
}

/** Creates the row of a task in a list to choose from. As in the Tasks view, the prompt is first. */
function createChoice({ tasks }: TaskServices, task: Task) {
  const isInFlight = tasks.isInFlight(task);
  const facts = [
    describeStatus(task, isInFlight),
    formatShortTime(task.submittedAt ?? task.intendedAt),
    shortenPrompt(task.model ?? task.taskId ?? ''),
  ];
  return {
    task,
    icon: chooseIcon(chooseAppearance(task, isInFlight)),
    label: shortenPrompt(task.prompt, maxLabelLength) || nameUntitled(task),
    description: facts.filter(Boolean).join(' · '),
  };
}

function isSuitable({ tasks }: TaskServices, task: Task, action: TaskActionId | undefined): boolean {
  return action === undefined || isActionEnabled(task, tasks.isInFlight(task), action);
}

/** Describes the current state of a task, in lower case for use within a sentence. */
export function describeCurrentStatus({ tasks }: TaskServices, { task }: TaskSelection): string {
  const now = tasks.get(task.key) ?? task;
  return describeStatus(now, tasks.isInFlight(now)).toLowerCase();
}
