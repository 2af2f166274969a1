import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import type { LedgerResult, Task } from '../../tasks/record/task.ts';
import { notify } from '../kit/display/notify.ts';
import { pick } from '../kit/display/quickInput.ts';
import { shortTime } from '../kit/display/timeWords.ts';
import { missingRow } from '../kit/manifest/command.ts';
import { isActionEnabled, type TaskActionId } from './task/taskActions.ts';
import { appearanceIconName, appearanceOf, shortPrompt, statusWords, untitled } from './task/taskWords.ts';
import type { TaskServices } from './taskServices.ts';
import type { TasksNode } from './tasksViewRows.ts';

/** The longest prompt in a list to choose from, in UTF-16 units. */
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
 * Finds the task of a command: from its argument, else the selected row or the active page, else picked by the
 * user. The choices are tasks that allow the action.
 */
export async function chosenTask(
  services: TaskServices,
  argument: unknown,
  action: TaskActionId | undefined,
  title: string,
): Promise<TaskSelection | undefined> {
  await services.tasks.open();
  const { key } = (argument ?? {}) as CommandArgument;
  const passed = typeof key === 'string' ? services.tasks.get(key) : undefined;
  const shown = current(services, argument).filter((task) => isSuitable(services, task, action));
  const [only, ...others] = shown;
  const single = passed ?? (others.length === 0 ? only : undefined);
  const task = single ?? (await pickTask(services, shown.length > 0 ? shown : undefined, action, title));
  return task && { task, result: resultOf(argument) };
}

function resultOf(argument: unknown): number | undefined {
  const { result } = (argument ?? {}) as CommandArgument;
  return typeof result === 'number' ? result : undefined;
}

/**
 * Finds the tasks of a command for several: all selected rows if the clicked one is among them, else the clicked
 * one, else like `chosenTask` with all selected rows. Returns only tasks for which the action is possible.
 */
export async function chosenTasks(
  services: TaskServices,
  argument: unknown,
  selected: unknown,
  action: TaskActionId | undefined,
  title: string,
): Promise<readonly TaskSelection[]> {
  await services.tasks.open();
  const rows = passedRows(argument, selected);
  const tasks = rows.length > 0 ? tasksOf(services, rows) : current(services, argument);
  const suitable = tasks.filter((task) => isSuitable(services, task, action));
  if (suitable.length > 0) return suitable.map((task) => ({ task, result: resultOf(argument) }));
  if (tasks.length > 0) {
    showNoTask();
    return [];
  }
  const one = await pickTask(services, undefined, action, title);
  return one ? [{ task: one, result: undefined }] : [];
}

/** The rows of the Tasks view that a command is for, of any kind; empty without an argument. */
export function chosenRows(
  { tasksView }: TaskServices,
  argument: unknown,
  selected: unknown,
): readonly TasksNode[] {
  if ((argument as CommandArgument | undefined)?.rows === 'selected') return tasksView.selection.rows;
  return passedRows(argument, selected) as readonly TasksNode[];
}

/** Finds a saved file of the button's result, else the only file, else a file that the user picks. */
export async function chosenFile(
  { task, result }: TaskSelection,
  title: string,
): Promise<(LedgerResult & { readonly path: string }) | undefined> {
  const saved = task.results.filter(isSaved).filter(({ index }) => result === undefined || index === result);
  if (saved.length === 0) {
    void notify('info', vscode.l10n.t('No result of this task is saved yet.'));
    return undefined;
  }
  if (saved.length === 1) return saved[0];
  const items = saved.map((each) => ({
    label: vscode.l10n.t('Result {0}', each.index + 1),
    description: each.mimeType ?? '',
    result: each,
  }));
  return (await pick(items, { title }))?.result;
}

function isSaved(result: LedgerResult): result is LedgerResult & { readonly path: string } {
  return result.state === 'saved' && result.path !== undefined;
}

/** The rows that VS Code passes: all selected rows if the clicked one is among them, else the clicked one. */
function passedRows(argument: unknown, selected: unknown): readonly CommandArgument[] {
  if (Array.isArray(selected) && selected.length > 1) return selected.filter(isObject);
  return isObject(argument) && argument.rows === undefined ? [argument] : [];
}

function tasksOf({ tasks }: TaskServices, rows: readonly CommandArgument[]): readonly Task[] {
  return rows.flatMap(({ key }) => (typeof key === 'string' ? (tasks.get(key) ?? []) : []));
}

/**
 * The task of the active page, else the tasks of the selected rows. For a key binding of the view, the selected
 * rows only; for an unknown row, an empty list.
 */
function current(services: TaskServices, argument: unknown): readonly Task[] {
  if (argument === missingRow) return [];
  const page =
    (argument as CommandArgument | undefined)?.rows === 'selected'
      ? undefined
      : services.taskPages.active?.key;
  return tasksOf(services, page === undefined ? services.tasksView.selection.rows : [{ key: page }]);
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
  const items = tasks.map((task) => taskItem(services, task));
  return (await pick(items, { title }))?.task;
}

function showNoTask(): void {
  void notify('info', vscode.l10n.t('No task is available for this command.'));
}

/** A task in a list to choose from. As in the Tasks view, the prompt is first. */
function taskItem({ tasks }: TaskServices, task: Task) {
  const inFlight = tasks.isInFlight(task);
  const facts = [
    statusWords(task, inFlight),
    shortTime(task.submittedAt ?? task.intendedAt),
    shortPrompt(task.model ?? task.taskId ?? ''),
  ];
  return {
    task,
    icon: appearanceIconName(appearanceOf(task, inFlight)),
    label: shortPrompt(task.prompt, maxLabelLength) || untitled(task),
    description: facts.filter(Boolean).join(' · '),
  };
}

function isSuitable({ tasks }: TaskServices, task: Task, action: TaskActionId | undefined): boolean {
  return action === undefined || isActionEnabled(task, tasks.isInFlight(task), action);
}

/** The current state of a task, in lower case for use within a sentence. */
export function statusNow({ tasks }: TaskServices, { task }: TaskSelection): string {
  const now = tasks.get(task.key) ?? task;
  return statusWords(now, tasks.isInFlight(now)).toLowerCase();
}
