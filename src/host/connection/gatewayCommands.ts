import * as vscode from 'vscode';
import { runCommand } from '../contributions.ts';
import { confirm, notify } from '../display/notify.ts';
import { type Choice, pick } from '../display/prompts.ts';
import { showStatusMessage } from '../display/statusBar.ts';
import type { Services } from '../services.ts';
import type { ConfiguredGateway } from './configuredGateway.ts';
import { demoGateway } from './gateways.ts';

interface GatewayItem extends Choice {
  readonly name: string;
}

/** Chooses which gateway this window uses. */
export async function switchGateway(services: Services): Promise<void> {
  const { gateways } = services;
  const items: GatewayItem[] = [
    ...gateways.all.map(({ name, baseUrl }) => ({ name, label: name, description: baseUrl })),
    {
      name: demoGateway.name,
      label: demoGateway.name,
      description: vscode.l10n.t('on this machine, no account'),
    },
  ].map((item) => ({
    ...item,
    ...(item.name === gateways.current?.name && { icon: 'check' }),
  }));
  const other = { name: '', icon: 'plug', label: vscode.l10n.t('Connect to Another Gateway…') };
  const chosen = await pick<GatewayItem>([...items, other], { title: vscode.l10n.t('Switch Gateway') });
  if (chosen === undefined) return;
  if (chosen === other) return void (await runCommand('connect'));
  if (chosen.name === demoGateway.name) return void (await runCommand('useDemoGateway'));
  await gateways.use(chosen.name);
  await services.connection.refresh();
}

/** Removes a gateway and its credential, after asking. */
export async function removeGateway(services: Services): Promise<void> {
  const gateway = await pickGateway(services.gateways.all);
  if (gateway === undefined) return;
  const remove = vscode.l10n.t('Remove');
  const chosen = await confirm(
    vscode.l10n.t('Remove the gateway “{0}”?', gateway.name),
    vscode.l10n.t('Its credential is deleted from this machine. The gateway keeps everything.'),
    remove,
  );
  if (chosen !== remove) return;
  await services.credentials.forget(gateway);
  await services.gateways.remove(gateway.name);
}

/** Stops the local gateway and withdraws the consent to run it in a remote window. */
export async function stopLocalGateway({ localGateway }: Services): Promise<void> {
  await localGateway.consent.withdraw();
  if (localGateway.isRunning) localGateway.stop();
  else showStatusMessage(vscode.l10n.t('The demo gateway is not running.'));
}

async function pickGateway(all: readonly ConfiguredGateway[]): Promise<ConfiguredGateway | undefined> {
  if (all.length === 0) {
    void notify('info', vscode.l10n.t('There is no gateway to remove.'));
    return undefined;
  }
  const items = all.map((gateway) => ({ label: gateway.name, description: gateway.baseUrl, gateway }));
  const chosen = await pick(items, { title: vscode.l10n.t('Remove which gateway?') });
  return chosen?.gateway;
}
