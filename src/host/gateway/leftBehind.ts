import * as vscode from 'vscode';
import type { ConfiguredGateway } from '../connection/configuredGateway.ts';
import { back, pickStep, type StepAnswer, type StepPlace } from '../kit/display/steps.ts';
import type { GatewayServices } from './gatewayServices.ts';

/**
 * Offers the credential of a gateway that had another name, at the same origin, where this one has none.
 *
 * @returns no credential where there is none, or the user wants to enter another
 */
export async function credentialLeftBehind(
  { credentials, gateways }: GatewayServices,
  gateway: ConfiguredGateway,
  place: StepPlace,
): Promise<StepAnswer<{ readonly credential: string | undefined }>> {
  const none = { credential: undefined };
  if (credentials.wasKept(gateway)) return none;
  const [earlier] = credentials.leftBehind(gateway, gateways.all);
  if (earlier === undefined) return none;
  const use = { icon: 'key', label: vscode.l10n.t('Use the Credential of “{0}”', earlier.name) };
  const enter = { icon: 'edit', label: vscode.l10n.t('Enter Another Credential…') };
  const chosen = await pickStep(place, [use, enter], {
    placeHolder: vscode.l10n.t('“{0}” was entered for the same address', earlier.name),
  });
  if (chosen === undefined || chosen === back) return chosen;
  return chosen === use ? { credential: await credentials.read(earlier) } : none;
}
