import * as vscode from 'vscode';
import { type ConfiguredGateway, identityOf } from '../connection/configuredGateway.ts';
import type { Gateways } from '../connection/gateways.ts';
import { notify } from '../kit/display/notify.ts';
import { pick } from '../kit/display/prompts.ts';
import type { pickBeforeSteps } from '../kit/display/steps.ts';

/** The gateway that a caller names, by its name now or its first one. */
export function namedGateway({ all }: Gateways, name: unknown): ConfiguredGateway | undefined {
  return all.find((each) => each.name === name) ?? all.find((each) => identityOf(each) === name);
}

/**
 * Asks which of the user's gateways is meant, the current one first.
 *
 * @param name of the gateway, when it is known already
 * @param choose shows the list; `pickBeforeSteps` where a question for a secret follows
 * @returns undefined when the user gave up, or there is none
 */
export async function pickGateway(
  gateways: Gateways,
  title: string,
  name?: unknown,
  choose: typeof pickBeforeSteps = pick,
): Promise<ConfiguredGateway | undefined> {
  const { all, current } = gateways;
  const named = namedGateway(gateways, name);
  if (named) return named;
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
