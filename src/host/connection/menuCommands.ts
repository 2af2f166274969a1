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
    ...when(connected, item('newChat', 'comment-discussion', vscode.l10n.t('New Chat'))),
    ...when(connected, item('generate', 'device-camera-video', vscode.l10n.t('New Video'))),
    ...when(connected, item('findModel', 'search', vscode.l10n.t('Find Model…'))),
    ...when(connected, item('checkConnection', 'pulse', vscode.l10n.t('Check Connection'))),
    item('connect', 'plug', vscode.l10n.t('Connect to a Gateway…')),
    item('useDemoGateway', 'play', vscode.l10n.t('Use the Demo Gateway')),
    ...when(gateways.all.length > 0, item('switchGateway', 'arrow-swap', vscode.l10n.t('Switch Gateway…'))),
    ...when(
      gateways.current?.kind === 'gateway',
      item('setCredential', 'key', vscode.l10n.t('Set Credential…')),
    ),
    ...when(
      localGateway.isRunning,
      item('stopLocalGateway', 'debug-stop', vscode.l10n.t('Stop the Demo Gateway')),
    ),
    item('showLog', 'output', vscode.l10n.t('Show Log')),
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
