/** What the configuration says of an upstream's key. */
export interface KeyFields {
  readonly name: string;
  readonly keyEnv?: string | undefined;
  readonly keyCommand?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** Where the key of an upstream comes from; `missing` where the configuration names a variable that is not set. */
export type KeyPlace = 'window' | 'environment' | 'command' | 'file' | 'missing' | 'none';

/** The keys that were given to this process: by a window, which count first, or by environment variables. */
export class Keys {
  readonly #env: NodeJS.ProcessEnv;
  readonly #received = new Map<string, string>();
  #variables: readonly string[] = [];

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Takes keys by the names of upstreams; an empty one is forgotten. */
  receive(keys: Readonly<Record<string, string>>): void {
    for (const [name, key] of Object.entries(keys)) {
      if (key.trim() === '') this.#received.delete(name);
      else this.#received.set(name, key.trim());
    }
  }

  /** The key that was given for an upstream. */
  given({ name, keyEnv }: KeyFields): string | undefined {
    return this.#received.get(name) ?? this.#variable(keyEnv);
  }

  placeOf(upstream: KeyFields): KeyPlace {
    if (this.#received.has(upstream.name)) return 'window';
    if (this.#variable(upstream.keyEnv) !== undefined) return 'environment';
    if (upstream.keyCommand !== undefined) return 'command';
    if (upstream.keyFile !== undefined) return 'file';
    return upstream.keyEnv === undefined ? 'none' : 'missing';
  }

  /** Says which upstreams there are, whose keys are then known. */
  follow(upstreams: readonly KeyFields[]): void {
    const variables = upstreams.map(({ keyEnv }) => this.#variable(keyEnv));
    this.#variables = variables.filter((key) => key !== undefined);
  }

  /** All keys that are known, so that none stands in a log. */
  get secrets(): readonly string[] {
    return [...this.#received.values(), ...this.#variables];
  }

  #variable(name: string | undefined): string | undefined {
    return (name !== undefined && this.#env[name]?.trim()) || undefined;
  }
}
