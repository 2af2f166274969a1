import * as vscode from 'vscode';
import { findExtraHeaderProblem, listCredentialHeaders } from '../../../client/extraHeaders.ts';
import { resolveHeaderNames } from '../../../wire/headerNames.ts';
import type { ConfiguredGateway } from '../../connection/configuredGateway.ts';
import { notify } from '../../kit/display/notify.ts';
import { pick, requestText } from '../../kit/display/quickInput.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { pickGateway } from '../pickGateway.ts';

const maxHeaders = 20;

/** Lists the additional headers of a gateway, and lets the user add, change and remove them. */
export async function manageHeaders(services: GatewayServices, argument?: unknown): Promise<void> {
  const gateway = await pickGateway(services.gateways, vscode.l10n.t('Which gateway?'), argument);
  if (gateway === undefined) return;
  const headers = Object.entries(gateway.extraHeaders ?? {});
  const add = { icon: 'add', label: vscode.l10n.t('Add Header…') };
  const rows = headers.map(([name, value]) => ({
    icon: value === null ? 'lock' : 'tag',
    label: name,
    description: value ?? vscode.l10n.t('secret'),
  }));
  const choices = headers.length < maxHeaders ? [...rows, add] : rows;
  const chosen = await pick(choices, { title: vscode.l10n.t('Headers of {0}', gateway.name) });
  if (chosen === undefined) return;
  if (chosen === add) return addHeader(services, gateway);
  const change = { icon: 'edit', label: vscode.l10n.t('Set Value…') };
  const remove = { icon: 'trash', label: vscode.l10n.t('Remove') };
  const action = await pick([change, remove], { title: chosen.label });
  if (action === change) await setValue(services, gateway, chosen.label);
  else if (action === remove) await removeHeader(services, gateway, chosen.label);
}

async function addHeader(services: GatewayServices, gateway: ConfiguredGateway): Promise<void> {
  const takenNames = new Set(Object.keys(gateway.extraHeaders ?? {}).map((name) => name.toLowerCase()));
  const credentialNames = await listCredentialNames(services, gateway);
  const name = await requestText({
    title: vscode.l10n.t('Add Header'),
    prompt: vscode.l10n.t('The name of a header that this gateway requires'),
    placeHolder: 'X-Organization',
    problem: (text) =>
      takenNames.has(text.trim().toLowerCase())
        ? vscode.l10n.t('This gateway already has this header.')
        : problemWords({ name: text.trim(), value: 'x' }, credentialNames),
  });
  if (name !== undefined) await setValue(services, gateway, name.trim());
}

/** Prompts for the value of a header. A secret value is stored in secret storage, any other in the settings. */
async function setValue(services: GatewayServices, gateway: ConfiguredGateway, name: string): Promise<void> {
  const { t } = vscode.l10n;
  const secret = {
    icon: 'lock',
    label: t('Secret'),
    detail: t('Stored in VS Code’s secret storage, and hidden everywhere'),
  };
  const plain = {
    icon: 'tag',
    label: t('Not Secret'),
    detail: t('Stored in your settings, and shown in requests'),
  };
  const kind = await pick([secret, plain], { title: name });
  if (kind === undefined) return;
  const input = await requestText({
    title: name,
    prompt: t('The value of the header. It is sent to {0} only.', new URL(gateway.baseUrl).origin),
    password: kind === secret,
    problem: (text) => problemWords({ name, value: text.trim() }, new Set()),
  });
  if (input === undefined) return;
  const value = input.trim();
  const { gateways, gatewayHeaders } = services;
  if (kind === secret && !(await gatewayHeaders.storeSecret(gateway, name, value)))
    void notify('warning', t('VS Code could not store the value. It is used until this window closes.'));
  if (kind === plain) await gatewayHeaders.removeSecret(gateway, name);
  await gateways.setExtraHeaders(gateway.name, {
    ...gateway.extraHeaders,
    [name]: kind === secret ? null : value,
  });
}

async function removeHeader(
  { gateways, gatewayHeaders }: GatewayServices,
  gateway: ConfiguredGateway,
  name: string,
): Promise<void> {
  const { [name]: _, ...others } = gateway.extraHeaders ?? {};
  await gateways.setExtraHeaders(gateway.name, others);
  await gatewayHeaders.removeSecret(gateway, name);
}

/**
 * The names of headers that already contain the credential. Empty for a gateway without a credential, because it may
 * require another one in such a header, for example with Basic authentication.
 */
async function listCredentialNames(
  { credentials }: GatewayServices,
  gateway: ConfiguredGateway,
): Promise<ReadonlySet<string>> {
  const hasCredential = gateway.credentialCommand !== undefined || credentials.wasStored(gateway);
  return hasCredential ? listCredentialHeaders(resolveHeaderNames(gateway.headers)) : new Set();
}

function problemWords(
  header: { readonly name: string; readonly value: string },
  credentialNames: ReadonlySet<string>,
): string | undefined {
  const { t } = vscode.l10n;
  switch (findExtraHeaderProblem(header, credentialNames)) {
    case undefined:
      return undefined;
    case 'name':
      return t('A header name can contain only letters, digits and hyphens.');
    case 'reserved':
      return t('HTTP or the extension sets this header.');
    case 'credential':
      return t('This header contains the credential of the gateway.');
    case 'value':
      return t('Enter one line of letters, digits and punctuation.');
  }
}
