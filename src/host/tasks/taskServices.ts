import * as vscode from 'vscode';
import type { UpkeepRequests } from '../../storage/upkeep/upkeepRequests.ts';
import { RequestWorker } from '../../storage/worker/requestWorker.ts';
import { TaskService } from '../../tasks/taskService.ts';
import type { ChatServices } from '../chat/chatServices.ts';
import type { Credentials } from '../connection/credentials.ts';
import type { Gateways } from '../connection/gateways.ts';
import type { Log } from '../kit/display/log.ts';
import { disposeWithExtension } from '../kit/kitServices.ts';
import { readFolder } from '../kit/manifest/settings.ts';
import { OpenTabs, onlyPage } from '../kit/pages/openTabs.ts';
import { Panels } from '../kit/pages/panels.ts';
import type { SpendingCounter } from '../models/spendingCounter.ts';
import { GatewayStatusItem } from './gatewayStatusItem.ts';
import type { GeneratePanel } from './generate/generatePanel.ts';
import { showLedgerNotice } from './purchase/ledgerMessages.ts';
import { RemoteTasks } from './remoteTasks.ts';
import { MediaViews } from './task/mediaViews.ts';
import { TaskGateways } from './task/taskGateways.ts';
import { readPollOptions } from './task/taskSettings.ts';
import { TaskNotices } from './taskNotices.ts';
import type { TaskOpening, TaskPanel } from './taskPanel.ts';
import { TasksView } from './tasksView.ts';

export interface TaskServices extends ChatServices {
  readonly tasks: TaskService;
  readonly taskGateways: TaskGateways;
  readonly remoteTasks: RemoteTasks;
  readonly tasksView: TasksView;
  readonly taskPages: Panels<TaskPanel, TaskOpening>;
  readonly openTasks: OpenTabs<TaskPanel>;
  readonly generatePages: Panels<GeneratePanel, object>;
  readonly openForm: OpenTabs<GeneratePanel>;
}

export function createTaskServices(
  context: vscode.ExtensionContext,
  chatServices: ChatServices,
): TaskServices {
  const { connection, gateways, localGateway, credentials, modelChoices, spending, log, memory } =
    chatServices;
  const taskGateways = disposeWithExtension(context, new TaskGateways(connection, gateways, localGateway));
  const tasks = createTaskService(context, { taskGateways, gateways, credentials, spending, log });
  const remoteTasks = disposeWithExtension(context, new RemoteTasks(connection, tasks));
  const tasksView = disposeWithExtension(context, new TasksView(tasks, remoteTasks, memory));
  const media = disposeWithExtension(context, new MediaViews());
  // Disposed before the pages, so that the record of tabs to reopen still contains them.
  const openTasks = disposeWithExtension(
    context,
    new OpenTabs<TaskPanel>(context.workspaceState, {
      name: 'task',
      memoryKey: 'openTasks',
      readId: ({ key }) => key,
      createState: (key) => ({ key }),
    }),
  );
  const openForm = disposeWithExtension(
    context,
    new OpenTabs<GeneratePanel>(context.workspaceState, {
      name: 'generate',
      memoryKey: 'openGenerate',
      readId: () => onlyPage,
      createState: () => ({}),
    }),
  );
  const panelContext = { extension: context.extensionUri, log };
  const generatePages: TaskServices['generatePages'] = disposeWithExtension(
    context,
    new Panels(panelContext, {
      name: 'generate',
      tabs: openForm,
      load: async () =>
        (await import('./generate/generatePanel.ts')).describeGeneratePanel(context, {
          connection,
          modelChoices,
          tasks,
          media,
          log,
        }),
    }),
  );
  const taskPages: TaskServices['taskPages'] = disposeWithExtension(
    context,
    new Panels(panelContext, {
      name: 'task',
      tabs: openTasks,
      load: async () => (await import('./taskPanel.ts')).describeTaskPanels(tasks, media),
    }),
  );
  const isTaskOnScreen = (key: string) =>
    taskPages.all.some((page) => page.panel.visible && page.key === key) ||
    generatePages.all.some((page) => page.panel.visible && page.isShowing(key)) ||
    tasksView.isRowVisible(key);
  disposeWithExtension(context, new TaskNotices(tasks, isTaskOnScreen));
  disposeWithExtension(context, new GatewayStatusItem(connection, tasks));
  return {
    ...chatServices,
    tasks,
    taskGateways,
    remoteTasks,
    tasksView,
    taskPages,
    openTasks,
    generatePages,
    openForm,
  };
}

interface TaskServiceContext {
  readonly taskGateways: TaskGateways;
  readonly gateways: Gateways;
  readonly credentials: Credentials;
  readonly spending: SpendingCounter;
  readonly log: Log;
}

/** Creates the task service, with the ledger in the extension's storage and the user's settings. */
function createTaskService(
  { extensionUri, globalStorageUri, subscriptions }: vscode.ExtensionContext,
  { taskGateways, gateways, credentials, spending, log }: TaskServiceContext,
): TaskService {
  const results = vscode.Uri.joinPath(globalStorageUri, 'results').fsPath;
  const file = vscode.Uri.joinPath(globalStorageUri, 'tasks.sqlite').fsPath;
  const program = vscode.Uri.joinPath(extensionUri, 'dist', 'tasksWorker.js').fsPath;
  const worker = new RequestWorker<UpkeepRequests>({ program, data: { file } });
  const tasks = new TaskService({
    file,
    worker,
    resultsFolder: () => readFolder('tasks.resultsFolder') ?? results,
    pollOptions: readPollOptions,
    gateways: taskGateways,
    log,
    onEnd: (requestId, snapshot) => spending.taskEnded(requestId, snapshot),
    onNotice: (notice) => void showLedgerNotice(notice),
  });
  subscriptions.push(
    { dispose: () => void worker.close() },
    gateways.onDidChange(() => tasks.resumeGateways()),
    credentials.onDidChange(() => tasks.resumeGateways()),
    taskGateways.onDidAcceptRequest((gateway) => tasks.resumeAccount(gateway)),
  );
  return tasks;
}
