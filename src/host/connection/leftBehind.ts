import * as vscode from 'vscode';
import { pick } from '../display/prompts.ts';
import type { Services } from '../services.ts';
import type { ConfiguredGateway } from './configuredGateway.ts';

/**
 * Offers the credential of a gateway that was there under another name, at the same origin, where this one has
 * none.
 *
 * @returns undefined where there is none, or the user wants to enter another
 */
export async function credentialLeftBehind(
  { credentials, gateways }: Services,
  gateway: ConfiguredGateway,
): Promise<string | undefined> {
  if (credentials.wasKept(gateway)) return undefined;
  const [earlier] = credentials.leftBehind(gateway, gateways.all);
  if (earlier === undefined) return undefined;
  const use = { icon: 'key', label: vscode.l10n.t('Use the Credential of “{0}”', earlier.name) };
  const enter = { icon: 'edit', label: vscode.l10n.t('Enter Another Credential…') };
  const chosen = await pick([use, enter], {
    title: vscode.l10n.t('{0} has no credential', gateway.name),
    placeHolder: vscode.l10n.t('“{0}” was entered for the same address', earlier.name),
  });
  return chosen === use ? credentials.read(earlier) : undefined;
}
