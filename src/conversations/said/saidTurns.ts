import { setImmediate } from 'node:timers/promises';
import { jsonText, parseJson } from '../../base/json.ts';
import type { SaidTurn, StoredTurn } from './saidTurn.ts';

/** Where turns are stored, on another thread. */
export interface StoredTurns {
  keep(turn: StoredTurn): Promise<unknown>;
  find(ids: readonly string[]): Promise<readonly StoredTurn[]>;
}

/** The longest turn that is kept, in UTF-16 units: pictures make one longer. */
const maxTurnLength = 8 * 1024 * 1024;

/** The most that this window remembers by itself, in UTF-16 units. */
const maxRememberedLength = 32 * 1024 * 1024;

/** How long to read turns before others get their turn, in milliseconds. */
const readingMs = 8;

/**
 * What models said with calls, or with a proof of their reasoning, by ids that the caller makes, over restarts and in
 * all windows. Without it the conversation goes on, without its reasoning.
 */
export class SaidTurns {
  readonly #stored: StoredTurns;
  readonly #onError: (error: unknown) => void;
  /** By its id; undefined for one that is not stored. The one that was used last comes last. */
  readonly #remembered = new Map<string, { readonly turn: SaidTurn | undefined; readonly length: number }>();
  #length = 0;
  #keeping: Promise<unknown> = Promise.resolve();

  /** @param onError told what could not be stored or read */
  constructor(stored: StoredTurns, onError: (error: unknown) => void) {
    this.#stored = stored;
    this.#onError = onError;
  }

  /** Remembers a turn at once, and stores it. */
  keep(id: string, turn: SaidTurn): void {
    const text = jsonText(turn);
    if (text === undefined || text.length > maxTurnLength) return;
    this.#remember(id, turn, text.length);
    const kept = this.#stored.keep({ id, turn: text }).catch(this.#onError);
    this.#keeping = Promise.all([this.#keeping, kept]);
  }

  /** The turns of these ids, as far as they are known: at once where all of them are remembered. */
  find(ids: readonly string[]): ReadonlyMap<string, SaidTurn> | Promise<ReadonlyMap<string, SaidTurn>> {
    const missing = ids.filter((id) => !this.#remembered.has(id));
    return missing.length === 0 ? this.#those(ids) : this.#read(missing).then(() => this.#those(ids));
  }

  /** Resolves once all is stored that was to be kept. */
  async settled(): Promise<void> {
    await this.#keeping;
  }

  #those(ids: readonly string[]): ReadonlyMap<string, SaidTurn> {
    return new Map(
      ids.flatMap((id) => {
        const turn = this.#remembered.get(id)?.turn;
        return turn ? [[id, turn] as const] : [];
      }),
    );
  }

  async #read(ids: readonly string[]): Promise<void> {
    let stored: readonly StoredTurn[];
    try {
      stored = await this.#stored.find(ids);
    } catch (error) {
      this.#onError(error);
      return;
    }
    // Another window may store it later, or not at all: it is looked for once.
    for (const id of ids) if (!this.#remembered.has(id)) this.#remember(id, undefined, 0);
    let since = performance.now();
    for (const { id, turn } of stored) {
      this.#remember(id, parseJson(turn) as SaidTurn | undefined, turn.length);
      if (performance.now() - since < readingMs) continue;
      await setImmediate();
      since = performance.now();
    }
  }

  #remember(id: string, turn: SaidTurn | undefined, length: number): void {
    this.#forget(id);
    this.#remembered.set(id, { turn, length });
    this.#length += length;
    for (const oldest of this.#remembered.keys()) {
      if (this.#length <= maxRememberedLength || oldest === id) break;
      this.#forget(oldest);
    }
  }

  #forget(id: string): void {
    this.#length -= this.#remembered.get(id)?.length ?? 0;
    this.#remembered.delete(id);
  }
}
