import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import { CredentialUnansweredError } from '../../client/credential.ts';
import type { Log } from '../kit/display/log.ts';
import { type ConfiguredGateway, identityOf } from './configuredGateway.ts';

/** How long to wait for the keyring, in milliseconds. It may be asking the user for a password (F101). */
const keyringTimeoutMs = 10_000;

/**
 * The credentials, in VS Code's secret storage under gateway and origin. An address with a changed origin has
 * none until the user enters it again (T5).
 */
export class Credentials {
  readonly #keyStart: string;
  readonly #secrets: vscode.SecretStorage;
  readonly #known: vscode.Memento;
  readonly #log: Log;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #secretsChanged: vscode.Disposable;
  /** Fires when any window stored, replaced or removed a credential. */
  readonly onDidChange = this.#onDidChange.event;
  /** Credentials that the storage refused, for this session only (F102). */
  readonly #session = new Map<string, string>();

  /** @param keyStart what the names begin with under which they are stored */
  constructor(context: vscode.ExtensionContext, log: Log, keyStart = 'credential/') {
    this.#keyStart = keyStart;
    this.#secrets = context.secrets;
    this.#known = context.globalState;
    this.#log = log;
    this.#secretsChanged = context.secrets.onDidChange(() => this.#onDidChange.fire());
  }

  /**
   * Reads the credential each time from the storage, so that changes in other windows count (F103).
   *
   * @throws {CredentialUnansweredError} when the keyring does not answer within 10 seconds
   */
  async read(gateway: ConfiguredGateway): Promise<string | undefined> {
    const key = this.#key(gateway);
    const credential = this.#session.get(key) ?? (await withTimeout(this.#secrets.get(key)));
    if (credential !== undefined) this.#log.keepSecret(credential);
    return credential;
  }

  /**
   * Returns the credential for a request. Without it the gateway would refuse the request and blame a
   * credential that nobody sent.
   *
   * @throws {CredentialLostError} when a credential was stored and is gone
   */
  async present(gateway: ConfiguredGateway): Promise<string | undefined> {
    const credential = await this.read(gateway);
    if (credential === undefined && this.wasKept(gateway)) throw new CredentialLostError();
    return credential;
  }

  /**
   * Gateways at the same origin that have a credential and are in the settings no more, such as this one before
   * its name was changed there by hand.
   *
   * @param configured the gateways of the settings
   */
  leftBehind(
    gateway: ConfiguredGateway,
    configured: readonly ConfiguredGateway[],
  ): readonly ConfiguredGateway[] {
    const inUse = new Set([gateway, ...configured].map((each) => this.#key(each)));
    const end = `@${new URL(gateway.baseUrl).origin}`;
    return this.#known.keys().flatMap((key) => {
      if (!key.startsWith(this.#keyStart) || !key.endsWith(end) || inUse.has(key)) return [];
      return { name: key.slice(this.#keyStart.length, -end.length), baseUrl: gateway.baseUrl };
    });
  }

  /** Whether a credential was stored. If none can be read now, the keyring lost it (F100). */
  wasKept(gateway: ConfiguredGateway): boolean {
    return this.#known.get<boolean>(this.#key(gateway), false);
  }

  /**
   * Stores a credential.
   *
   * @returns false when it could only be kept for this session
   */
  async store(gateway: ConfiguredGateway, credential: string): Promise<boolean> {
    const key = this.#key(gateway);
    this.#log.keepSecret(credential);
    try {
      await this.#secrets.store(key, credential);
      this.#session.delete(key);
      await this.#known.update(key, true);
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

  async forget(gateway: ConfiguredGateway): Promise<void> {
    const key = this.#key(gateway);
    this.#session.delete(key);
    await this.#known.update(key, undefined);
    await this.#secrets.delete(key);
  }

  #key(gateway: ConfiguredGateway): string {
    return `${this.#keyStart}${identityOf(gateway)}@${new URL(gateway.baseUrl).origin}`;
  }
}

/** The system's keyring lost a stored credential (F100). */
export class CredentialLostError extends Error {
  override readonly name = 'CredentialLostError';
}

function withTimeout(reading: Thenable<string | undefined>): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          new CredentialUnansweredError(
            vscode.l10n.t('The secret storage did not answer within 10 seconds.'),
          ),
        ),
      keyringTimeoutMs,
    );
    Promise.resolve(reading)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
