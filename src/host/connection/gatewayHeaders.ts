import { isObject, parseJson } from '../../base/json.ts';
import type { ExtraHeader } from '../../client/types.ts';
import type { Log } from '../kit/display/log.ts';
import type { ConfiguredGateway } from './configuredGateway.ts';
import type { Credentials } from './credentials.ts';

/** The values in secret storage, by the names of their headers. */
type SecretValues = Readonly<Record<string, string>>;

/**
 * The further headers of gateways. Their names are in the settings. Secret values are in VS Code's secret storage, by
 * gateway and origin, like the credential.
 */
export class GatewayHeaders {
  readonly #store: Credentials;
  readonly #log: Log;

  constructor(store: Credentials, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * Reads the headers for a request.
   *
   * @throws if the value of a secret header is missing, for example because the origin changed
   */
  async read(gateway: ConfiguredGateway): Promise<readonly ExtraHeader[]> {
    const entries = Object.entries(gateway.extraHeaders ?? {});
    if (entries.length === 0) return [];
    const secrets = entries.some(([, value]) => value === null) ? await this.#readSecrets(gateway) : {};
    return entries.map(([name, value]) => {
      if (value !== null) return { name, value, isSecret: false };
      const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      if (secret === undefined) throw new Error(`the value of the header ${name} is not stored`);
      this.#log.hideSecret(secret);
      return { name, value: secret, isSecret: true };
    });
  }

  /** Stores a secret value. @returns false if the value could be stored for this session only */
  async storeSecret(gateway: ConfiguredGateway, name: string, value: string): Promise<boolean> {
    this.#log.hideSecret(value);
    const secrets = { ...(await this.#readSecrets(gateway)), [name]: value };
    return this.#store.store(gateway, JSON.stringify(secrets));
  }

  async removeSecret(gateway: ConfiguredGateway, name: string): Promise<void> {
    const { [name]: _, ...others } = await this.#readSecrets(gateway);
    if (Object.keys(others).length === 0) await this.forget(gateway);
    else await this.#store.store(gateway, JSON.stringify(others));
  }

  /** Deletes the secret values of a gateway. */
  async forget(gateway: ConfiguredGateway): Promise<void> {
    await this.#store.forget(gateway);
  }

  async #readSecrets(gateway: ConfiguredGateway): Promise<SecretValues> {
    const stored = parseJson((await this.#store.read(gateway)) ?? '');
    if (!isObject(stored)) return {};
    const values = Object.entries(stored).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return Object.fromEntries(values);
  }
}
