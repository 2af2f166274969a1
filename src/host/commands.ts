import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../base/errors.ts';
import { GatewayError } from '../wire/failure.ts';
import { type CommandId, commandId, runCommand } from './contributions.ts';
import { notify } from './display/notify.ts';
import { notifyFailure } from './failureActions.ts';
import { failureMessage } from './failureMessage.ts';
import { withForgottenRow } from './forgottenRow.ts';
import type { Services } from './services.ts';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

/**
 * Registers all commands of the manifest, so that each exists from the start, whatever the state of the
 * gateway.
 */
export function registerCommands(context: vscode.ExtensionContext, services: Services): void {
  const { contributes }: Manifest = context.extension.packageJSON;
  for (const { command } of contributes.commands) {
    const run = (...args: readonly unknown[]) =>
      guarded(commandId(command), services, withForgottenRow(args));
    context.subscriptions.push(vscode.commands.registerCommand(command, run));
  }
}

/** Runs a command. Logs what it throws, and shows it once, with what can be done. */
async function guarded(id: CommandId, services: Services, args: readonly unknown[]): Promise<void> {
  try {
    const { commandTable } = await import('./commandTable.ts');
    await commandTable[id](services, ...args);
  } catch (error) {
    if (GatewayError.is(error, 'cancelled')) return;
    services.log.error('command', `${id}: ${errorTrace(error)}`);
    const again = () => void runCommand(id, ...args);
    if (GatewayError.is(error)) await notifyFailure(failureMessage(error), again);
    else await notifyUnexpected(error, services);
  }
}

async function notifyUnexpected(error: unknown, services: Services): Promise<void> {
  const show = vscode.l10n.t('Show Log');
  const text = errorMessage(error);
  if ((await notify('error', text, show)) === show) services.log.show();
}
