import * as vscode from 'vscode';
import type { GatewayClient, TaskSnapshot } from '../../client/gatewayClient.ts';
import { isMissing, isUnknown } from '../../tasks/missing.ts';
import type { TaskGroup } from '../../tasks/task.ts';
import { isObject } from '../../wire/json.ts';
import { confirm, notify } from '../display/notify.ts';
import { plainLine } from '../display/plainText.ts';
import { showingInStatusBar } from '../display/progress.ts';
import { askText, pick } from '../display/prompts.ts';
import { flash } from '../display/statusBar.ts';
import type { Services } from '../services.ts';
import type { ForeignTask } from '../tasks/elsewhere.ts';
import { isWithinLimit } from '../tasks/spendingConsent.ts';
import { gatewayOf } from '../tasks/taskGateways.ts';
import { shortPrompt, statusOf } from '../tasks/taskWords.ts';
import type { TaskOrder } from '../views/tasksView.ts';
import { type Chosen, chosenTask, chosenTasks } from './taskPick.ts';

export async function open(services: Services, row?: unknown): Promise<void> {
  const chosen = await chosenTask(services, row, undefined, vscode.l10n.t('Open which task?'));
  if (chosen) services.taskPages.open(chosen.task.key);
}

/** Asks the gateways how everything stands, and which tasks were made elsewhere. */
export async function refresh({ tasks, elsewhere, connection }: Services): Promise<void> {
  const desk = await tasks.open();
  const running = desk.ledger.unfinished().filter(({ stage }) => stage === 'running');
  const looks = running.map(({ key }) => desk.watcher.watchNow(key).catch(() => undefined));
  if (connection.state.profile) looks.push(elsewhere.refresh());
  await Promise.all(looks);
}

export async function loadMore({ elsewhere }: Services): Promise<void> {
  await elsewhere.loadMore();
}

export function showMore({ tasksView }: Services, group?: unknown): void {
  tasksView.showMore(group as TaskGroup);
}

export async function sort({ tasksView }: Services): Promise<void> {
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
  const chosen = await pick(items, { title: vscode.l10n.t('Sort tasks') });
  if (chosen) await tasksView.sortBy(chosen.order);
}

export async function filter({ tasksView }: Services): Promise<void> {
  const text = await askText({
    title: vscode.l10n.t('Show only tasks with these words'),
    prompt: vscode.l10n.t('Words of the prompt, the model, the profile or the state; empty shows all.'),
    value: tasksView.filter,
  });
  if (text !== undefined) tasksView.filterBy(text);
}

export function clearFilter({ tasksView }: Services): void {
  tasksView.filterBy('');
}

/** Looks at a task now. A task that is no longer watched stays so. */
export async function watchNow(services: Services, row?: unknown): Promise<void> {
  const chosen = await chosenTask(services, row, 'watch-now', vscode.l10n.t('Check which task?'));
  if (!chosen) return;
  await showingInStatusBar(vscode.l10n.t('Asking the gateway…'), () =>
    chosen.desk.watcher.watchNow(chosen.task.key),
  );
  flash(vscode.l10n.t('{0} is {1}', nameOf(chosen), statusNow(services, chosen)));
}

export async function stopWatching(services: Services, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Stop watching which task?');
  for (const { desk, task } of await chosenTasks(services, row, selected, 'stop-watching', title)) {
    desk.ledger.watch(task.key, 'stopped');
  }
}

export async function resume(services: Services, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Resume watching which task?');
  for (const { desk, task } of await chosenTasks(services, row, selected, 'resume', title)) {
    desk.ledger.watch(task.key, 'on');
  }
}

/** Cancels a task, shows what the gateway answered, and reads the task again. */
export async function cancel(services: Services, row?: unknown): Promise<void> {
  const chosen = await chosenTask(services, row, 'cancel', vscode.l10n.t('Cancel which task?'));
  if (!chosen) return;
  const { task } = chosen;
  await showingInStatusBar(vscode.l10n.t('Cancelling {0}…', nameOf(chosen)), async () => {
    const client = await services.taskGateways.reach(task.gateway, task.profile);
    const answer = await thenReadAgain(chosen, () => client.cancelTask(task.taskId ?? ''));
    const said = plainLine(answer?.word ?? vscode.l10n.t('accepted'), longestWord);
    void notify(
      'info',
      vscode.l10n.t('The gateway answered “{0}”. The task is now: {1}.', said, statusNow(services, chosen)),
    );
  });
}

