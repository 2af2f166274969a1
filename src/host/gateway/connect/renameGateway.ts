import * as vscode from 'vscode';
import {
  type ConfiguredGateway,
  findNameProblem,
  maxGatewayNameLength,
  readIdentity,
} from '../../connection/configuredGateway.ts';
import type { OwnGateway } from '../../connection/gateways.ts';
import { notify } from '../../kit/display/notify.ts';
import { requestText } from '../../kit/display/quickInput.ts';
import { toTaskGateway } from '../../tasks/task/taskGateways.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { pickGateway } from '../pickGateway.ts';

/**
 * Prompts for a new name of a gateway and renames it. Its credential, conversations and tasks do not change.
 *
 * @param name of the gateway to rename; the user picks one by default
 */
export async function promptForRename(services: GatewayServices, name?: unknown): Promise<void> {
  const { connection, gateways } = services;
  const gateway = await pickGateway(gateways, vscode.l10n.t('Choose the Gateway to Rename'), name);
  if (gateway === undefined) return;
  const newName = await promptForName(gateway, gateways.listTakenNames(gateway));
  if (newName === undefined || newName === gateway.name) return;
  const { phase } = connection.state;
  if (!(await gateways.rename(gateway.name, newName))) {
    await notify('warning', conflictText(gateway.name, newName));
    return;
  }
  await renameInTasks(services, gateway, newName);
  // The rename creates new connections, which have no models until they send a request.
  if (phase !== 'idle' && phase !== 'stopped') await connection.refresh();
}

function conflictText(name: string, newName: string): string {
  return vscode.l10n.t(
    '{0} was not renamed to {1}: it was changed in another window, or another gateway has this name now.',
    name,
    newName,
  );
}

/** Only logs a failure, because a task also finds its gateway by the first name. */
async function renameInTasks(
  { tasks, log }: GatewayServices,
  gateway: OwnGateway,
  newName: string,
): Promise<void> {
  const { gateway: id } = toTaskGateway(gateway);
  try {
    for (const from of new Set([gateway.name, readIdentity(gateway)])) {
      await tasks.renameGateway({ gateway: id, from, to: newName });
    }
  } catch (error) {
    log.warn('task', `the tasks of ${gateway.name} keep its earlier name: ${String(error)}`);
  }
}

async function promptForName(
  gateway: ConfiguredGateway,
  taken: ReadonlySet<string>,
): Promise<string | undefined> {
  const input = await requestText({
    title: vscode.l10n.t('Rename {0}', gateway.name),
    prompt: vscode.l10n.t('Its credential, chats and tasks are not affected.'),
    value: gateway.name,
    problem: (text) => problemWords(text.trim(), taken),
  });
  return input?.trim();
}

function problemWords(name: string, taken: ReadonlySet<string>): string | undefined {
  switch (findNameProblem(name, taken)) {
    case undefined:
      return undefined;
    case 'empty':
      return vscode.l10n.t('Enter a name.');
    case 'too-long':
      return vscode.l10n.t('A name can have at most {0} characters.', maxGatewayNameLength);
    case 'unprintable':
      return vscode.l10n.t('The name contains invisible characters.');
    case 'taken':
      return vscode.l10n.t('Another gateway has this name.');
  }
}
