import type { KeyStatus } from '../../protocol/gatewayControl.ts';
import type { RestingKey } from '../upstreams/keys/keyRing.ts';
import { deriveKeyName, type ExternalKeys, storedKeyName } from '../upstreams/keys/upstreamKey.ts';
import type { UpstreamConfig } from '../upstreams/upstreamConfig.ts';

type KeyFields = Pick<UpstreamConfig, 'name' | 'keyEnv' | 'keyCommand' | 'keyFile' | 'keys'>;

type SourceFields = Pick<KeyFields, 'keyEnv' | 'keyCommand' | 'keyFile'>;

/** The source of an upstream's key; `missing` if the configuration names a variable that is not set. */
type KeySourceKind = 'window' | 'environment' | 'command' | 'file' | 'missing' | 'none';

/** The keys of upstreams from VS Code windows and from environment variables. Keys from windows have priority. */
export class KeySources {
  readonly #env: NodeJS.ProcessEnv;
  readonly #received = new Map<string, string>();
  #variables: readonly string[] = [];

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Stores the keys from a window, by the names of upstreams. An empty text deletes a key. */
  receive(keys: Readonly<Record<string, string>>): void {
    for (const [name, key] of Object.entries(keys)) {
      if (key.trim() === '') this.#received.delete(name);
      else this.#received.set(name, key.trim());
    }
  }

  /** Returns access to the keys of an upstream from a window and from environment variables. */
  getExternalKeys({ name }: Pick<KeyFields, 'name'>): ExternalKeys {
    return {
      readStored: () => this.#received.get(name),
      readVariable: (variable) => this.#readVariable(variable),
    };
  }

  /**
   * Finds the source of an upstream's key. If it has several keys, finds the source of the first key that is not
   * missing.
   */
  findSourceKind(upstream: KeyFields): KeySourceKind {
    if (this.#received.has(upstream.name)) return 'window';
    const kinds = (upstream.keys ?? [upstream]).map((each) => this.#findSourceKind(each));
    return kinds.find((kind) => kind !== 'missing') ?? 'missing';
  }

  /** Lists the keys of an upstream in the order of their use; empty unless it has a list of keys. */
  listStatuses({ name, keys = [] }: KeyFields, restingKeys: readonly RestingKey[]): readonly KeyStatus[] {
    const storedKeys = this.#received.has(name) ? [{ name: storedKeyName, source: 'window' as const }] : [];
    const listedKeys = keys.map((key) => ({ name: deriveKeyName(key), source: this.#findSourceKind(key) }));
    return (keys.length === 0 ? [] : [...storedKeys, ...listedKeys]).map((key) => {
      const resting = restingKeys.find((each) => each.name === key.name);
      return {
        ...key,
        ...(resting && { refused: resting.status, restsUntil: Math.ceil(Date.now() + resting.leftMs) }),
      };
    });
  }

  /** Replaces the upstreams. Afterwards, `secrets` contains the current values of their variables. */
  setUpstreams(upstreams: readonly KeyFields[]): void {
    const sources: readonly SourceFields[] = upstreams.flatMap((each) => [each, ...(each.keys ?? [])]);
    const variables = sources.map(({ keyEnv }) => this.#readVariable(keyEnv));
    this.#variables = variables.filter((key) => key !== undefined);
  }

  /** All known keys, which must not appear in a log. */
  get secrets(): readonly string[] {
    return [...this.#received.values(), ...this.#variables];
  }

  #findSourceKind({ keyEnv, keyCommand, keyFile }: SourceFields): Exclude<KeySourceKind, 'window'> {
    if (this.#readVariable(keyEnv) !== undefined) return 'environment';
    if (keyCommand !== undefined) return 'command';
    if (keyFile !== undefined) return 'file';
    return keyEnv === undefined ? 'none' : 'missing';
  }

  #readVariable(name: string | undefined): string | undefined {
    return (name !== undefined && this.#env[name]?.trim()) || undefined;
  }
}