/** Deletes a task at the gateway, after telling what is kept here. It stays in the list here. */
export async function deleteAtGateway(services: Services, row?: unknown): Promise<void> {
  const chosen = await chosenTask(
    services,
    row,
    'delete',
    vscode.l10n.t('Delete which task at the gateway?'),
  );
  if (!chosen || !(await mayDelete(services, chosen))) return;
  const { task, desk } = chosen;
  const client = await services.taskGateways.reach(task.gateway, task.profile);
  const answer = await thenReadAgain(chosen, () => client.deleteTask(task.taskId ?? ''));
  const remove = vscode.l10n.t('Remove from this list');
  const text = answer
    ? vscode.l10n.t('The gateway answered with the task: “{0}”.', plainLine(answer.word ?? '', longestWord))
    : (await isStillThere(client, task.taskId ?? ''))
      ? vscode.l10n.t('The gateway accepted the deletion, but still has the task. What is kept here stays.')
      : vscode.l10n.t('The gateway has deleted the task. What is kept here stays.');
  if ((await notify('info', text, remove)) === remove) desk.ledger.remove(task.key);
}

/** Removes tasks from the list here. The gateway is not told, and files stay unless the user says otherwise. */
export async function remove(services: Services, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Remove which task from this list?');
  const chosen = await chosenTasks(services, row, selected, 'remove', title);
  if (chosen.length === 0) return;
  const files = chosen.flatMap(({ task }) => task.results.flatMap(({ path }) => path ?? []));
  const withFiles = vscode.l10n.t('Remove, and delete its files');
  const only = vscode.l10n.t('Remove');
  const picked = await confirm(
    chosen.length === 1
      ? vscode.l10n.t('Remove this task from the list?')
      : vscode.l10n.t('Remove {0} tasks from the list?', chosen.length),
    removalDetail(chosen, files.length),
    only,
    ...(files.length > 0 ? [withFiles] : []),
  );
  if (picked === undefined) return;
  for (const { desk, task } of chosen) desk.ledger.remove(task.key);
  if (picked === withFiles) await deleteFiles(files);
}

/** Sends a request that was left over when a window closed. Always asks: it may cost money. */
export async function send(services: Services, row?: unknown): Promise<void> {
  const chosen = await chosenTask(services, row, 'send', vscode.l10n.t('Send which request?'));
  if (!chosen) return;
  const yes = vscode.l10n.t('Send');
  const picked = await confirm(
    vscode.l10n.t('Send this request to {0} now?', chosen.task.profile),
    vscode.l10n.t('{0}: {1}\n\nIt may be billed.', ...named(chosen)),
    yes,
  );
  if (picked !== yes || !(await isWithinLimit(chosen.desk.ledger.spending()))) return;
  await services.tasks.send(chosen.task.key);
}

export async function discard(services: Services, row?: unknown): Promise<void> {
  const chosen = await chosenTask(services, row, 'discard', vscode.l10n.t('Discard which request?'));
  chosen?.desk.ledger.discard(chosen.task.key);
}

/** Looks for the task that a request of unknown outcome may have made. Never sends it again. */
export async function find(services: Services, row?: unknown): Promise<void> {
  const chosen = await chosenTask(services, row, 'find', vscode.l10n.t('Look for which task?'));
  if (!chosen) return;
  const { task, desk } = chosen;
  const { reconcile } = await import('../../tasks/reconcile.ts');
  const { found, candidates } = await showingInStatusBar(
    vscode.l10n.t('Looking for it at the gateway…'),
    async () =>
      reconcile(task, {
        ledger: desk.ledger,
        reader: await services.taskGateways.reach(task.gateway, task.profile),
      }),
  );
  const taken = found ?? (await pickCandidate(candidates));
  if (taken === undefined) {
    if (candidates.length === 0) flash(vscode.l10n.t('The gateway lists no task that could be this one.'));
    return;
  }
  desk.ledger.accept(task.key, taken.id);
  desk.ledger.saw(task.key, taken);
  void notify('info', vscode.l10n.t('Found it: {0}.', taken.id));
}

/** Keeps a task here that was made elsewhere, to watch it and to save its result. */
export async function adopt(services: Services, row?: unknown): Promise<void> {
  const desk = await services.tasks.open();
  const { profile } = services.connection.state;
  const foreign = (row as { readonly task?: ForeignTask } | undefined)?.task;
  const listed = foreign && services.elsewhere.find(foreign.id);
  const chosen = listed ?? (await pickCandidate(services.elsewhere.tasks));
  if (!chosen || !profile) return;
  const client = await services.connection.client();
  const snapshot = { ...(await client.readTask(chosen.id)), id: chosen.id };
  const record = isObject(snapshot.raw) ? snapshot.raw : {};
  const names = { gateway: gatewayOf(profile), profile: profile.name };
  const { key } = desk.ledger.adopt({
    ...names,
    snapshot,
    ...(typeof record.model === 'string' && { model: record.model }),
    ...(typeof record.prompt === 'string' && { prompt: record.prompt }),
  });
  services.taskPages.open(key);
}

