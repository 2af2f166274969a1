import * as vscode from 'vscode';
import { reportFailure } from '../connection/failures/notifyFailure.ts';
import { loadPart } from '../kit/loadPart.ts';
import { withMissingRow } from '../kit/manifest/command.ts';
import {
  type CommandId,
  commandId,
  commandName,
  runCommand,
  untitledCommands,
} from '../kit/manifest/contributions.ts';
import type { Services } from './services.ts';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

/**
 * Registers the commands of the manifest and the commands without a title. All are registered from the start, in any
 * state of the gateway.
 */
export function registerCommands(context: vscode.ExtensionContext, services: Services): void {
  const { contributes }: Manifest = context.extension.packageJSON;
  const titledCommands = contributes.commands.map(({ command }) => command);
  for (const command of [...titledCommands, ...untitledCommands.map(commandName)]) {
    const run = (...args: readonly unknown[]) =>
      runAndReport(commandId(command), services, withMissingRow(args));
    context.subscriptions.push(vscode.commands.registerCommand(command, run));
  }
}

/** Runs a command. Logs an error, and shows it with suggested actions. */
async function runAndReport(id: CommandId, services: Services, args: readonly unknown[]): Promise<void> {
  services.usedViews.recordUse(id);
  try {
    const { commandTable } = await loadPart(() => import('./commandTable.ts'));
    await commandTable[id](services, ...args);
  } catch (error) {
    await reportFailure(error, id, services, () => void runCommand(id, ...args));
  }
}
