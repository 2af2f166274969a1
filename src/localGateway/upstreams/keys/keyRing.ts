import type { Cancellation } from '../../../base/cancellation.ts';
import { KeyError, type KeySource } from '../../../base/node/keySource.ts';

/** How long a key rests after it reached a limit, in milliseconds, unless the upstream requests a time. */
const limitedRestMs = 60_000;
/**
 * How long a key rests after a refusal of the key or of its account. Such a refusal lasts until the user acts, so
 * the rest is longer.
 */
const refusedRestMs = 30 * 60_000;
/** The longest rest that an upstream may request, in milliseconds. */
const maxRestMs = 24 * 60 * 60_000;
/** The most models with a rest. Above this number, the rest of the model that was refused first is forgotten. */
const maxModels = 500;

/** One of the keys of an upstream. */
export interface NamedKey {
  /** Absent if the upstream has only this key. */
  readonly name?: string;
  readonly source: KeySource;
}

/** A key for one request. */
export interface TakenKey {
  readonly key: NamedKey;
  /** Undefined if no key is sent. */
  readonly value: string | undefined;
}

/** A refusal after which another key may succeed. */
export interface KeyFault {
  readonly status: number;
  /** The requested wait in milliseconds; undefined if the reply does not request one. */
  readonly waitMs: number | undefined;
  /** Whether it concerns the key or its account, not only a rate limit of one model. */
  readonly isForAllModels: boolean;
}

/** A key that is not used for a while. */
export interface RestingKey {
  readonly name: string;
  /** The status of the refusal. */
  readonly status: number;
  readonly leftMs: number;
  readonly isForAllModels: boolean;
}

interface KeyRest extends KeyFault {
  /** By the monotonic clock, in milliseconds. */
  readonly until: number;
  /** The refused value. After a change of its value, the key does not rest. */
  readonly value: string | undefined;
}

interface KeyRingOptions {
  /** Called when a key begins to rest. */
  readonly onRest?: ((resting: RestingKey) => void) | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** The request for which a key is read. */
interface KeyRequest {
  readonly model: string | undefined;
  /** The name of the only key that may be used. */
  readonly keyName: string | undefined;
  readonly signal: Cancellation;
}

/**
 * The keys of an upstream, in the order of the configuration. The first key that does not rest is used. If the
 * upstream has only one key, that key never rests.
 */
export class KeyRing {
  readonly #keys: readonly NamedKey[];
  readonly #onRest: (resting: RestingKey) => void;
  readonly #now: () => number;
  /** The last value of each key. */
  readonly #values = new Map<NamedKey, string>();
  /** The rests of each key, by model. The rest for all models has the key `undefined`. */
  readonly #rests = new Map<NamedKey, Map<string | undefined, KeyRest>>();

  constructor(
    keys: readonly NamedKey[],
    { onRest = () => {}, now = () => performance.now() }: KeyRingOptions = {},
  ) {
    this.#keys = keys;
    this.#onRest = onRest;
    this.#now = now;
  }

  get hasSeveral(): boolean {
    return this.#keys.length > 1;
  }

