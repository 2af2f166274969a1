import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import type { RemoteTask } from '../../tasks/record/task.ts';
import { readRecordModel, readRecordPrompt, type TaskOrder } from '../../tasks/taskGroups.ts';
import { formatTaskCount, tally } from '../kit/countWords.ts';
import { confirm, notify } from '../kit/display/notify.ts';
import { withStatusBarProgress } from '../kit/display/progress.ts';
import { pick, requestText } from '../kit/display/quickInput.ts';
import { showStatusMessage } from '../kit/display/statusBar.ts';
import { formatShortTime } from '../kit/display/timeWords.ts';
import { describeStoredProblem } from '../kit/explanationWords.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { showView } from '../kit/manifest/contributions.ts';
import { fillForm } from './generateCommands.ts';
import { isWithinLimit } from './purchase/purchase.ts';
import { toTaskGateway } from './task/taskGateways.ts';
import { nameTask, shortenPrompt } from './task/taskWords.ts';
import {
  chooseTask,
  chooseTasks,
  describeCurrentStatus,
  listChosenRows,
  type TaskSelection,
} from './taskSelection.ts';
import type { TaskServices } from './taskServices.ts';

/** Opens the task of a row or a page. Without an argument, opens the clicked row. */
async function open(services: TaskServices, row?: unknown): Promise<void> {
  if (row === undefined) return openSelected(services);
  if (isObject(row) && row.rows === 'entered') return openFocusedRow(services);
  const chosen = await chooseTask(services, row, undefined, vscode.l10n.t('Choose the task to open'));
  const { preview } = (row ?? {}) as { readonly preview?: unknown };
  if (chosen) await services.taskPages.open({ key: chosen.task.key, isPreview: preview === true });
}

/** Polls all tasks and lists the tasks that were created elsewhere. */
async function refresh({ tasks, remoteTasks, connection }: TaskServices): Promise<void> {
  await Promise.all([tasks.pollAll(), connection.state.gateway && remoteTasks.refresh()]);
}

async function loadMore({ remoteTasks }: TaskServices): Promise<void> {
  await remoteTasks.loadMore();
}

/** Opens the focused row as VS Code does on Enter. A task opens in a permanent tab. */
async function openFocusedRow({ tasksView }: TaskServices): Promise<void> {
  tasksView.clicks.recordEnter();
  await vscode.commands.executeCommand('list.select');
}

function keepOpen({ taskPages }: TaskServices): void {
  taskPages.active?.keepOpen();
}

/**
 * Opens the clicked row. A task opens like a file: as a preview, or as a permanent tab after a double click or
 * Enter.
 */
async function openSelected(services: TaskServices): Promise<void> {
  const row = await services.tasksView.selection.waitForClickedRow();
  if (row?.kind === 'task') {
    const isPermanent = services.tasksView.clicks.recordOpening(row.key);
    await services.taskPages.open({ key: row.key, isPreview: !isPermanent }, { preserveFocus: !isPermanent });
  } else if (row?.kind === 'remote') await adopt(services, row);
  else if (row?.kind === 'rest') services.tasksView.showMore(row.group);
}

async function sort({ tasksView }: TaskServices): Promise<void> {
  const orders: Readonly<Record<TaskOrder, string>> = {
    newest: vscode.l10n.t('Newest first'),
    oldest: vscode.l10n.t('Oldest first'),
    model: vscode.l10n.t('By model'),
  };
  const items = (Object.entries(orders) as [TaskOrder, string][]).map(([order, label]) => ({
    order,
    label,
    description: order === tasksView.order ? vscode.l10n.t('current') : '',
  }));
  const chosen = await pick(items, { title: vscode.l10n.t('Sort Tasks') });
  if (chosen) await tasksView.sortBy(chosen.order);
}

async function filter({ tasksView }: TaskServices): Promise<void> {
  const text = await requestText({
    title: vscode.l10n.t('Show only tasks that contain these words'),
    prompt: vscode.l10n.t('Words from the prompt, model, gateway or state. Leave empty to show all tasks.'),
    value: tasksView.filter,
  });
  if (text !== undefined) tasksView.filterBy(text);
}

function clearFilter({ tasksView }: TaskServices): void {
  tasksView.filterBy('');
}

/** Polls tasks now. Does not resume watching. */
async function watchNow(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the task to check');
  const chosen = await chooseTasks(services, row, selected, 'watch-now', title);
  const [only, ...others] = chosen;
  if (!only) return;
  await withStatusBarProgress(vscode.l10n.t('Checking the task at the gateway…'), () =>
    Promise.all(chosen.map(({ task }) => services.tasks.poll(task.key))),
  );
  showStatusMessage(
    others.length === 0
      ? vscode.l10n.t('{0} is {1}', nameTask(only.task), describeCurrentStatus(services, only))
      : vscode.l10n.t(
          '{0}: {1}',
          formatTaskCount(chosen.length),
          tally(chosen.map((each) => describeCurrentStatus(services, each))),
        ),
  );
}

async function stopWatching(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the task to stop watching');
  for (const { task } of await chooseTasks(services, row, selected, 'stop-watching', title)) {
    await services.tasks.stopWatching(task.key);
  }
}

