import * as vscode from 'vscode';
import { errorMessage } from './base/errors.ts';
import { registerTools } from './host/agents/languageModelTools/registerTools.ts';
import { registerParticipant } from './host/agents/participant/registerParticipant.ts';
import { registerModelProvider } from './host/agents/registerModelProvider.ts';
import { registerCommands } from './host/app/commands.ts';
import { createServices, type Services } from './host/app/services.ts';
import { openChat } from './host/chat/tab/openChat.ts';
import { runCommand, showView } from './host/kit/manifest/contributions.ts';

let services: Services | undefined;

/**
 * Creates the services, registers the commands, the tools and the participant, and resumes watching tasks. Without
 * running tasks, no request is sent until the user acts.
 *
 * @returns the services in a test run; otherwise undefined
 */
export function activate(context: vscode.ExtensionContext): Services | undefined {
  services = createServices(context);
  registerCommands(context, services);
  registerModelProvider(context, services);
  registerTools(context, services);
  registerParticipant(context, services);
  void resumeTasks(services);
  void openLostTabs(services);
  if (services.localGateway.isProvided && !services.openChats.hasPreviousTabs) void showProvidedGateway();
  return context.extensionMode === vscode.ExtensionMode.Test ? services : undefined;
}

/** Stores unsaved chats, and releases the tasks for other windows. VS Code waits a few seconds for this. */
export async function deactivate(): Promise<void> {
  await Promise.all([
    services?.tasks.dispose(),
    services?.conversations.dispose(),
    services?.storedFailures.close(),
    services?.spending.close(),
  ]);
}

async function resumeTasks({ tasks, log }: Services): Promise<void> {
  await tasks.start().catch((error) => log.error('task', errorMessage(error)));
}

/** Reopens the tabs that VS Code did not save in time. If one cannot be read, the others are opened anyway. */
async function openLostTabs(services: Services): Promise<void> {
  const { openChats, openTasks, openForm, taskPages, generatePages, log } = services;
  const logError = (error: unknown) => log.error('page', errorMessage(error));
  const locationIn = (column?: vscode.ViewColumn) => ({ preserveFocus: true, column });
  await openChats.reopenLost((id, column) => openChat(services, id, locationIn(column)).catch(logError));
  await openTasks.reopenLost((key, column) => taskPages.reopen({ key }, locationIn(column)).catch(logError));
  await openForm.reopenLost((_, column) => generatePages.reopen({}, locationIn(column)).catch(logError));
}

/** `npm start` provides a gateway: a window without chats shows its models and uses it. */
async function showProvidedGateway(): Promise<void> {
  await showView('models');
  await runCommand('useLocalGateway');
}
