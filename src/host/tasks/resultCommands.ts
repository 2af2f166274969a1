import { basename } from 'node:path';
import * as vscode from 'vscode';
import { saveCopy } from '../../tasks/results/resultKeep.ts';
import { taskText } from '../../wire/apis/taskRecord/text.ts';
import type { CommandTable } from '../kit/command.ts';
import { openInEditor } from '../kit/display/editors.ts';
import { notify } from '../kit/display/notify.ts';
import { withNotificationProgress } from '../kit/display/progress.ts';
import { showStatusMessage } from '../kit/display/statusBar.ts';
import { readableJson } from '../kit/readableJson.ts';
import { chosenFile, chosenRows, chosenTask, chosenTasks } from './taskSelection.ts';
import type { TaskServices } from './taskServices.ts';

/** Saves a copy of a result where the user wants it. */
async function save(services: TaskServices, row?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the result to save');
  const chosen = await chosenTask(services, row, 'save', title);
  const file = chosen && (await chosenFile(chosen, title));
  if (!file) return;
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const name = basename(file.path);
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save Result As'),
    defaultUri: folder ? vscode.Uri.joinPath(folder.uri, name) : vscode.Uri.file(file.path),
  });
  if (!target || target.fsPath === file.path) return;
  await saveTo(file.path, target);
  showStatusMessage(vscode.l10n.t('Saved {0}', basename(target.path)));
}

/**
 * Saves a copy. On this machine it replaces an existing file only when complete; VS Code writes to other file
 * systems.
 */
async function saveTo(path: string, target: vscode.Uri): Promise<void> {
  if (target.scheme !== 'file') {
    await vscode.workspace.fs.copy(vscode.Uri.file(path), target, { overwrite: true });
    return;
  }
  await saveCopy(path, target.fsPath);
}

/** Shows the file in the system's file manager, or its path where there is no file manager. */
async function reveal(services: TaskServices, row?: unknown): Promise<void> {
  const file = await fileOf(services, row, vscode.l10n.t('Choose the Result to Reveal'));
  if (file === undefined) return;
  if (vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined) {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(file));
    return;
  }
  const copy = vscode.l10n.t('Copy Path');
  const picked = await notify('info', vscode.l10n.t('The result is saved at {0}', file), copy);
  if (picked === copy) await vscode.env.clipboard.writeText(file);
}

/** Opens the file with the system's player, or with VS Code's preview in a remote window. */
async function openInPlayer(services: TaskServices, row?: unknown): Promise<void> {
  const file = await fileOf(services, row, vscode.l10n.t('Choose the Result to Open'));
  if (file === undefined) return;
  const uri = vscode.Uri.file(file);
  const local = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (!local || !(await vscode.env.openExternal(uri))) await openInEditor(uri);
}

/** Downloads results that are not saved. */
async function fetchResult(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Download the results of which task?');
  const chosen = await chosenTasks(services, row, selected, 'fetch-again', title);
  if (chosen.length === 0) return;
  await withNotificationProgress(vscode.l10n.t('Downloading…'), async (signal) => {
    for (const { task } of chosen) await services.tasks.fetchResults(task.key, signal);
  });
}

async function stopFetching(services: TaskServices, row?: unknown): Promise<void> {
  const chosen = await chosenTask(services, row, undefined, vscode.l10n.t('Choose the download to stop'));
  for (const { index, state } of chosen?.task.results ?? []) {
    const meant = chosen?.result === undefined || chosen.result === index;
    if (chosen && meant && state === 'fetching') services.tasks.stopFetching(chosen.task.key, index);
  }
}

/** Copies the address of a result. The address alone may give access. */
async function copyLink(services: TaskServices, row?: unknown): Promise<void> {
  const chosen = await chosenTask(
    services,
    row,
    undefined,
    vscode.l10n.t('Choose the task whose address to copy'),
  );
  const result = chosen?.task.results.find(({ index }) => index === (chosen.result ?? 0));
  if (result && result.url !== 'inline') await copy(result.url);
}

/** Copies the ids of tasks, one a line, also of tasks that are not in the ledger. */
async function copyId(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const rows = chosenRows(services, row, selected);
  const remote = rows.flatMap((each) => (each.kind === 'remote' ? each.task.id : []));
  const title = vscode.l10n.t('Choose the task ID to copy');
  const isRemoteOnly = remote.length > 0 && remote.length === rows.length;
  const own = isRemoteOnly ? [] : await chosenTasks(services, row, selected, 'copy-task-id', title);
  await copyLines([...own.map(({ task }) => task.taskId), ...remote]);
}

/** Copies the request ids of tasks, one a line. */
async function copyRequestId(services: TaskServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the request ID to copy');
  const chosen = await chosenTasks(services, row, selected, 'copy-request-id', title);
  await copyLines(chosen.map(({ task }) => task.requestId));
}

async function copyRequest(services: TaskServices, row?: unknown): Promise<void> {
  const chosen = await chosenTask(services, row, 'copy-request', vscode.l10n.t('Choose the request to copy'));
  const request = chosen && services.tasks.history(chosen.task.key)?.request;
  await copy(request && JSON.stringify(request, null, 2));
}

async function copyRecord(services: TaskServices, row?: unknown): Promise<void> {
  const chosen = await chosenTask(
    services,
    row,
    'copy-record',
    vscode.l10n.t('Choose the task whose record to copy'),
  );
  const record = chosen && services.tasks.history(chosen.task.key)?.record;
  await copy(record === undefined ? undefined : readableJson(record));
}

async function copyText(services: TaskServices, row?: unknown): Promise<void> {
  const chosen = await chosenTask(
    services,
    row,
    undefined,
    vscode.l10n.t('Choose the task whose text to copy'),
  );
  const record = chosen && services.tasks.history(chosen.task.key)?.record;
  await copy(taskText(record));
}

async function fileOf(services: TaskServices, row: unknown, title: string): Promise<string | undefined> {
  const chosen = await chosenTask(services, row, 'reveal', title);
  return chosen && (await chosenFile(chosen, title))?.path;
}

async function copyLines(lines: readonly (string | undefined)[]): Promise<void> {
  await copy(lines.filter(Boolean).join('\n'));
}

async function copy(text: string | undefined): Promise<void> {
  if (!text) return;
  await vscode.env.clipboard.writeText(text);
  showStatusMessage(vscode.l10n.t('Copied'));
}

/** The commands for the results and data of tasks, by their ids. */
export const taskResultCommands = {
  'tasks.save': save,
  'tasks.reveal': reveal,
  'tasks.openInPlayer': openInPlayer,
  'tasks.fetchResult': fetchResult,
  'tasks.stopFetching': stopFetching,
  'tasks.copyId': copyId,
  'tasks.copyRequestId': copyRequestId,
  'tasks.copyRequest': copyRequest,
  'tasks.copyRecord': copyRecord,
  'tasks.copyText': copyText,
  'tasks.copyLink': copyLink,
} satisfies CommandTable<TaskServices>;
