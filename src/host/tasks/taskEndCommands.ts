import * as vscode from 'vscode';
import type { DeleteOutcome, Task } from '../../tasks/record/task.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import { failureMessage, formatFailure } from '../connection/failureMessage.ts';
import { reportFailure } from '../connection/failures/notifyFailure.ts';
import { formatFirstNames, formatRemainingFiles, formatTaskCount, tally } from '../kit/countWords.ts';
import { joinNames } from '../kit/display/joinNames.ts';
import { confirm, notify } from '../kit/display/notify.ts';
import { plainLine } from '../kit/display/plainText.ts';
import { withNotificationProgress, withStatusBarProgress } from '../kit/display/progress.ts';
import { showStatusMessage } from '../kit/display/statusBar.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { type CommandId, runCommand } from '../kit/manifest/contributions.ts';
import { nameTask } from './task/taskWords.ts';
import { chooseTasks, describeCurrentStatus, type TaskSelection } from './taskSelection.ts';
import type { TaskServices } from './taskServices.ts';

/** The length limit of a displayed raw status, in UTF-16 units. */
const maxStatusLength = 60;

/**
 * Cancels tasks and polls them. Shows the gateway's reply if the task is not cancelled yet; otherwise its row and
 * its page show the state. The user has to confirm several tasks.
 */
async function cancel(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the task to cancel');
  const chosen = await chooseTasks(services, row, selected, 'cancel', title);
  const [only, ...others] = chosen;
  if (!only) return;
  if (others.length > 0) return cancelAll(services, chosen);
  const doing = vscode.l10n.t('Cancelling {0}…', nameTask(only.task));
  const reply = await withStatusBarProgress(doing, () => services.tasks.cancel(only.task));
  if (services.tasks.get(only.task.key)?.failedAs === 'cancelled') {
    return showStatusMessage(vscode.l10n.t('Cancelled {0}', nameTask(only.task)), 'circle-slash');
  }
  const reportedStatus = plainLine(reply?.rawStatus ?? vscode.l10n.t('accepted'), maxStatusLength);
  void notify(
    'info',
    vscode.l10n.t(
      'The gateway replied “{0}”. Current status of the task: {1}.',
      reportedStatus,
      describeCurrentStatus(services, only),
    ),
  );
}

/** Deletes tasks at the gateway, after a confirmation that lists the data stored here. The tasks remain in the list. */
async function deleteAtGateway(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the task to delete at the gateway');
  const chosen = await chooseTasks(services, row, selected, 'delete', title);
  const [only, ...others] = chosen;
  if (!only || !(await confirmDeletion(services, chosen))) return;
  if (others.length > 0) return deleteAll(services, chosen);
  await offerToRemove(services, describeDeletion(await services.tasks.deleteAtGateway(only.task)), chosen);
}

/** Removes tasks from the list without a request. Files are deleted only if the user chooses so. */
async function remove(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the task to remove from this list');
  const chosen = await chooseTasks(services, row, selected, 'remove', title);
  if (chosen.length === 0) return;
  const files = chosen.flatMap(({ task }) => task.results.flatMap(({ path }) => path ?? []));
  const removeOnly = vscode.l10n.t('Remove');
  const withFiles =
    files.length === 1
      ? vscode.l10n.t('Remove and Delete File')
      : vscode.l10n.t('Remove and Delete {0} Files', files.length);
  const answer = await confirm(
    vscode.l10n.t('Remove {0} from the list?', nameTasks(chosen)),
    describeRemovalEffect(chosen, files.length),
    removeOnly,
    ...(files.length > 0 ? [withFiles] : []),
  );
  if (answer === undefined) return;
  await removeAll(services, chosen);
  if (answer === withFiles) await deleteFiles(files);
}

/** Discards requests that were unsent when their window closed. The user has to confirm several requests. */
async function discard(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the request to discard');
  const chosen = await chooseTasks(services, row, selected, 'discard', title);
  if (chosen.length > 1) {
    const yes = vscode.l10n.t('Discard');
    const question = vscode.l10n.t('Discard {0} requests?', chosen.length);
    const detail = [listNames(chosen), vscode.l10n.t('They were not sent, so nothing was billed.')];
    if ((await confirm(question, detail.join('\n\n'), yes)) !== yes) return;
  }
  for (const { task } of chosen) await services.tasks.discard(task.key);
}

async function cancelAll(services: TaskServices, chosen: readonly TaskSelection[]): Promise<void> {
  const cancelLabel = vscode.l10n.t('Cancel {0}', formatTaskCount(chosen.length));
  const detail = [listNames(chosen), vscode.l10n.t('The parts created so far may be billed.')];
  const question = vscode.l10n.t('Cancel {0}?', formatTaskCount(chosen.length));
  if ((await confirm(question, detail.join('\n\n'), cancelLabel)) !== cancelLabel) return;
  const doing = vscode.l10n.t('Cancelling {0}…', formatTaskCount(chosen.length));
  const batch = await runBatch(doing, chosen, ({ task }) => services.tasks.cancel(task));
  if (batch.done.length > 0) {
    const now = tally(batch.done.map((each) => describeCurrentStatus(services, each.chosen)));
    void notify(
      'info',
      vscode.l10n.t(
        'The gateway received the request to cancel {0}. Current status: {1}.',
        formatTaskCount(batch.done.length),
        now,
      ),
    );
  }
  await showFailed('tasks.cancel', batch);
}

