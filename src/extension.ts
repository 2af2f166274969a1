import * as vscode from 'vscode';
import { errorMessage } from './base/errors.ts';
import { registerTools } from './host/agents/languageModelTools/registerTools.ts';
import { openLanguageModels } from './host/agents/openLanguageModels.ts';
import { registerParticipant } from './host/agents/participant/registerParticipant.ts';
import { registerCommands } from './host/app/commands.ts';
import { createServices, type Services } from './host/app/services.ts';
import { openChat } from './host/chat/commands/openChat.ts';
import { runCommand, viewId } from './host/kit/manifest/contributions.ts';

let services: Services | undefined;

/**
 * Builds the services, registers commands, tools and participant, and goes on with tasks that were left running. Sends nothing
 * where there are none: everything else waits for the user.
 *
 * @returns the services to a test run inside VS Code, and nothing to anybody else.
 */
export function activate(context: vscode.ExtensionContext): Services | undefined {
  services = createServices(context);
  registerCommands(context, services);
  context.subscriptions.push(openLanguageModels(services));
  registerTools(context, services);
  registerParticipant(context, services);
  void resumeTasks(services);
  void openLostTabs(services);
  if (services.localGateway.isProvided && !services.openChats.wereLeft) void showProvidedGateway();
  return context.extensionMode === vscode.ExtensionMode.Test ? services : undefined;
}

/** Keeps what is left of chats, and lets another window go on with the tasks. VS Code waits a few seconds for it. */
export async function deactivate(): Promise<void> {
  await Promise.all([
    services?.tasks.dispose(),
    services?.conversations.dispose(),
    services?.keptFailures.close(),
  ]);
}

async function resumeTasks({ tasks, log }: Services): Promise<void> {
  await tasks.start().catch((error) => log.error('task', errorMessage(error)));
}

/** Brings back the tabs that VS Code did not save in time. A page that cannot be read leaves the others alone. */
async function openLostTabs(services: Services): Promise<void> {
  const { openChats, openTasks, openForm, taskPages, generatePages, log } = services;
  const told = (error: unknown) => log.error('page', errorMessage(error));
  const place = (column?: vscode.ViewColumn) => ({ preserveFocus: true, column });
  await openChats.openLost((id, column) => openChat(services, id, place(column)).catch(told));
  await openTasks.openLost((key, column) => taskPages.openAgain({ key }, place(column)).catch(told));
  await openForm.openLost((_, column) => generatePages.openAgain({}, place(column)).catch(told));
}

/** `npm start` brings its own gateway: a window without chats opens with its models and one. */
async function showProvidedGateway(): Promise<void> {
  await vscode.commands.executeCommand(`${viewId('models')}.focus`);
  await runCommand('useLocalGateway');
}