/** Opens the Generate page with the request of a task filled in. Nothing is sent. */
export async function runAgain(services: Services, row?: unknown): Promise<void> {
  const chosen = await chosenTask(services, row, 'run-again', vscode.l10n.t('Run which task again?'));
  if (!chosen) return;
  const { task, desk } = chosen;
  const request = desk.ledger.history(task.key)?.request;
  if (!request || !task.route) return;
  const page = services.generatePages.open();
  await page.session.repeat({
    route: task.route,
    model: task.model ?? '',
    request: request as Readonly<Record<string, unknown>>,
  });
  page.focusPrompt();
}

/** Whatever the gateway answers, a refusal too: only reading the task again tells what became of it. */
async function thenReadAgain(
  { task, desk }: Chosen,
  ask: () => Promise<TaskSnapshot | undefined>,
): Promise<TaskSnapshot | undefined> {
  try {
    const answer = await ask();
    if (answer) desk.ledger.saw(task.key, answer);
    return answer;
  } finally {
    await desk.watcher.watchNow(task.key).catch(() => undefined);
  }
}

/** A gateway may accept a deletion and keep the task: only reading it tells. */
async function isStillThere(client: Pick<GatewayClient, 'readTask'>, taskId: string): Promise<boolean> {
  try {
    const snapshot = await client.readTask(taskId);
    return !isMissing(snapshot) && !isUnknown(snapshot);
  } catch {
    return false;
  }
}

async function mayDelete(services: Services, { task }: Chosen): Promise<boolean> {
  const unsaved = task.results.filter(({ state }) => state !== 'saved').length;
  const saved = task.results.length - unsaved;
  const detail = [
    task.results.length === 0
      ? vscode.l10n.t('It has no result that could be kept here.')
      : vscode.l10n.t('Results saved here: {0} of {1}.', saved, task.results.length),
    vscode.l10n.t('Its request, its states and its last record are kept here and stay.'),
    vscode.l10n.t('Whether it can be brought back depends on the gateway; mostly it cannot.'),
  ].join('\n\n');
  const yes = vscode.l10n.t('Delete at the gateway');
  const saveFirst = vscode.l10n.t('Save results, then delete');
  const picked = await confirm(
    vscode.l10n.t('Delete this task at {0}?', task.profile),
    detail,
    ...(unsaved > 0 ? [saveFirst] : []),
    yes,
  );
  if (picked !== saveFirst) return picked === yes;
  await showingInStatusBar(vscode.l10n.t('Saving results…'), () => services.tasks.fetchResults(task.key));
  const now = services.tasks.desk?.ledger.get(task.key);
  if (now?.results.every(({ state }) => state === 'saved')) return true;
  void notify('warning', vscode.l10n.t('Not every result could be saved, so nothing was deleted.'));
  return false;
}

function removalDetail(chosen: readonly Chosen[], files: number): string {
  return [
    vscode.l10n.t('The gateway is not told: what runs there goes on, and may be billed.'),
    ...(chosen.some(({ task }) => task.stage === 'unknown')
      ? [vscode.l10n.t('The outcome of a request is unknown. Without it here nobody looks for it.')]
      : []),
    ...(files > 0 ? [vscode.l10n.t('{0} saved files stay unless you delete them too.', files)] : []),
  ].join('\n\n');
}

async function deleteFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths.flatMap((each) => [each, `${each}.json`])) {
    await vscode.workspace.fs.delete(vscode.Uri.file(path), { useTrash: false }).then(undefined, () => {});
  }
}

async function pickCandidate(candidates: readonly ForeignTask[]): Promise<ForeignTask | undefined> {
  if (candidates.length === 0) return undefined;
  const items = candidates.map((task) => ({
    label: task.id,
    description: [task.word, task.createdAt?.toLocaleString(vscode.env.language)].filter(Boolean).join(' · '),
    task,
  }));
  const title = vscode.l10n.t('Which of the gateway’s tasks is it?');
  return (await pick(items, { title }))?.task;
}

function named({ task }: Chosen): [string, string] {
  return [task.model ?? '', shortPrompt(task.prompt, 200)];
}

function nameOf({ task }: Chosen): string {
  return shortPrompt(task.prompt, 40) || (task.model ?? task.taskId ?? '');
}

function statusNow({ tasks }: Services, { desk, task }: Chosen): string {
  const now = desk.ledger.get(task.key) ?? task;
  return statusOf(now, tasks.isInFlight(now)).toLowerCase();
}

/** Of a word by which a gateway names a state. */
const longestWord = 60;
