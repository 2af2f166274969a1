import { setImmediate } from 'node:timers/promises';
import { type JsonObject, jsonText, parseJson } from '../../base/json.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';

/** A model's turn in one reply, stored so that it can be sent back when the conversation continues. */
export interface VerbatimTurn {
  /** The turn is only sent back to this model: signatures are invalid elsewhere. */
  readonly turnModel: TurnModel;
  /** The turn in the structure of the API format, unchanged. */
  readonly verbatim: readonly JsonObject[];
  /** Its tool calls in order: the id that clients use, and the provider's id, which may be empty. */
  readonly calls: readonly { readonly id: string; readonly ownId: string }[];
  /** A note to the model that is sent with the results, such as why another call was not made. */
  readonly note?: string;
}

/** The gateway, model and API format that produced a turn. */
export interface TurnModel {
  /** The key of the gateway, for `findGatewayByKey`. */
  readonly gateway: string;
  /** The exact id, to be sent unchanged as the request field `model`. */
  readonly model: string;
  readonly format: TextFormatId;
}

/** A turn as it is stored. */
export interface StoredTurn {
  readonly id: string;
  /** JSON text of a `VerbatimTurn`. */
  readonly turn: string;
}

/** The storage of turns, on another thread. */
interface TurnStorage {
  add(turn: StoredTurn): Promise<unknown>;
  find(ids: readonly string[]): Promise<readonly StoredTurn[]>;
}

/** The maximum length of a stored turn, in UTF-16 units: pictures can make a turn longer. */
const maxTurnLength = 8 * 1024 * 1024;

/** The maximum total size of the turns in memory, in UTF-16 units. */
const maxCachedLength = 32 * 1024 * 1024;

/** How long turns are parsed without a pause, in milliseconds. */
const maxParseMs = 8;

/**
 * Model turns with tool calls, or with a signature of their reasoning, by ids that the caller generates. The turns
 * survive restarts, and all windows share them. Without a stored turn, the conversation continues without its
 * reasoning.
 */
export class VerbatimTurns {
  readonly #storage: TurnStorage;
  readonly #onError: (error: unknown) => void;
  /** By id; `turn` is undefined if there is no such turn. The most recently added turn is last. */
  readonly #cachedTurns = new Map<
    string,
    { readonly turn: VerbatimTurn | undefined; readonly length: number }
  >();
  #totalLength = 0;

  /** @param onError called with errors of storing or reading */
  constructor(storage: TurnStorage, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#onError = onError;
  }

  /** Adds a turn to memory at once, and stores it. */
  add(id: string, turn: VerbatimTurn): void {
    const text = jsonText(turn);
    if (text === undefined || text.length > maxTurnLength) return;
    this.#cache(id, turn, text.length);
    void this.#storage.add({ id, turn: text }).catch(this.#onError);
  }

  /** Finds the turns with these ids; synchronously if all of them are in memory. */
  find(
    ids: readonly string[],
  ): ReadonlyMap<string, VerbatimTurn> | Promise<ReadonlyMap<string, VerbatimTurn>> {
    const missing = ids.filter((id) => !this.#cachedTurns.has(id));
    return missing.length === 0
      ? this.#findCached(ids)
      : this.#read(missing).then(() => this.#findCached(ids));
  }

  #findCached(ids: readonly string[]): ReadonlyMap<string, VerbatimTurn> {
    return new Map(
      ids.flatMap((id) => {
        const turn = this.#cachedTurns.get(id)?.turn;
        return turn ? [[id, turn] as const] : [];
      }),
    );
  }

  async #read(ids: readonly string[]): Promise<void> {
    let stored: readonly StoredTurn[];
    try {
      stored = await this.#storage.find(ids);
    } catch (error) {
      this.#onError(error);
      return;
    }
    // Unknown ids are also cached, so that each id is read only once.
    for (const id of ids) if (!this.#cachedTurns.has(id)) this.#cache(id, undefined, 0);
    let start = performance.now();
    for (const { id, turn } of stored) {
      this.#cache(id, parseJson(turn) as VerbatimTurn | undefined, turn.length);
      if (performance.now() - start < maxParseMs) continue;
      await setImmediate();
      start = performance.now();
    }
  }

  #cache(id: string, turn: VerbatimTurn | undefined, length: number): void {
    this.#evict(id);
    this.#cachedTurns.set(id, { turn, length });
    this.#totalLength += length;
    for (const oldest of this.#cachedTurns.keys()) {
      if (this.#totalLength <= maxCachedLength || oldest === id) break;
      this.#evict(oldest);
    }
  }

  #evict(id: string): void {
    this.#totalLength -= this.#cachedTurns.get(id)?.length ?? 0;
    this.#cachedTurns.delete(id);
  }
}
