import * as vscode from 'vscode';
import type { ConfiguredGateway } from '../../connection/configuredGateway.ts';
import { localEntry } from '../../connection/gateways.ts';
import { confirm } from '../../kit/display/notify.ts';
import { type Choice, pick } from '../../kit/display/prompts.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { pickGateway } from '../pickGateway.ts';

interface GatewayItem extends Choice {
  readonly name: string;
}

/** Chooses which gateway this window uses. */
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
  if (chosen === other) return void (await runCommand('connect'));
  if (chosen.name === localEntry.name) return void (await runCommand('useLocalGateway'));
  await gateways.use(chosen.name);
  await services.connection.refresh();
}

/** Removes a gateway and its credential, after asking. */
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
  await services.credentials.forget(gateway);
  await services.gateways.remove(gateway.name);
  await withdrawPlainHttp(services, gateway);
}

/** Another gateway at the same origin may still need the consent. */
async function withdrawPlainHttp(
  { gateways, plainHttp }: GatewayServices,
  { baseUrl }: ConfiguredGateway,
): Promise<void> {
  const { origin } = new URL(baseUrl);
  const isNeeded = gateways.all.some((other) => new URL(other.baseUrl).origin === origin);
  if (!isNeeded) await plainHttp.withdraw(baseUrl);
}
