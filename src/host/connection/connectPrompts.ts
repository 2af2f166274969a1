import * as vscode from 'vscode';
import { askText, pick } from '../display/prompts.ts';
import { type AddressProblem, readAddress } from './address.ts';
import type { ConfiguredGateway } from './configuredGateway.ts';
import { readCredential } from './credentialText.ts';

/**
 * Asks for the address of a gateway.
 *
 * @param earlier what is in the box at first
 * @param title above the box
 * @returns undefined when the user gave up
 */
export async function askAddress(
  earlier: string | undefined,
  title = vscode.l10n.t('Connect to a Gateway (1 of 2): Address'),
): Promise<string | undefined> {
  const typed = await askText({
    title,
    prompt: vscode.l10n.t('The gateway’s address, without the route'),
    placeHolder: 'https://gateway.example',
    value: earlier,
    ignoreFocusOut: true,
    problem: (text) => {
      const reading = readAddress(text);
      return reading.ok || text.trim() === '' ? undefined : addressProblem(reading.problem);
    },
  });
  const reading = readAddress(typed ?? '');
  if (!reading.ok) return undefined;
  return reading.shorter.length === 0 ? reading.baseUrl : askPath(reading.baseUrl, reading.shorter);
}

/** Offers to shorten an address that ends like a route, since routes are appended to it. */
async function askPath(baseUrl: string, shorter: readonly string[]): Promise<string | undefined> {
  const items = [...shorter, baseUrl].map((address) => ({
    label: address,
    description: address === baseUrl ? vscode.l10n.t('as entered') : vscode.l10n.t('without the route'),
    detail: vscode.l10n.t('Models are read from {0}', `${address}/v1/models`),
    address,
  }));
  const chosen = await pick(items, {
    title: vscode.l10n.t('The address ends with a route. Which address is the gateway’s?'),
    ignoreFocusOut: true,
  });
  return chosen?.address;
}

function addressProblem(problem: AddressProblem): string {
  switch (problem) {
    case 'empty':
      return vscode.l10n.t('Enter an address.');
    case 'not-an-address':
      return vscode.l10n.t('This is not an address. It looks like https://gateway.example');
    case 'not-http':
      return vscode.l10n.t('The address must start with https://');
    case 'plain-http':
      return vscode.l10n.t(
        'Plain http would show the credential to everyone on the way. Use https; http is for this machine and private networks.',
      );
    case 'holds-credentials':
      return vscode.l10n.t('Leave out the user name and password; the next step asks for the credential.');
    case 'holds-query':
      return vscode.l10n.t('Leave out everything from ? or # on.');
  }
}

/**
 * Asks for the credential of a gateway.
 *
 * @returns an empty text where none is needed, which only this machine and a private network may do without;
 * undefined when the user gave up
 */
export async function askCredential(gateway: ConfiguredGateway): Promise<string | undefined> {
  const { origin, protocol } = new URL(gateway.baseUrl);
  const optional = protocol === 'http:';
  for (;;) {
    const typed = await askText({
      title: vscode.l10n.t('Connect to a Gateway (2 of 2): Credential'),
      prompt: vscode.l10n.t('For {0}. Stored in VS Code’s secret storage and sent only there.', origin),
      placeHolder: optional ? vscode.l10n.t('Leave empty if this gateway needs none') : undefined,
      password: true,
      ignoreFocusOut: true,
      problem: credentialProblem,
    });
    if (typed === undefined) return undefined;
    const reading = readCredential(typed);
    if (reading.ok) return reading.credential;
    if (optional) return '';
  }
}

function credentialProblem(text: string): string | undefined {
  const reading = readCredential(text);
  if (reading.ok || reading.problem === 'empty') return undefined;
  switch (reading.problem) {
    case 'line-break':
      return vscode.l10n.t('The credential has a line break in it. Copy it again without one.');
    case 'space':
      return vscode.l10n.t('The credential has a space in it. Copy it again without one.');
    case 'unprintable':
      return vscode.l10n.t('The credential has characters that cannot be sent. Copy it again.');
  }
}
