import type * as vscode from 'vscode';
import { Connection } from './connection.ts';
import { Credentials } from './credentials.ts';
import { FormMemory } from './formMemory.ts';
import { LocalGateway } from './localGateway.ts';
import { Log } from './log.ts';
import { ModelMemory } from './modelMemory.ts';
import { ChatPanels } from './panels/chatPanels.ts';
import { GeneratePanels } from './panels/generatePanels.ts';
import { TaskPanels } from './panels/taskPanels.ts';
import { Profiles } from './profiles.ts';
import { StyleChoice } from './styleChoice.ts';
import { Elsewhere } from './tasks/elsewhere.ts';
import { MediaViews } from './tasks/mediaViews.ts';
import { TaskGateways } from './tasks/taskGateways.ts';
import { TaskNotices } from './tasks/taskNotices.ts';
import { Tasks } from './tasks/tasks.ts';
import { ModelsView } from './views/modelsView.ts';
import { StatusBar } from './views/statusBar.ts';
import { TasksView } from './views/tasksView.ts';

/** Everything the commands work with. */
export interface Services {
  readonly log: Log;
  readonly profiles: Profiles;
  readonly credentials: Credentials;
  readonly localGateway: LocalGateway;
  readonly connection: Connection;
  readonly chats: ChatPanels;
  readonly modelsView: ModelsView;
  readonly tasks: Tasks;
  readonly taskGateways: TaskGateways;
  readonly elsewhere: Elsewhere;
  readonly tasksView: TasksView;
  readonly taskPages: TaskPanels;
  readonly generatePages: GeneratePanels;
}

/** Builds the services from the ground up; VS Code disposes them with the extension. */
export function createServices(context: vscode.ExtensionContext): Services {
  const log = new Log();
  const profiles = new Profiles(context);
  const credentials = new Credentials(context, log);
  const localGateway = new LocalGateway(context, log);
  const connection = new Connection(context, profiles, credentials, localGateway, log);
  const chats = new ChatPanels(context, connection, new ModelMemory(context), new StyleChoice(context), log);
  const modelsView = new ModelsView(connection);
  const taskGateways = new TaskGateways(connection, profiles, localGateway);
  const tasks = new Tasks(context, taskGateways, profiles, credentials, log);
  const elsewhere = new Elsewhere(connection, tasks);
  const tasksView = new TasksView(tasks, elsewhere, context.globalState);
  const media = new MediaViews();
  const taskPages = new TaskPanels(context, tasks, media, log);
  const generatePages = new GeneratePanels(
    context,
    { connection, tasks, media, log },
    new FormMemory(context),
  );
  const taskNotices = new TaskNotices(tasks, taskPages);
  const statusBar = new StatusBar(connection, tasks);
  context.subscriptions.push(log, profiles, credentials, localGateway, connection, chats, modelsView);
  context.subscriptions.push(
    taskGateways,
    elsewhere,
    tasksView,
    taskPages,
    generatePages,
    media,
    taskNotices,
    statusBar,
  );
  return {
    log,
    profiles,
    credentials,
    localGateway,
    connection,
    chats,
    modelsView,
    tasks,
    taskGateways,
    elsewhere,
    tasksView,
    taskPages,
    generatePages,
  };
}
