import type * as vscode from 'vscode';
import type { TaskService } from '../tasks/taskService.ts';
import type { ChatOpening, ChatPanel } from './chat/chatPanel.ts';
import { Connection } from './connection/connection.ts';
import { Credentials } from './connection/credentials.ts';
import { Gateways } from './connection/gateways.ts';
import { LocalGateway } from './connection/localGateway.ts';
import { StatusBar } from './connection/statusBar.ts';
import type { CommandId } from './contributions.ts';
import type { GeneratePanel } from './generate/generatePanel.ts';
import { Log } from './log.ts';
import { ModelsView } from './models/modelsView.ts';
import { Panels } from './pages/panels.ts';
import { MediaViews } from './tasks/mediaViews.ts';
import { createTaskService } from './tasks/openTaskService.ts';
import { RemoteTasks } from './tasks/remoteTasks.ts';
import { TaskGateways } from './tasks/taskGateways.ts';
import { TaskNotices } from './tasks/taskNotices.ts';
import type { TaskOpening, TaskPanel } from './tasks/taskPanel.ts';
import { TasksView } from './tasks/tasksView.ts';

/** Everything the commands work with. */
export interface Services {
  readonly log: Log;
  readonly gateways: Gateways;
  readonly credentials: Credentials;
  readonly localGateway: LocalGateway;
  readonly connection: Connection;
  readonly chats: Panels<ChatPanel, ChatOpening>;
  readonly modelsView: ModelsView;
  readonly tasks: TaskService;
  readonly taskGateways: TaskGateways;
  readonly remoteTasks: RemoteTasks;
  readonly tasksView: TasksView;
  readonly taskPages: Panels<TaskPanel, TaskOpening>;
  readonly generatePages: Panels<GeneratePanel, object>;
}

/** A command: what it does with the services, given what VS Code passes along (a tree row, or nothing). */
export type Command = (services: Services, ...args: readonly unknown[]) => unknown;

/** A feature's commands by their ids. */
export type CommandTable = Readonly<Partial<Record<CommandId, Command>>>;

/** Builds the services from the ground up; VS Code disposes them with the extension. */
export function createServices(context: vscode.ExtensionContext): Services {
  const log = new Log();
  const gateways = new Gateways(context);
  const credentials = new Credentials(context, log);
  const localGateway = new LocalGateway(context, log);
  const connection = new Connection(context, gateways, credentials, localGateway, log);
  const modelsView = new ModelsView(connection);
  const taskGateways = new TaskGateways(connection, gateways, localGateway);
  const tasks = createTaskService(context, { taskGateways, gateways, credentials, log });
  const remoteTasks = new RemoteTasks(connection, tasks);
  const tasksView = new TasksView(tasks, remoteTasks, context.globalState);
  const media = new MediaViews();
  const panelContext = { extension: context.extensionUri, log };
  const chats = new Panels(panelContext, {
    name: 'chat',
    load: async () => (await import('./chat/chatPanel.ts')).chatPanels(context, connection, log),
  });
  const generatePages = new Panels(panelContext, {
    name: 'generate',
    restored: true,
    load: async () =>
      (await import('./generate/generatePanel.ts')).generatePanels(context, {
        connection,
        tasks,
        media,
        log,
      }),
  });
  const taskPages = new Panels(panelContext, {
    name: 'task',
    restored: true,
    load: async () => (await import('./tasks/taskPanel.ts')).taskPanels(tasks, media),
  });
  const taskNotices = new TaskNotices(tasks, taskPages);
  const statusBar = new StatusBar(connection, tasks);
  context.subscriptions.push(log, gateways, credentials, localGateway, connection, modelsView, taskGateways);
  context.subscriptions.push(
    remoteTasks,
    tasksView,
    media,
    chats,
    generatePages,
    taskPages,
    taskNotices,
    statusBar,
  );
  return {
    log,
    gateways,
    credentials,
    localGateway,
    connection,
    chats,
    modelsView,
    tasks,
    taskGateways,
    remoteTasks,
    tasksView,
    taskPages,
    generatePages,
  };
}
