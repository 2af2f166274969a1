import * as vscode from 'vscode';
import { type CommandId, runCommand, settingsSection } from '../contributions.ts';
import { type Choice, pick } from '../display/prompts.ts';
import type { Services } from '../services.ts';

interface MenuItem extends Choice {
  readonly id: CommandId;
}

/** Shows the menu of the status bar item. */
export async function showMenu({ gateways, localGateway }: Services): Promise<void> {
  const connected = gateways.current !== undefined;
  const items: MenuItem[] = [
    ...when(connected, item('newChat', 'comment-discussion', vscode.l10n.t('New chat'))),
    ...when(connected, item('generate', 'device-camera-video', vscode.l10n.t('New video'))),
    ...when(connected, item('findModel', 'search', vscode.l10n.t('Find a model'))),
    ...when(connected, item('checkConnection', 'pulse', vscode.l10n.t('Check the connection'))),
    item('connect', 'plug', vscode.l10n.t('Connect to a gateway')),
    item('useDemoGateway', 'play', vscode.l10n.t('Use the demo gateway')),
    ...when(gateways.all.length > 0, item('switchGateway', 'arrow-swap', vscode.l10n.t('Switch gateway'))),
    ...when(
      gateways.current?.kind === 'gateway',
      item('setCredential', 'key', vscode.l10n.t('Set the credential')),
    ),
    ...when(
      localGateway.isRunning,
      item('stopLocalGateway', 'debug-stop', vscode.l10n.t('Stop the demo gateway')),
    ),
    item('showLog', 'output', vscode.l10n.t('Show the log')),
  ];
  const chosen = await pick(items, {
    title: vscode.l10n.t('Model Gateway'),
    placeHolder: gateways.current?.name ?? vscode.l10n.t('Not connected'),
  });
  if (chosen) await runCommand(chosen.id);
}

export function showLog({ log }: Services): void {
  log.show();
}

export async function openTimeouts(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${settingsSection}.timeouts`);
}

export async function openProxySettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'http.proxy');
}

function item(id: CommandId, icon: string, label: string): MenuItem {
  return { id, icon, label };
}

function when<T>(condition: boolean, value: T): T[] {
  return condition ? [value] : [];
}
