import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import type { KeptResult, Task } from '../../tasks/record/task.ts';
import { notify } from '../kit/display/notify.ts';
import { pick } from '../kit/display/prompts.ts';
import { shortTime } from '../kit/display/times.ts';
import { forgottenRow } from '../kit/forgottenRow.ts';
import { isActionEnabled, type TaskActionId } from './task/taskActions.ts';
import { appearanceIcon, appearanceOf, shortPrompt, statusOf, untitled } from './task/taskWords.ts';
import type { TaskServices } from './taskServices.ts';
import type { TasksNode } from './viewRows.ts';

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
  /** `selected` from a key binding of the Tasks view, for its selected rows; `forgotten` for one that is unknown. */
  readonly rows?: unknown;
}

/**
 * Finds the task of a command: that of its argument, else the selected row or the active page, else one that
 * the user picks among those for which the action is possible.
 */
export async function chosenTask(
  services: TaskServices,
  given: unknown,
  action: TaskActionId | undefined,
  title: string,
): Promise<TaskSelection | undefined> {
  await services.tasks.open();
  const { key } = (given ?? {}) as CommandArgument;
  const named = typeof key === 'string' ? services.tasks.get(key) : undefined;
  const inView = current(services, given).filter((task) => isSuitable(services, task, action));
  const [only, ...others] = inView;
  const meant = named ?? (others.length === 0 ? only : undefined);
  const task = meant ?? (await ask(services, inView.length > 0 ? inView : undefined, action, title));
  return task && { task, result: resultOf(given) };
}

function resultOf(given: unknown): number | undefined {
  const { result } = (given ?? {}) as CommandArgument;
  return typeof result === 'number' ? result : undefined;
}

/**
 * Finds the tasks of a command for several: all selected rows if the clicked one is among them, else the
 * clicked one, else like `chosenTask` with all selected rows. Returns only tasks for which the action is
 * possible.
 */
export async function chosenTasks(
  services: TaskServices,
  given: unknown,
  selected: unknown,
  action: TaskActionId | undefined,
  title: string,
): Promise<readonly TaskSelection[]> {
  await services.tasks.open();
  const rows = passedRows(given, selected);
  const tasks = rows.length > 0 ? tasksOf(services, rows) : current(services, given);
  const suitable = tasks.filter((task) => isSuitable(services, task, action));
  if (suitable.length > 0) return suitable.map((task) => ({ task, result: resultOf(given) }));
  if (tasks.length > 0) {
    showNoTask();
    return [];
  }
  const one = await ask(services, undefined, action, title);
  return one ? [{ task: one, result: undefined }] : [];
}

/** The rows of the Tasks view that a command is for, of any kind; none without an argument. */
export function chosenRows(
  { tasksView }: TaskServices,
  given: unknown,
  selected: unknown,
): readonly TasksNode[] {
  if ((given as CommandArgument | undefined)?.rows === 'selected') return tasksView.selection;
  return passedRows(given, selected) as readonly TasksNode[];
}

/**
 * Finds a saved file: of the result that the button belongs to, else the only one, else one that the user
 * picks.
 */
export async function chosenFile(
  { task, result }: TaskSelection,
  title: string,
): Promise<(KeptResult & { readonly path: string }) | undefined> {
  const saved = task.results.filter(isSaved).filter(({ index }) => result === undefined || index === result);
  if (saved.length === 0) {
    void notify('info', vscode.l10n.t('No result of this task is saved yet.'));
    return undefined;
  }
  if (saved.length === 1) return saved[0];
  const items = saved.map((each) => ({
    label: vscode.l10n.t('Result {0}', each.index + 1),
    description: each.mimeType ?? '',
    each,
  }));
  return (await pick(items, { title }))?.each;
}

function isSaved(result: KeptResult): result is KeptResult & { readonly path: string } {
  return result.state === 'saved' && result.path !== undefined;
}

/** The rows that VS Code passes: all selected ones if the clicked one is among them, else the clicked one. */
function passedRows(given: unknown, selected: unknown): readonly CommandArgument[] {
  if (Array.isArray(selected) && selected.length > 1) return selected.filter(isObject);
  return isObject(given) && given.rows === undefined ? [given] : [];
}

function tasksOf({ tasks }: TaskServices, rows: readonly CommandArgument[]): readonly Task[] {
  return rows.flatMap(({ key }) => (typeof key === 'string' ? (tasks.get(key) ?? []) : []));
}

/**
 * The task of the active page, else those of the selected rows. For a key binding of the view, the selected
 * rows only; for a row that VS Code forgot, none.
 */
function current(services: TaskServices, given: unknown): readonly Task[] {
  if (given === forgottenRow) return [];
  const page =
    (given as CommandArgument | undefined)?.rows === 'selected' ? undefined : services.taskPages.active?.key;
  return tasksOf(services, page === undefined ? services.tasksView.selection : [{ key: page }]);
}

async function ask(
  services: TaskServices,
  among: readonly Task[] | undefined,
  action: TaskActionId | undefined,
  title: string,
): Promise<Task | undefined> {
  const tasks = among ?? services.tasks.all.filter((task) => isSuitable(services, task, action));
  if (tasks.length === 0) {
    showNoTask();
    return undefined;
  }
  const items = tasks.map((task) => taskItem(services, task));
  return (await pick(items, { title }))?.task;
}

function showNoTask(): void {
  void notify('info', vscode.l10n.t('No task to apply this to.'));
}

/** A task in a list to choose from, told apart as in the Tasks view: by its prompt first. */
function taskItem({ tasks }: TaskServices, task: Task) {
  const inFlight = tasks.isInFlight(task);
  const facts = [
    statusOf(task, inFlight),
    shortTime(task.submittedAt ?? task.intendedAt),
    shortPrompt(task.model ?? task.taskId ?? ''),
  ];
  return {
    task,
    icon: appearanceIcon(appearanceOf(task, inFlight)),
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
  return statusOf(now, tasks.isInFlight(now)).toLowerCase();
}
