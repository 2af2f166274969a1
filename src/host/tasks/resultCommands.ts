import { basename } from 'node:path';
import * as vscode from 'vscode';
import { saveCopy } from '../../tasks/results/resultFile.ts';
import { readTaskText } from '../../wire/apis/taskRecord/taskText.ts';
import { openInEditor } from '../kit/display/editors.ts';
import { notify } from '../kit/display/notify.ts';
import { withNotificationProgress } from '../kit/display/progress.ts';
import { pick } from '../kit/display/quickInput.ts';
import { showStatusMessage } from '../kit/display/statusBar.ts';
import { isLocalWindow } from '../kit/localWindow.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { formatReadableJson } from '../kit/readableJson.ts';
import { createTaskButton, type TaskActionId } from './task/taskActions.ts';
import {
  chooseSavedFile,
  chooseTask,
  chooseTasks,
  listChosenRows,
  type TaskSelection,
} from './taskSelection.ts';
import type { TaskServices } from './taskServices.ts';

/** Saves a copy of a result in a file that the user chooses. */
async function save(services: TaskServices, row?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the result to save');
  const chosen = await chooseTask(services, row, 'save', title);
  const file = chosen && (await chooseSavedFile(chosen, title));
  if (!file) return;
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const name = basename(file.path);
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save Result As'),
    defaultUri: folder ? vscode.Uri.joinPath(folder.uri, name) : vscode.Uri.file(file.path),
  });
  if (!target || target.fsPath === file.path) return;
  // A local copy replaces an existing file only when the copy is complete.
  if (target.scheme === 'file') await saveCopy(file.path, target.fsPath);
  else await vscode.workspace.fs.copy(vscode.Uri.file(file.path), target, { overwrite: true });
  showStatusMessage(vscode.l10n.t('Saved {0}', basename(target.path)));
}

/** Shows the file in the system's file manager, or its path if there is no file manager. */
async function reveal(services: TaskServices, row?: unknown): Promise<void> {
  const file = await chooseFile(services, row, vscode.l10n.t('Choose the Result to Reveal'));
  if (file === undefined) return;
  if (isLocalWindow()) {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(file));
    return;
  }
  const copy = vscode.l10n.t('Copy Path');
  const answer = await notify('info', vscode.l10n.t('The result is saved at {0}', file), copy);
  if (answer === copy) await vscode.env.clipboard.writeText(file);
}

/** Opens the file with the system's player, or with VS Code's preview in a remote window. */
async function openInPlayer(services: TaskServices, row?: unknown): Promise<void> {
  const file = await chooseFile(services, row, vscode.l10n.t('Choose the Result to Open'));
  if (file === undefined) return;
  const uri = vscode.Uri.file(file);
  if (!isLocalWindow() || !(await vscode.env.openExternal(uri))) await openInEditor(uri);
}

/** Downloads the results of tasks that are not saved. */
async function downloadResult(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the task to download results for');
  const chosen = await chooseTasks(services, row, selected, 'download-again', title);
  if (chosen.length === 0) return;
  await withNotificationProgress(vscode.l10n.t('Downloading…'), async (signal) => {
    for (const { task } of chosen) await services.tasks.downloadResults(task.key, signal);
  });
}

async function stopDownload(services: TaskServices, row?: unknown): Promise<void> {
  const chosen = await chooseTask(services, row, undefined, vscode.l10n.t('Choose the download to stop'));
  for (const { index, state } of chosen?.task.results ?? []) {
    const isChosen = chosen?.result === undefined || chosen.result === index;
    if (chosen && isChosen && state === 'downloading') services.tasks.stopDownload(chosen.task.key, index);
  }
}

/** The readers of a task's values that can be copied, in the order of the choices. */
const copyReaders = {
  'copy-task-id': (_, { task }) => task.taskId,
  'copy-request-id': (_, { task }) => task.requestId,
  'copy-request': ({ tasks }, { task }) => {
    const request = tasks.readHistory(task.key)?.request;
    return request && JSON.stringify(request, null, 2);
  },
  'copy-record': ({ tasks }, { task }) => {
    const record = tasks.readHistory(task.key)?.record;
    return record === undefined ? undefined : formatReadableJson(record);
  },
  'copy-text': ({ tasks }, { task }) => readTaskText(tasks.readHistory(task.key)?.record),
  // The address alone may give access.
  'open-link': (_, { task, result }) => {
    const url = task.results.find(({ index }) => index === (result ?? 0))?.url;
    return url === 'inline' ? undefined : url;
  },
} satisfies Partial<
  Record<TaskActionId, (services: TaskServices, chosen: TaskSelection) => string | undefined>
>;

type CopyId = keyof typeof copyReaders;

const idCopies: readonly CopyId[] = ['copy-task-id', 'copy-request-id'];

/**
 * Copies a value of the tasks in the command's argument, or of a task that the user picks. For several tasks it
 * copies the ids, one per line, including tasks that are not in the ledger.
 */
async function copyTask(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const rows = listChosenRows(services, row, selected);
  const remote = rows.flatMap((each) => (each.kind === 'remote' ? each.task.id : []));
  const isRemoteOnly = remote.length > 0 && remote.length === rows.length;
  const title = vscode.l10n.t('Choose the task to copy from');
  const ownSelections = isRemoteOnly ? [] : await chooseTasks(services, row, selected, undefined, title);
  if (ownSelections.length + remote.length === 0) return;
  const readText = (id: CopyId) =>
    [
      ...ownSelections.map((each) => copyReaders[id](services, each)),
      ...(id === 'copy-task-id' ? remote : []),
    ]
      .filter(Boolean)
      .join('\n');
  const { action } = (row ?? {}) as { readonly action?: unknown };
  const offeredIds =
    ownSelections.length + remote.length === 1 ? (Object.keys(copyReaders) as readonly CopyId[]) : idCopies;
  const chosen = isCopyId(action) ? action : await pickCopy(offeredIds.filter((id) => readText(id) !== ''));
  const text = chosen && readText(chosen);
  if (!text) return;
  await vscode.env.clipboard.writeText(text);
  showStatusMessage(vscode.l10n.t('Copied'));
}

function isCopyId(action: unknown): action is CopyId {
  return typeof action === 'string' && Object.hasOwn(copyReaders, action);
}

/** Lets the user pick a value to copy, unless there is only one choice. */
async function pickCopy(offered: readonly CopyId[]): Promise<CopyId | undefined> {
  if (offered.length < 2) return offered[0];
  const items = offered.map((id) => ({ id, label: createTaskButton(id).label }));
  return (await pick(items, { title: vscode.l10n.t('Choose what to copy') }))?.id;
}

async function chooseFile(services: TaskServices, row: unknown, title: string): Promise<string | undefined> {
  const chosen = await chooseTask(services, row, 'reveal', title);
  return chosen && (await chooseSavedFile(chosen, title))?.path;
}

/** The commands for the results and data of tasks, by their ids. */
export const taskResultCommands = {
  'tasks.save': save,
  'tasks.reveal': reveal,
  'tasks.openInPlayer': openInPlayer,
  'tasks.downloadResult': downloadResult,
  'tasks.stopDownload': stopDownload,
  'tasks.copy': copyTask,
} satisfies CommandTable<TaskServices>;
