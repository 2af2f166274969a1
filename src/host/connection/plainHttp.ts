import { lookup } from 'node:dns/promises';
import * as vscode from 'vscode';
import { untilAborted } from '../../base/cancellation.ts';
import { isLocalOrPrivate, readLiteralAddress } from '../../http/privateAddress.ts';
import { joinNames } from '../kit/display/joinNames.ts';
import { confirm, notify } from '../kit/display/notify.ts';
import { withNotificationProgress } from '../kit/display/progress.ts';
import { isRemotePlainHttp } from './typedAddress.ts';

const lookupTimeoutMs = 10_000;

/**
 * The user's consent to send the credential and all texts to an origin without encryption. The user is prompted once
 * for each origin, and only for origins in a private network. The consent is stored on this machine.
 */
export class PlainHttpConsent {
  readonly #memory: vscode.Memento;

  constructor({ globalState }: vscode.ExtensionContext) {
    this.#memory = globalState;
  }

  async withdraw(baseUrl: string): Promise<void> {
    await this.#memory.update(buildKey(baseUrl), undefined);
  }

  isGiven(baseUrl: string): boolean {
    return this.#memory.get(buildKey(baseUrl), false);
  }

  /** Suggests https instead of plain http if the user has not consented. Other addresses do not change. */
  suggestAddress(baseUrl: string): string {
    return isRemotePlainHttp(baseUrl) && !this.isGiven(baseUrl)
      ? baseUrl.replace(/^http:/i, 'https:')
      : baseUrl;
  }

  /**
   * Requests the user's consent if an address needs it. If consent is impossible, notifies the user of the reason.
   *
   * @returns whether the address may be used
   */
  async requestConsent(baseUrl: string): Promise<boolean> {
    if (!isRemotePlainHttp(baseUrl) || this.isGiven(baseUrl)) return true;
    const { hostname, host } = new URL(baseUrl);
    const addresses = await lookUpAddresses(hostname);
    if (addresses === undefined) return false;
    if (addresses.length === 0) {
      void notify('error', vscode.l10n.t('{0} cannot be found: check its name, and the network.', hostname));
      return false;
    }
    if (!addresses.every(isLocalOrPrivate)) {
      void notify('error', describePublicAddress(host));
      return false;
    }
    const allow = vscode.l10n.t('Allow');
    const chosen = await confirm(
      vscode.l10n.t('Send to {0} without encryption?', host),
      describeRisk(hostname, addresses),
      // The first button leads back to the address, because a user who is still typing may press it by accident.
      vscode.l10n.t('Change Address…'),
      allow,
    );
    if (chosen !== allow) return false;
    await this.#memory.update(buildKey(baseUrl), true);
    return true;
  }
}

/** @returns an empty list if the name cannot be resolved; undefined if the user cancelled */
async function lookUpAddresses(hostname: string): Promise<readonly string[] | undefined> {
  const literal = readLiteralAddress(hostname);
  if (literal !== undefined) return [literal];
  return withNotificationProgress(vscode.l10n.t('Looking up {0}…', hostname), async (signal) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(lookupTimeoutMs)]);
    try {
      const results = await untilAborted(lookup(hostname, { all: true }), limit);
      return results.map(({ address }) => address);
    } catch {
      return signal.aborted ? undefined : [];
    }
  });
}

function describeRisk(hostname: string, addresses: readonly string[]): string {
  const risk = vscode.l10n.t(
    'Anyone on its network can read the credential, your questions and the replies. Use https if the gateway supports it.',
  );
  const choice = vscode.l10n.t(
    'You will not be asked again for this address while it is in a private network.',
  );
  const isName = readLiteralAddress(hostname) === undefined;
  const resolved = isName ? [vscode.l10n.t('The name resolves to {0}.', joinNames(addresses))] : [];
  return [[risk, ...resolved].join(' '), choice].join('\n\n');
}

function describePublicAddress(host: string): string {
  return vscode.l10n.t(
    '{0} is not in a private network: plain http would expose the credential on the network. Use https.',
    host,
  );
}

function buildKey(baseUrl: string): string {
  return `plainHttp/${new URL(baseUrl).origin}`;
}