  /** The values of all keys that were read so far. No reply may contain them. */
  get values(): readonly string[] {
    return [...this.#values.values()];
  }

  /** The keys that rest now, for all models or for some. */
  get restingKeys(): readonly RestingKey[] {
    return this.#keys.flatMap((key) => {
      const rests = [...(this.#rests.get(key) ?? [])].map(([, rest]) => rest);
      const [longest] = rests.filter((rest) => this.#leftMs(rest) > 0).sort((a, b) => b.until - a.until);
      return longest === undefined ? [] : [this.#describe(key, longest)];
    });
  }

  /**
   * Reads the key for the next attempt of a request. This may run a command or read a file.
   *
   * @param refused the keys that were refused for this request
   * @returns undefined if all other keys rest, or if no other key may be used
   * @throws {KeyError} if no key can be read
   */
  async takeKey(request: KeyRequest, refused: readonly NamedKey[] = []): Promise<TakenKey | undefined> {
    const [onlyKey] = this.#keys;
    if (!this.hasSeveral)
      return onlyKey && refused.length === 0 ? this.#read(onlyKey, request.signal) : undefined;
    if (request.keyName !== undefined) return this.#takeNamed(request.keyName, request.signal, refused);
    const candidates = this.#keys.filter((key) => !refused.includes(key));
    const findRest = (key: NamedKey) => this.#findRest(key, request.model);
    let failure: unknown;
    for (const key of candidates.filter((each) => !findRest(each))) {
      try {
        const taken = await this.#read(key, request.signal);
        if (taken.value !== undefined) return taken;
      } catch (error) {
        if (!(error instanceof KeyError)) throw error;
        failure ??= error;
      }
    }
    if (refused.length > 0) return undefined;
    // A resting key is read only if there is no other key, because its command may take long.
    for (const key of candidates.filter(findRest)) {
      const taken = await this.#read(key, request.signal).catch(() => undefined);
      if (taken && taken.value !== findRest(key)?.value) {
        this.#rests.delete(key);
        return taken;
      }
    }
    if (failure !== undefined && candidates.every((key) => !findRest(key))) throw failure;
    return undefined;
  }

  /** Begins the rest of a refused key. */
  restKey({ key, value }: TakenKey, model: string | undefined, fault: KeyFault): void {
    if (!this.hasSeveral) return;
    const defaultMs = fault.isForAllModels ? refusedRestMs : limitedRestMs;
    const restMs = Math.min(maxRestMs, fault.waitMs ?? defaultMs);
    const rest = { ...fault, value, until: this.#now() + restMs };
    const rests = this.#rests.get(key) ?? new Map<string | undefined, KeyRest>();
    const scope = fault.isForAllModels ? undefined : (model ?? '');
    rests.delete(scope);
    rests.set(scope, rest);
    const models = [...rests.keys()].filter((each) => each !== undefined);
    if (models.length > maxModels) rests.delete(models[0]);
    this.#rests.set(key, rests);
    this.#onRest(this.#describe(key, rest));
  }

  /**
   * Returns the time until the first resting key can be used for a model, in milliseconds; undefined if no key
   * rests.
   */
  findShortestRestMs(model: string | undefined): number | undefined {
    const rests = this.#keys.map((key) => this.#findRest(key, model)).filter((rest) => rest !== undefined);
    return rests.length === 0 ? undefined : Math.min(...rests.map((rest) => this.#leftMs(rest)));
  }

  close(): void {
    for (const { source } of this.#keys) source.close();
  }

  async #takeNamed(
    name: string,
    signal: Cancellation,
    refused: readonly NamedKey[],
  ): Promise<TakenKey | undefined> {
    const key = this.#keys.find((each) => each.name === name);
    const taken = key && refused.length === 0 ? await this.#read(key, signal) : undefined;
    if (refused.length === 0 && taken?.value === undefined)
      throw new KeyError(`its key '${name}', with which this was made, is no longer available`);
    return taken;
  }

  async #read(key: NamedKey, signal: Cancellation): Promise<TakenKey> {
    const value = await key.source.read(signal);
    if (value !== undefined) this.#values.set(key, value);
    return { key, value };
  }

  #findRest(key: NamedKey, model: string | undefined): KeyRest | undefined {
    const rests = this.#rests.get(key);
    const current = [rests?.get(undefined), rests?.get(model ?? '')].filter((rest) => rest !== undefined);
    return current.filter((rest) => this.#leftMs(rest) > 0).sort((a, b) => b.until - a.until)[0];
  }

  #leftMs({ until }: KeyRest): number {
    return Math.max(0, until - this.#now());
  }

  #describe({ name = '' }: NamedKey, rest: KeyRest): RestingKey {
    return { name, status: rest.status, leftMs: this.#leftMs(rest), isForAllModels: rest.isForAllModels };
  }
}
