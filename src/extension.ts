import * as vscode from 'vscode';
import { registerCommands } from './host/commands/registry.ts';
import { modelsViewId, runCommand } from './host/contributions.ts';
import { createServices, type Services } from './host/services.ts';

/**
 * Builds the services and registers the commands. Sends nothing and reads no file: that waits for the user.
 *
 * @returns the services to a test run inside VS Code, and nothing to anybody else.
 */
export function activate(context: vscode.ExtensionContext): Services | undefined {
  const services = createServices(context);
  registerCommands(context, services);
  if (services.localGateway.isProvided) void showProvidedGateway();
  return context.extensionMode === vscode.ExtensionMode.Test ? services : undefined;
}

/** `npm start` brings its own gateway: the window opens with its models and a chat. */
async function showProvidedGateway(): Promise<void> {
  await vscode.commands.executeCommand(`${modelsViewId}.focus`);
  await runCommand('useDemoGateway');
}
