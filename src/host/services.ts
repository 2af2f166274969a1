import type * as vscode from 'vscode';
import { Connection } from './connection.ts';
import { Credentials } from './credentials.ts';
import { LocalGateway } from './localGateway.ts';
import { Log } from './log.ts';
import { ModelMemory } from './modelMemory.ts';
import { ChatPanels } from './panels/chatPanels.ts';
import { Profiles } from './profiles.ts';
import { StyleChoice } from './styleChoice.ts';
import { ModelsView } from './views/modelsView.ts';
import { StatusBar } from './views/statusBar.ts';

/** Everything the commands work with. */
export interface Services {
  readonly log: Log;
  readonly profiles: Profiles;
  readonly credentials: Credentials;
  readonly localGateway: LocalGateway;
  readonly connection: Connection;
  readonly chats: ChatPanels;
  readonly modelsView: ModelsView;
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
  const statusBar = new StatusBar(connection);
  context.subscriptions.push(log, profiles, localGateway, connection, chats, modelsView, statusBar);
  return { log, profiles, credentials, localGateway, connection, chats, modelsView };
}
