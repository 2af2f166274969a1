import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import { CredentialTimeoutError } from '../../client/credential.ts';
import type { Log } from '../kit/display/log.ts';
import { type ConfiguredGateway, readIdentity } from './configuredGateway.ts';

/** The timeout of the keyring, in milliseconds. The keyring may be prompting the user for a password (F101). */
const keyringTimeoutMs = 10_000;

/**
 * The credentials in VS Code's secret storage, by gateway and origin. If the origin of an address changes, the user has
 * to enter the credential again (T5).
 */
export class Credentials {
  readonly #keyPrefix: string;
  readonly #secrets: vscode.SecretStorage;
  readonly #storedKeys: vscode.Memento;
  readonly #log: Log;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #secretsChanged: vscode.Disposable;
  /** Fires when any window stored, replaced or removed a credential. */
  readonly onDidChange = this.#onDidChange.event;
  /** Credentials that the storage refused. They are available in this session only (F102). */
  readonly #session = new Map<string, string>();

  /** @param keyPrefix the prefix of the storage keys */
  constructor(context: vscode.ExtensionContext, log: Log, keyPrefix = 'credential/') {
    this.#keyPrefix = keyPrefix;
    this.#secrets = context.secrets;
    this.#storedKeys = context.globalState;
    this.#log = log;
    this.#secretsChanged = context.secrets.onDidChange(() => this.#onDidChange.fire());
  }

  /**
   * Reads the credential from the storage at each call, because other windows may have changed it (F103).
   *
   * @throws {CredentialTimeoutError} when the keyring does not respond within 10 seconds
   */
  async read(gateway: ConfiguredGateway): Promise<string | undefined> {
    const key = this.#buildKey(gateway);
    const credential = this.#session.get(key) ?? (await waitForKeyring(this.#secrets.get(key)));
    if (credential !== undefined) this.#log.hideSecret(credential);
    return credential;
  }

  /**
   * Returns the credential for a request, after checking that a stored credential is not missing. Otherwise the gateway
   * would report a wrong credential although no credential was sent.
   *
   * @throws {CredentialLostError} when a credential was stored and is now missing
   */
  async readForRequest(gateway: ConfiguredGateway): Promise<string | undefined> {
    const credential = await this.read(gateway);
    if (credential === undefined && this.wasStored(gateway)) throw new CredentialLostError();
    return credential;
  }

  /**
   * Finds gateways at the same origin that have a credential but are no longer in the settings, such as this
   * gateway before the user changed its name there.
   *
   * @param configured the gateways of the settings
   */
  findOrphaned(
    gateway: ConfiguredGateway,
    configured: readonly ConfiguredGateway[],
  ): readonly ConfiguredGateway[] {
    const usedKeys = new Set([gateway, ...configured].map((each) => this.#buildKey(each)));
    const suffix = `@${new URL(gateway.baseUrl).origin}`;
    return this.#storedKeys.keys().flatMap((key) => {
      if (!key.startsWith(this.#keyPrefix) || !key.endsWith(suffix) || usedKeys.has(key)) return [];
      return { name: key.slice(this.#keyPrefix.length, -suffix.length), baseUrl: gateway.baseUrl };
    });
  }

  /** Whether a credential was stored. If no credential can be read now, the keyring lost it (F100). */
  wasStored(gateway: ConfiguredGateway): boolean {
    return this.#storedKeys.get<boolean>(this.#buildKey(gateway), false);
  }

  /**
   * Stores a credential.
   *
   * @returns false if the credential could be stored for this session only
   */
  async store(gateway: ConfiguredGateway, credential: string): Promise<boolean> {
    const key = this.#buildKey(gateway);
    this.#log.hideSecret(credential);
    try {
      await this.#secrets.store(key, credential);
      this.#session.delete(key);
      await this.#storedKeys.update(key, true);
      return true;
    } catch (error) {
      this.#log.warn('connection', `secret storage refused the credential: ${errorMessage(error)}`);
      this.#session.set(key, credential);
      this.#onDidChange.fire();
      return false;
    }
  }

  dispose(): void {
    this.#secretsChanged.dispose();
    this.#onDidChange.dispose();
  }

  /** Deletes a credential. */
  async forget(gateway: ConfiguredGateway): Promise<void> {
    const key = this.#buildKey(gateway);
    this.#session.delete(key);
    await this.#storedKeys.update(key, undefined);
    await this.#secrets.delete(key);
  }

  #buildKey(gateway: ConfiguredGateway): string {
    return `${this.#keyPrefix}${readIdentity(gateway)}@${new URL(gateway.baseUrl).origin}`;
  }
}

/** The error for a stored credential that the system's keyring lost (F100). */
export class CredentialLostError extends Error {
  override readonly name = 'CredentialLostError';
}

function waitForKeyring(reading: Thenable<string | undefined>): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          new CredentialTimeoutError(vscode.l10n.t('The secret storage did not respond within 10 seconds.')),
        ),
      keyringTimeoutMs,
    );
    Promise.resolve(reading)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
