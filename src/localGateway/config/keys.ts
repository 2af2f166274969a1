import type { UpstreamConfig } from '../upstreams/upstreamFields.ts';

/** The configuration fields of an upstream's key. */
type KeyFields = Pick<UpstreamConfig, 'name' | 'keyEnv' | 'keyCommand' | 'keyFile'>;

/** The source of an upstream's key; `missing` if the configuration names a variable that is not set. */
type KeySourceKind = 'window' | 'environment' | 'command' | 'file' | 'missing' | 'none';

/** The keys of upstreams that windows sent, which have priority, or that environment variables contain. */
export class Keys {
  readonly #env: NodeJS.ProcessEnv;
  readonly #received = new Map<string, string>();
  #variables: readonly string[] = [];

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Stores keys by the names of upstreams. An empty key is deleted. */
  receive(keys: Readonly<Record<string, string>>): void {
    for (const [name, key] of Object.entries(keys)) {
      if (key.trim() === '') this.#received.delete(name);
      else this.#received.set(name, key.trim());
    }
  }

  /** The key of an upstream from a window or an environment variable. */
  keyFor({ name, keyEnv }: KeyFields): string | undefined {
    return this.#received.get(name) ?? this.#variable(keyEnv);
  }

  sourceKindOf(upstream: KeyFields): KeySourceKind {
    if (this.#received.has(upstream.name)) return 'window';
    if (this.#variable(upstream.keyEnv) !== undefined) return 'environment';
    if (upstream.keyCommand !== undefined) return 'command';
    if (upstream.keyFile !== undefined) return 'file';
    return upstream.keyEnv === undefined ? 'none' : 'missing';
  }

  /** Sets the current upstreams, whose variables are then read for `secrets`. */
  setUpstreams(upstreams: readonly KeyFields[]): void {
    const variables = upstreams.map(({ keyEnv }) => this.#variable(keyEnv));
    this.#variables = variables.filter((key) => key !== undefined);
  }

  /** All known keys, which must not appear in a log. */
  get secrets(): readonly string[] {
    return [...this.#received.values(), ...this.#variables];
  }

  #variable(name: string | undefined): string | undefined {
    return (name !== undefined && this.#env[name]?.trim()) || undefined;
  }
}
