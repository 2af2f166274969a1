import type * as vscode from 'vscode';
import type { TaskService } from '../../tasks/taskService.ts';
import type { ChatServices } from '../chat/chatServices.ts';
import { StatusBar } from '../connection/statusBar.ts';
import { own } from '../kit/kitServices.ts';
import { OpenTabs, onlyPage } from '../kit/pages/openTabs.ts';
import { Panels } from '../kit/pages/panels.ts';
import type { GeneratePanel } from './generate/generatePanel.ts';
import { MediaViews } from './mediaViews.ts';
import { createTaskService } from './openTaskService.ts';
import { RemoteTasks } from './remoteTasks.ts';
import { TaskGateways } from './taskGateways.ts';
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

export function createTaskServices(context: vscode.ExtensionContext, below: ChatServices): TaskServices {
  const { connection, gateways, localGateway, credentials, modelNotes, log, memory } = below;
  const taskGateways = own(context, new TaskGateways(connection, gateways, localGateway));
  const tasks = createTaskService(context, { taskGateways, gateways, credentials, log });
  const remoteTasks = own(context, new RemoteTasks(connection, tasks));
  const tasksView = own(context, new TasksView(tasks, remoteTasks, memory));
  const media = own(context, new MediaViews());
  // Disposed before the pages, which are to open again after this window.
  const openTasks = own(
    context,
    new OpenTabs<TaskPanel>(context.workspaceState, {
      ...{ name: 'task', memoryKey: 'openTasks' },
      idOf: ({ key }) => key,
    }),
  );
  const openForm = own(
    context,
    new OpenTabs<GeneratePanel>(context.workspaceState, {
      ...{ name: 'generate', memoryKey: 'openGenerate' },
      idOf: () => onlyPage,
    }),
  );
  const panelContext = { extension: context.extensionUri, log };
  const generatePages: TaskServices['generatePages'] = own(
    context,
    new Panels(panelContext, {
      name: 'generate',
      tabs: openForm,
      load: async () =>
        (await import('./generate/generatePanel.ts')).generatePanels(context, {
          connection,
          modelNotes,
          tasks,
          media,
          log,
        }),
    }),
  );
  const taskPages: TaskServices['taskPages'] = own(
    context,
    new Panels(panelContext, {
      name: 'task',
      tabs: openTasks,
      load: async () => (await import('./taskPanel.ts')).taskPanels(tasks, media),
    }),
  );
  const isTaskOnScreen = (key: string) =>
    taskPages.all.some((page) => page.panel.visible && page.key === key) ||
    generatePages.all.some((page) => page.panel.visible && page.shows(key)) ||
    tasksView.shows(key);
  own(context, new TaskNotices(tasks, isTaskOnScreen));
  own(context, new StatusBar(connection, tasks));
  return {
    ...below,
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
