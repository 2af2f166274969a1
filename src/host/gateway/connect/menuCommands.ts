import * as vscode from 'vscode';
import type { ConnectionState } from '../../connection/connection.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { outageWords } from '../../connection/outageWords.ts';
import { type Choice, pick } from '../../kit/display/prompts.ts';
import { type CommandId, runCommand } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';

interface MenuItem extends Choice {
  readonly id: CommandId;
}

/** Shows the menu of the status bar item. What mends a problem comes first. */
export async function showMenu(services: GatewayServices): Promise<void> {
  const { state } = services.connection;
  const chosen = await pick([...(isTrouble(state) ? mending(state) : []), ...items(services)], {
    title: vscode.l10n.t('Model Gateway'),
    placeHolder: troubleWords(state) ?? state.gateway?.name ?? vscode.l10n.t('Not connected'),
  });
  if (chosen) await runCommand(chosen.id);
}

export function showLog({ log }: GatewayServices): void {
  log.show();
}

function items({ gateways, localGateway, connection }: GatewayServices): readonly MenuItem[] {
  const { current } = gateways;
  const isConnected = current !== undefined;
  const isOwn = current?.kind === 'gateway';
  return [
    ...when(isConnected, item('newChat', 'comment-discussion', vscode.l10n.t('New Chat'))),
    ...when(isConnected, item('generate', 'device-camera-video', vscode.l10n.t('New Video'))),
    ...when(isConnected, item('findModel', 'search', vscode.l10n.t('Find Model…'))),
    ...when(
      isConnected && !isTrouble(connection.state),
      item('checkConnection', 'pulse', vscode.l10n.t('Check Connection')),
    ),
    ...when(gateways.all.length > 0, item('switchGateway', 'arrow-swap', vscode.l10n.t('Switch Gateway…'))),
    item('connect', 'plug', vscode.l10n.t('Connect to a Gateway…')),
    ...when(
      current?.kind !== 'local',
      item('useLocalGateway', 'play', vscode.l10n.t('Use the Local Gateway')),
    ),
    ...when(isOwn, item('setCredential', 'key', vscode.l10n.t('Set Credential…'))),
    ...when(isOwn, item('manageGateway', 'tools', vscode.l10n.t('Manage Gateway…'))),
    ...when(
      localGateway.isRunning,
      item('localGateway.stop', 'debug-stop', vscode.l10n.t('Stop the Local Gateway')),
    ),
    ...when(
      localGateway.isStopped,
      item('localGateway.start', 'debug-start', vscode.l10n.t('Start the Local Gateway')),
    ),
    item('openSettings', 'gear', vscode.l10n.t('Open Settings')),
    item('getStarted', 'rocket', vscode.l10n.t('Get Started')),
    item('openHelp', 'question', vscode.l10n.t('Help')),
    item('showLog', 'output', vscode.l10n.t('Show Log')),
  ];
}

/** What may mend a gateway that cannot be reached, or that refuses the credential. */
function mending({ error, outage }: ConnectionState): readonly MenuItem[] {
  return [
    ...when(
      error?.kind === 'authentication' && error.reason !== 'credential-unanswered' && outage === undefined,
      item('setCredential', 'key', vscode.l10n.t('Set Credential…')),
    ),
    item('refreshModels', 'refresh', vscode.l10n.t('Try Again')),
    item('checkConnection', 'pulse', vscode.l10n.t('Check Connection')),
  ];
}

function isTrouble({ phase, outage }: ConnectionState): boolean {
  return phase === 'failed' || outage !== undefined;
}

function troubleWords({ outage, phase, error }: ConnectionState): string | undefined {
  if (outage) return outageWords(outage);
  return phase === 'failed' && error ? failureMessage(error).title : undefined;
}

function item(id: CommandId, icon: string, label: string): MenuItem {
  return { id, icon, label };
}

function when<T>(condition: boolean, value: T): T[] {
  return condition ? [value] : [];
}
