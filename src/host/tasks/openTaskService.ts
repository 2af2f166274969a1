import * as vscode from 'vscode';
import { TaskService } from '../../tasks/taskService.ts';
import { LedgerWorker } from '../../tasks/worker/ledgerWorker.ts';
import type { Credentials } from '../connection/credentials.ts';
import type { Gateways } from '../connection/gateways.ts';
import type { Log } from '../kit/display/log.ts';
import { readFolder } from '../kit/settings.ts';
import { showLedgerNotice } from './ledgerMessages.ts';
import type { TaskGateways } from './taskGateways.ts';
import { readPollOptions } from './taskSettings.ts';

interface TaskServiceContext {
  readonly taskGateways: TaskGateways;
  readonly gateways: Gateways;
  readonly credentials: Credentials;
  readonly log: Log;
}

/** Creates the task service, with the ledger in the extension's storage and the user's settings. */
export function createTaskService(
  { extensionUri, globalStorageUri, subscriptions }: vscode.ExtensionContext,
  { taskGateways, gateways, credentials, log }: TaskServiceContext,
): TaskService {
  const results = vscode.Uri.joinPath(globalStorageUri, 'results').fsPath;
  const file = vscode.Uri.joinPath(globalStorageUri, 'tasks.sqlite').fsPath;
  const program = vscode.Uri.joinPath(extensionUri, 'dist', 'tasksWorker.js').fsPath;
  const worker = new LedgerWorker(program, { file });
  const tasks = new TaskService({
    ...{ file, worker },
    resultsFolder: () => readFolder('tasks.resultsFolder') ?? results,
    pollOptions: readPollOptions,
    gateways: taskGateways,
    log,
    onNotice: (notice) => void showLedgerNotice(notice),
  });
  subscriptions.push(
    { dispose: () => void worker.close() },
    gateways.onDidChange(() => tasks.gatewaysChanged()),
    credentials.onDidChange(() => tasks.gatewaysChanged()),
    taskGateways.onDidAnswer((gateway) => tasks.gatewayAnswered(gateway)),
  );
  return tasks;
}