async function deleteAll(services: TaskServices, chosen: readonly TaskSelection[]): Promise<void> {
  const doing = vscode.l10n.t('Deleting {0}…', formatTaskCount(chosen.length));
  const batch = await runBatch(doing, chosen, ({ task }) => services.tasks.deleteAtGateway(task));
  const byOutcome = Map.groupBy(batch.done, ({ result }) =>
    typeof result === 'string' ? result : 'returned',
  );
  const findTasksWith = (outcome: 'deleted' | 'not-deleted' | 'unclear' | 'returned') =>
    (byOutcome.get(outcome) ?? []).map((each) => each.chosen);
  const deleted = findTasksWith('deleted');
  if (deleted.length > 0) {
    const count = formatTaskCount(deleted.length);
    const text = vscode.l10n.t('The gateway has deleted {0}. Local copies are not deleted.', count);
    void offerToRemove(services, text, deleted).catch((error) =>
      reportFailure(error, 'tasks.remove', services),
    );
  }
  warnIfAny(findTasksWith('not-deleted'), (tasks) =>
    vscode.l10n.t('The gateway accepted the deletion, but still has {0}.', listNames(tasks)),
  );
  warnIfAny(findTasksWith('unclear'), (tasks) =>
    vscode.l10n.t(
      'The gateway accepted the deletion, but it is unknown whether the gateway still has {0}.',
      listNames(tasks),
    ),
  );
  warnIfAny(findTasksWith('returned'), (tasks) =>
    vscode.l10n.t(
      'The gateway returned the tasks instead of deleting them. Current status: {0}.',
      tally(tasks.map((each) => describeCurrentStatus(services, each))),
    ),
  );
  await showFailed('tasks.delete', batch);
}

function warnIfAny(
  tasks: readonly TaskSelection[],
  describe: (tasks: readonly TaskSelection[]) => string,
): void {
  if (tasks.length > 0) void notify('warning', describe(tasks));
}

function describeDeletion(deletion: DeleteOutcome): string {
  if (deletion === 'deleted') {
    return vscode.l10n.t('The gateway has deleted the task. The local copy is not deleted.');
  }
  if (deletion === 'not-deleted') {
    return vscode.l10n.t(
      'The gateway accepted the deletion, but still has the task. The local copy is not deleted.',
    );
  }
  if (deletion === 'unclear') {
    return vscode.l10n.t(
      'The gateway accepted the deletion, but it is unknown whether the task still exists there. The local copy is not deleted.',
    );
  }
  const word = plainLine(deletion.rawStatus ?? '', maxStatusLength);
  return vscode.l10n.t('The gateway returned the task instead of deleting it: “{0}”.', word);
}

async function confirmDeletion(services: TaskServices, chosen: readonly TaskSelection[]): Promise<boolean> {
  const results = chosen.flatMap(({ task }) => task.results);
  const saved = results.filter(({ state }) => state === 'saved').length;
  const names = joinNames([...new Set(chosen.map(({ task }) => task.gatewayName))]);
  const yes = vscode.l10n.t('Delete at the Gateway');
  const saveFirst = vscode.l10n.t('Save Results, Then Delete');
  const answer = await confirm(
    vscode.l10n.t('Delete {0} at {1}?', nameTasks(chosen), names),
    describeDeletionEffect(chosen, saved, results.length),
    ...(saved < results.length ? [saveFirst] : []),
    yes,
  );
  return answer === saveFirst ? saveResults(services, chosen) : answer === yes;
}

function describeDeletionEffect(chosen: readonly TaskSelection[], saved: number, results: number): string {
  const isOne = chosen.length === 1;
  return [
    ...(isOne ? [] : [listNames(chosen)]),
    results === 0
      ? isOne
        ? vscode.l10n.t('It has no result to save.')
        : vscode.l10n.t('They have no results to save.')
      : vscode.l10n.t('Results saved here: {0} of {1}.', saved, results),
    isOne
      ? vscode.l10n.t('Its request, states and last record remain available here.')
      : vscode.l10n.t('Their requests, states and last records remain available here.'),
    isOne
      ? vscode.l10n.t('Usually it cannot be restored; this depends on the gateway.')
      : vscode.l10n.t('Usually they cannot be restored; this depends on the gateway.'),
  ].join('\n\n');
}

/**
 * Saves all results of these tasks.
 *
 * @returns whether all of them are saved
 */
