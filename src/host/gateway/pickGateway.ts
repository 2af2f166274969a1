import * as vscode from 'vscode';
import { readIdentity } from '../connection/configuredGateway.ts';
import type { Gateways, OwnGateway } from '../connection/gateways.ts';
import { notify } from '../kit/display/notify.ts';
import { pick } from '../kit/display/quickInput.ts';
import type { pickBeforeSteps } from '../kit/display/quickInputSteps.ts';

/** Finds a gateway by its current name, or else by its first name. */
export function findGatewayByName({ all }: Gateways, name: unknown): OwnGateway | undefined {
  return all.find((each) => each.name === name) ?? all.find((each) => readIdentity(each) === name);
}

/**
 * Lets the user pick a gateway. The current one is first; a single gateway is returned without a dialog.
 *
 * @param name of a gateway, which is returned without a dialog if it exists
 * @param choose shows the list; `pickBeforeSteps` if a prompt for a secret follows
 * @returns undefined when the user cancels, or if there are no gateways
 */
export async function pickGateway(
  gateways: Gateways,
  title: string,
  name?: unknown,
  choose: typeof pickBeforeSteps = pick,
): Promise<OwnGateway | undefined> {
  const { all, current } = gateways;
  const namedGateway = findGatewayByName(gateways, name);
  if (namedGateway) return namedGateway;
  if (all.length === 0) {
    void notify('info', vscode.l10n.t('Only the local gateway is available.'));
    return undefined;
  }
  if (all.length === 1) return all[0];
  const items = all
    .map((gateway) => ({ label: gateway.name, description: gateway.baseUrl, gateway }))
    .toSorted((a, b) => Number(b.label === current?.name) - Number(a.label === current?.name));
  return (await choose(items, { title }))?.gateway;
}
