import * as vscode from 'vscode';
import type { TaskAction } from '../../protocol/taskPage.ts';
import type { KeptResult, Task } from '../../tasks/task.ts';
import { notify } from '../display/notify.ts';
import { pick } from '../display/prompts.ts';
import type { Services } from '../services.ts';
import { canDo } from '../tasks/taskButtons.ts';
import type { TaskDesk } from '../tasks/taskDesk.ts';
import { lookIcon, lookOf, shortPrompt, statusOf } from '../tasks/taskWords.ts';

/** A task to act on, with the ledger it is kept in. */
export interface Chosen {
  readonly desk: TaskDesk;
  readonly task: Task;
  /** Which of its results is meant, where a button said so. */
  readonly result: number | undefined;
}

/** What a row, a page or a notification passes along. Anything else is nothing (T16). */
interface Given {
  readonly kind?: unknown;
  readonly key?: unknown;
  readonly result?: unknown;
}

/**
 * The task that a command was given (a row, the button of a page); else the one whose row is selected or whose
 * page is in front; else asks which, among those the action makes sense for.
 */
export async function chosenTask(
  services: Services,
  given: unknown,
  action: TaskAction | undefined,
  title: string,
): Promise<Chosen | undefined> {
  const desk = await services.tasks.open();
  const { key, result } = (given ?? {}) as Given;
  const named = typeof key === 'string' ? desk.ledger.get(key) : undefined;
  const task = named ?? current(services, desk, action) ?? (await ask(services, desk, action, title));
  return task && { desk, task, result: typeof result === 'number' ? result : undefined };
}

/** The tasks of a command that acts on all selected rows: VS Code passes them beside the one that was clicked. */
export async function chosenTasks(
  services: Services,
  given: unknown,
  selected: unknown,
  action: TaskAction,
  title: string,
): Promise<readonly Chosen[]> {
  if (!Array.isArray(selected) || selected.length < 2) {
    const one = await chosenTask(services, given, action, title);
    return one ? [one] : [];
  }
  const desk = await services.tasks.open();
  return selected.flatMap((row: Given) => {
    const task = typeof row?.key === 'string' ? desk.ledger.get(row.key) : undefined;
    return task && suits(services, task, action) ? [{ desk, task, result: undefined }] : [];
  });
}

/** The saved file of a result: the one a button named, the only one, or the one the user picks. */
export async function chosenFile(
  { task, result }: Chosen,
  title: string,
): Promise<(KeptResult & { readonly path: string }) | undefined> {
  const saved = task.results.filter(isSaved).filter(({ index }) => result === undefined || index === result);
  if (saved.length === 0) {
    void notify('info', vscode.l10n.t('Nothing of this task is saved here yet.'));
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

function current(services: Services, desk: TaskDesk, action: TaskAction | undefined): Task | undefined {
  const [row] = services.tasksView.selection;
  const key = services.taskPages.active ?? (row?.kind === 'task' ? row.key : undefined);
  const task = key === undefined ? undefined : desk.ledger.get(key);
  return task && suits(services, task, action) ? task : undefined;
}

async function ask(
  services: Services,
  desk: TaskDesk,
  action: TaskAction | undefined,
  title: string,
): Promise<Task | undefined> {
  const tasks = desk.ledger.list().filter((task) => suits(services, task, action));
  if (tasks.length === 0) {
    void notify('info', vscode.l10n.t('There is no task for that.'));
    return undefined;
  }
  const items = tasks.map((task) => taskItem(services, task));
  return (await pick(items, { title }))?.task;
}

function taskItem({ tasks }: Services, task: Task) {
  const inFlight = tasks.isInFlight(task);
  return {
    task,
    icon: lookIcon(lookOf(task, inFlight)),
    label: task.model ?? task.taskId ?? '',
    description: `${statusOf(task, inFlight)} · ${new Date(task.intendedAt).toLocaleString(vscode.env.language)}`,
    detail: shortPrompt(task.prompt, 120),
  };
}

function suits({ tasks }: Services, task: Task, action: TaskAction | undefined): boolean {
  return action === undefined || canDo(task, tasks.isInFlight(task), action);
}