async function saveResults({ tasks }: TaskServices, chosen: readonly TaskSelection[]): Promise<boolean> {
  await withStatusBarProgress(vscode.l10n.t('Saving results…'), async () => {
    for (const { task } of chosen) await tasks.downloadResults(task.key);
  });
  const now = chosen.flatMap(({ task }) => tasks.get(task.key)?.results ?? []);
  if (now.every(({ state }) => state === 'saved')) return true;
  void notify('warning', vscode.l10n.t('Some results could not be saved, so nothing was deleted.'));
  return false;
}

async function offerToRemove(
  services: TaskServices,
  text: string,
  chosen: readonly TaskSelection[],
): Promise<void> {
  const remove = vscode.l10n.t('Remove from This List');
  if ((await notify('info', text, remove)) === remove) await removeAll(services, chosen);
}

async function removeAll(
  { tasks, remoteTasks }: TaskServices,
  chosen: readonly TaskSelection[],
): Promise<void> {
  for (const { task } of chosen) {
    const { gateway, taskId, deletedAt } = tasks.get(task.key) ?? task;
    await tasks.remove(task.key);
    if (taskId !== undefined && deletedAt !== undefined) remoteTasks.drop(gateway, taskId);
  }
}

function describeRemovalEffect(chosen: readonly TaskSelection[], files: number): string {
  return [
    ...(chosen.length === 1 ? [] : [listNames(chosen)]),
    chosen.some(({ task }) => canRun(task))
      ? vscode.l10n.t('Running tasks are not cancelled at the gateway and may still be billed.')
      : vscode.l10n.t('Nothing is deleted at the gateway.'),
    ...(chosen.some(({ task }) => task.status === 'unknown')
      ? [
          vscode.l10n.t(
            'The outcome of a request is unknown. If you remove it, Model Gateway stops searching for its task.',
          ),
        ]
      : []),
    ...(files > 0 ? [formatRemainingFiles(files)] : []),
  ].join('\n\n');
}

async function deleteFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths.flatMap((each) => [each, `${each}.json`])) {
    await vscode.workspace.fs.delete(vscode.Uri.file(path), { useTrash: false }).then(undefined, () => {});
  }
}

/** Returns the name of one task, or the number of several tasks. */
function nameTasks(chosen: readonly TaskSelection[]): string {
  const [only, ...others] = chosen;
  return only && others.length === 0 ? `“${nameTask(only.task)}”` : formatTaskCount(chosen.length);
}

function listNames(chosen: readonly TaskSelection[]): string {
  return formatFirstNames(chosen.map(({ task }) => nameTask(task)));
}

/** Whether the gateway may still work on a task. */
function canRun({ status }: Task): boolean {
  return status === 'submitting' || status === 'unknown' || status === 'running';
}

/** The commands that end tasks, by their ids. */
export const taskEndCommands = {
  'tasks.cancel': cancel,
  'tasks.delete': deleteAtGateway,
  'tasks.remove': remove,
  'tasks.discard': discard,
} satisfies CommandTable<TaskServices>;

/** The outcome of an action on several tasks. A task in neither list was not started, because the user stopped. */
interface BatchResult<T> {
  readonly done: readonly { readonly chosen: TaskSelection; readonly result: T }[];
  readonly failed: readonly { readonly chosen: TaskSelection; readonly error: GatewayError }[];
}

/**
 * Runs `act` for one task after the other, until the user stops it. If a gateway is unreachable or refuses the
 * credential, its remaining tasks fail without a request.
 */
async function runBatch<T>(
  title: string,
  tasks: readonly TaskSelection[],
  act: (chosen: TaskSelection) => Promise<T>,
): Promise<BatchResult<T>> {
  const done: { chosen: TaskSelection; result: T }[] = [];
  const failed: { chosen: TaskSelection; error: GatewayError }[] = [];
  const failureByGateway = new Map<string, GatewayError>();
  await withNotificationProgress(title, async (signal) => {
    for (const chosen of tasks) {
      if (signal.aborted) return;
      const { gateway } = chosen.task;
      try {
        const failure = failureByGateway.get(gateway);
        if (failure) throw failure;
        done.push({ chosen, result: await act(chosen) });
      } catch (error) {
        if (!GatewayError.is(error)) throw error;
        failed.push({ chosen, error });
        if (error.kind === 'unreachable' || error.status === 401) failureByGateway.set(gateway, error);
      }
    }
  });
  return { done, failed };
}

/** Shows the number of failed tasks and the reason, and offers to repeat the action for them. */
async function showFailed(id: CommandId, { failed }: BatchResult<unknown>): Promise<void> {
  const [first] = failed;
  if (!first) return;
  const names = formatFirstNames(failed.map(({ chosen }) => nameTask(chosen.task)));
  const tryAgain = vscode.l10n.t('Try Again');
  const text = vscode.l10n.t(
    'The action failed for {0}: {1}. {2}',
    formatTaskCount(failed.length),
    names,
    formatFailure(failureMessage(first.error)),
  );
  if ((await notify('error', text, tryAgain)) !== tryAgain) return;
  const rows = failed.map(({ chosen }) => ({ kind: 'task', key: chosen.task.key }));
  await runCommand(id, rows[0], rows);
}
