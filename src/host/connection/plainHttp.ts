import { lookup } from 'node:dns/promises';
import * as vscode from 'vscode';
import { untilAborted } from '../../base/untilAborted.ts';
import { literalAddress, staysNear } from '../../http/privateAddress.ts';
import { listed } from '../kit/display/listed.ts';
import { confirm, notify } from '../kit/display/notify.ts';
import { withNotificationProgress } from '../kit/display/progress.ts';
import { isPlainElsewhere } from './address.ts';

const lookupTimeoutMs = 10_000;

/**
 * The user's consent to send the credential and all words to an origin without encryption. Asked for once, for
 * origins in a private network only, and kept on this machine.
 */
export class PlainHttpConsent {
  readonly #memory: vscode.Memento;

  constructor({ globalState }: vscode.ExtensionContext) {
    this.#memory = globalState;
  }

  async withdraw(baseUrl: string): Promise<void> {
    await this.#memory.update(keyOf(baseUrl), undefined);
  }

  isGiven(baseUrl: string): boolean {
    return this.#memory.get(keyOf(baseUrl), false);
  }

  /** The address to suggest in place of one that may not be used: by https. */
  better(baseUrl: string): string {
    return isPlainElsewhere(baseUrl) && !this.isGiven(baseUrl)
      ? baseUrl.replace(/^http:/i, 'https:')
      : baseUrl;
  }

  /**
   * Asks the user, where an address needs consent and has none. Tells why where it cannot be given.
   *
   * @returns whether the address may be used
   */
  async ask(baseUrl: string): Promise<boolean> {
    if (!isPlainElsewhere(baseUrl) || this.isGiven(baseUrl)) return true;
    const { hostname, host } = new URL(baseUrl);
    const addresses = await addressesOf(hostname);
    if (addresses === undefined) return false;
    if (addresses.length === 0) {
      void notify('error', vscode.l10n.t('{0} cannot be found: check its name, and the network.', hostname));
      return false;
    }
    if (!addresses.every(staysNear)) {
      void notify('error', publicWords(host));
      return false;
    }
    const allow = vscode.l10n.t('Allow');
    const chosen = await confirm(
      vscode.l10n.t('Send to {0} without encryption?', host),
      riskWords(hostname, addresses),
      // Who types on presses the first button unread. Like closing the dialog, it leads back to the address.
      vscode.l10n.t('Change Address…'),
      allow,
    );
    if (chosen !== allow) return false;
    await this.#memory.update(keyOf(baseUrl), true);
    return true;
  }
}

/** @returns no address for a name that cannot be found; undefined when the user gave up */
async function addressesOf(hostname: string): Promise<readonly string[] | undefined> {
  const literal = literalAddress(hostname);
  if (literal !== undefined) return [literal];
  return withNotificationProgress(vscode.l10n.t('Looking up {0}…', hostname), async (signal) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(lookupTimeoutMs)]);
    try {
      const found = await untilAborted(lookup(hostname, { all: true }), limit);
      return found.map(({ address }) => address);
    } catch {
      return signal.aborted ? undefined : [];
    }
  });
}

function riskWords(hostname: string, addresses: readonly string[]): string {
  const risk = vscode.l10n.t(
    'Anyone on its network can read the credential, your questions and the replies. Use https if the gateway supports it.',
  );
  const choice = vscode.l10n.t('You are not asked again for this address while it is in a private network.');
  const isName = literalAddress(hostname) === undefined;
  const place = isName ? [vscode.l10n.t('The name resolves to {0}.', listed(addresses))] : [];
  return [[risk, ...place].join(' '), choice].join('\n\n');
}

function publicWords(host: string): string {
  return vscode.l10n.t(
    '{0} is not in a private network: plain http would show the credential to everyone on the way. Use https.',
    host,
  );
}

function keyOf(baseUrl: string): string {
  return `plainHttp/${new URL(baseUrl).origin}`;
}