async function resume(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the task to resume watching');
  for (const { task } of await chooseTasks(services, row, selected, 'resume', title)) {
    await services.tasks.resumeWatching(task.key);
  }
}

/** Sends a request that was unsent when its window closed. Always confirmed by the user, because it may cost money. */
async function send(services: TaskServices, row?: unknown): Promise<void> {
  const chosen = await chooseTask(services, row, 'send', vscode.l10n.t('Choose the request to send'));
  if (!chosen) return;
  const yes = vscode.l10n.t('Send');
  const answer = await confirm(
    vscode.l10n.t('Send this request to {0} now?', chosen.task.gatewayName),
    vscode.l10n.t('{0}: {1}\n\nIt may be billed.', ...listModelAndPrompt(chosen)),
    yes,
  );
  if (answer !== yes || !(await isWithinLimit(services.tasks.readSpending()))) return;
  await services.tasks.send(chosen.task.key);
}

/** Searches for the task of a request with unknown outcome. Never sends the request again. */
async function find(services: TaskServices, row?: unknown): Promise<void> {
  const chosen = await chooseTask(services, row, 'find', vscode.l10n.t('Choose the task to find'));
  if (!chosen) return;
  const { task } = chosen;
  const { found, candidates } = await withStatusBarProgress(
    vscode.l10n.t('Finding the task at the gateway…'),
    () => services.tasks.search(task),
  );
  const match = found ?? (await pickListed(candidates, vscode.l10n.t('Choose the task at the gateway')));
  if (match === undefined) {
    if (candidates.length === 0) showStatusMessage(vscode.l10n.t('The gateway lists no matching task.'));
    return;
  }
  await services.tasks.linkFoundTask(task.key, match);
  void notify('info', vscode.l10n.t('Found task {0}.', match.id));
}

/** Adds tasks that were created elsewhere to the ledger, to watch them and to save their results. */
async function adopt(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const { gateway } = services.connection.state;
  if (!gateway) return;
  const origin = toTaskGateway(gateway);
  const keys: string[] = [];
  for (const { id } of await chooseRemote(services, row, selected)) {
    keys.push((await services.tasks.adopt(origin, id)).key);
  }
  const [only, ...others] = keys;
  if (only !== undefined && others.length === 0) await services.taskPages.open({ key: only });
  else if (only !== undefined)
    showStatusMessage(vscode.l10n.t('Added to Tasks: {0}', formatTaskCount(keys.length)));
}

async function chooseRemote(
  services: TaskServices,
  row: unknown,
  selected: unknown,
): Promise<readonly RemoteTask[]> {
  const listedTasks = listChosenRows(services, row, selected)
    .flatMap((each) => (each.kind === 'remote' ? each.task.id : []))
    .flatMap((id) => services.remoteTasks.find(id) ?? []);
  if (listedTasks.length > 0) return listedTasks;
  const pickedTask = await pickListed(
    services.remoteTasks.tasks,
    vscode.l10n.t('Choose the task to add to this list'),
  );
  return pickedTask ? [pickedTask] : [];
}

/** Opens the Generate page filled with the request of a task, and shows the field that was refused. */
async function runAgain(services: TaskServices, row?: unknown): Promise<void> {
  const chosen = await chooseTask(services, row, 'run-again', vscode.l10n.t('Choose the task to run again'));
  if (!chosen) return;
  const request = services.tasks.readRepeatableRequest(chosen.task.key);
  if (!request) return;
  const page = await fillForm(services, request, nameTask(chosen.task));
  const { problem } = chosen.task;
  if (page && problem?.field !== undefined) page.showRefusal(problem.field, describeStoredProblem(problem));
}

/** Lets the user pick one of the gateway's tasks; undefined if it lists none. */
async function pickListed(tasks: readonly RemoteTask[], title: string): Promise<RemoteTask | undefined> {
  if (tasks.length === 0) return undefined;
  const items = tasks.map((task) => {
    const prompt = shortenPrompt(readRecordPrompt(task), 120);
    const facts = [
      task.rawStatus,
      task.createdAt && formatShortTime(task.createdAt.getTime()),
      readRecordModel(task),
    ];
    return {
      task,
      label: prompt || task.id,
      description: facts.filter(Boolean).join(' · '),
      ...(prompt !== '' && { detail: task.id }),
    };
  });
  return (await pick(items, { title }))?.task;
}

function listModelAndPrompt({ task }: TaskSelection): [string, string] {
  return [task.model ?? '', shortenPrompt(task.prompt, 200)];
}

/** The commands that create, find and watch tasks, by their ids. */
export const taskCommands = {
  'tasks.show': () => showView('tasks'),
  'tasks.openPage': open,
  'tasks.refresh': refresh,
  'tasks.sort': sort,
  'tasks.filter': filter,
  'tasks.clearFilter': clearFilter,
  'tasks.loadMore': loadMore,
  'tasks.keepOpen': keepOpen,
  'tasks.watchNow': watchNow,
  'tasks.stopWatching': stopWatching,
  'tasks.resume': resume,
  'tasks.runAgain': runAgain,
  'tasks.send': send,
  'tasks.find': find,
  'tasks.adopt': adopt,
} satisfies CommandTable<TaskServices>;
