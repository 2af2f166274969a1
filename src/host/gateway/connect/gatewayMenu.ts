import * as vscode from 'vscode';
import type { ConfiguredGateway } from '../../connection/configuredGateway.ts';
import type { ConnectionState } from '../../connection/connection.ts';
import { describeOutage, failureMessage } from '../../connection/failureMessage.ts';
import { localEntry } from '../../connection/gateways.ts';
import { confirm } from '../../kit/display/notify.ts';
import { type Choice, pick } from '../../kit/display/quickInput.ts';
import { type CommandId, runCommand } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { pickGateway } from '../pickGateway.ts';

interface MenuItem extends Choice {
  readonly id: CommandId;
}

/** Shows the menu of the status bar item, with actions that fix a problem first. */
export async function showMenu(services: GatewayServices): Promise<void> {
  const { state } = services.connection;
  const chosen = await pick([...(hasProblem(state) ? repairItems(state) : []), ...menuItems(services)], {
    title: vscode.l10n.t('Model Gateway'),
    placeHolder: problemWords(state) ?? state.gateway?.name ?? vscode.l10n.t('Not connected'),
  });
  if (chosen) await runCommand(chosen.id);
}

function menuItems({ gateways, localGateway, connection }: GatewayServices): readonly MenuItem[] {
  const { current } = gateways;
  const isConnected = current !== undefined;
  const isConfigured = current?.kind === 'gateway';
  return [
    ...itemIf(isConnected, menuItem('newChat', 'comment-discussion', vscode.l10n.t('New Chat'))),
    ...itemIf(isConnected, menuItem('generate', 'device-camera-video', vscode.l10n.t('New Video'))),
    ...itemIf(isConnected, menuItem('findModel', 'search', vscode.l10n.t('Find Model…'))),
    ...itemIf(
      isConnected && !hasProblem(connection.state),
      menuItem('checkConnection', 'pulse', vscode.l10n.t('Check Connection')),
    ),
    ...itemIf(
      gateways.all.length > 0,
      menuItem('switchGateway', 'arrow-swap', vscode.l10n.t('Switch Gateway…')),
    ),
    menuItem('connect', 'plug', vscode.l10n.t('Connect to a Gateway…')),
    ...itemIf(
      current?.kind !== 'local',
      menuItem('useLocalGateway', 'play', vscode.l10n.t('Use the Local Gateway')),
    ),
    ...itemIf(isConfigured, menuItem('setCredential', 'key', vscode.l10n.t('Set Credential…'))),
    ...itemIf(isConfigured, menuItem('manageGateway', 'tools', vscode.l10n.t('Manage Gateway…'))),
    ...itemIf(
      localGateway.isRunning,
      menuItem('localGateway.stop', 'debug-stop', vscode.l10n.t('Stop the Local Gateway')),
    ),
    ...itemIf(
      localGateway.isStopped,
      menuItem('localGateway.start', 'debug-start', vscode.l10n.t('Start the Local Gateway')),
    ),
    menuItem('openSettings', 'gear', vscode.l10n.t('Open Settings')),
    menuItem('getStarted', 'rocket', vscode.l10n.t('Get Started')),
    menuItem('openHelp', 'question', vscode.l10n.t('Help')),
    menuItem('showLog', 'output', vscode.l10n.t('Show Log')),
  ];
}

/** Actions for a gateway that cannot be reached, or that refuses the credential. */
function repairItems({ error, outage }: ConnectionState): readonly MenuItem[] {
  return [
    ...itemIf(
      error?.kind === 'authentication' && error.reason !== 'credential-timeout' && outage === undefined,
      menuItem('setCredential', 'key', vscode.l10n.t('Set Credential…')),
    ),
    menuItem('refreshModels', 'refresh', vscode.l10n.t('Try Again')),
    menuItem('checkConnection', 'pulse', vscode.l10n.t('Check Connection')),
  ];
}

function hasProblem({ phase, outage }: ConnectionState): boolean {
  return phase === 'failed' || outage !== undefined;
}

function problemWords({ outage, phase, error }: ConnectionState): string | undefined {
  if (outage) return describeOutage(outage);
  return phase === 'failed' && error ? failureMessage(error).title : undefined;
}

function menuItem(id: CommandId, icon: string, label: string): MenuItem {
  return { id, icon, label };
}

function itemIf<T>(condition: boolean, value: T): T[] {
  return condition ? [value] : [];
}

interface GatewayItem extends Choice {
  readonly name: string;
}

/** Lets the user choose the gateway of this window. */
export async function switchGateway(services: GatewayServices): Promise<void> {
  const { gateways } = services;
  const items: GatewayItem[] = [
    ...gateways.all.map(({ name, baseUrl }) => ({ name, label: name, description: baseUrl })),
    {
      name: localEntry.name,
      label: localEntry.name,
      description: vscode.l10n.t('on this machine'),
    },
  ].map((item) => ({
    ...item,
    ...(item.name === gateways.current?.name && { icon: 'check' }),
  }));
  const other = { name: '', icon: 'plug', label: vscode.l10n.t('Connect to Another Gateway…') };
  const chosen = await pick<GatewayItem>([...items, other], { title: vscode.l10n.t('Switch Gateway') });
  if (chosen === undefined) return;
  if (chosen === other) return runCommand('connect');
  if (chosen.name === localEntry.name) return runCommand('useLocalGateway');
  await gateways.setCurrent(chosen.name);
  await services.connection.refresh();
}

/** Removes a gateway and its credential, after a confirmation. */
export async function removeGateway(services: GatewayServices, name?: unknown): Promise<void> {
  const gateway = await pickGateway(services.gateways, vscode.l10n.t('Choose the gateway to remove'), name);
  if (gateway === undefined) return;
  const remove = vscode.l10n.t('Remove');
  const chosen = await confirm(
    vscode.l10n.t('Remove the gateway “{0}”?', gateway.name),
    vscode.l10n.t('Its credential is deleted from this machine. Nothing is deleted at the gateway.'),
    remove,
  );
  if (chosen !== remove) return;
  await forgetSecrets(services, gateway);
  await services.gateways.remove(gateway.name);
  await withdrawPlainHttp(services, gateway);
}

/** Deletes the credential of a gateway, the consent to its command, and its headers in secret storage. */
export async function forgetSecrets(
  { credentials, credentialCommands, gatewayHeaders }: GatewayServices,
  gateway: ConfiguredGateway,
): Promise<void> {
  await credentials.forget(gateway);
  await credentialCommands.forget(gateway);
  await gatewayHeaders.forget(gateway);
}

/** Withdraws the consent to plain HTTP, unless another gateway has the same origin. */
async function withdrawPlainHttp(
  { gateways, plainHttp }: GatewayServices,
  { baseUrl }: ConfiguredGateway,
): Promise<void> {
  const { origin } = new URL(baseUrl);
  const isNeeded = gateways.all.some((other) => new URL(other.baseUrl).origin === origin);
  if (!isNeeded) await plainHttp.withdraw(baseUrl);
}
