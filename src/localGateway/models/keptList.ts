import { HttpError } from '../http/httpError.ts';
import type { ListedModel } from '../upstreams/upstream.ts';

/** How long a list is taken for current, in milliseconds. */
const lifetimeMs = 10_000;
/** How old a list may become while its models are asked, in milliseconds. */
const refreshMs = 60_000;
/** How long the upstream may take to list its models, in milliseconds. */
const timeoutMs = 5_000;
/** How long callers wait for a newer list where something is known already, in milliseconds. */
const patienceMs = 1_000;
/** The shortest time between two searches for a model that no list has, after a failure, in milliseconds. */
const searchMs = 1_000;

/** Why a list could not be read. */
export interface ListFailure {
  readonly reason: string;
  /** Whether only a change of the configuration can help. */
  readonly isLasting: boolean;
  /** The code of the error; absent where nobody knows what it was. */
  readonly code?: string;
}

/**
 * The models of one upstream as it listed them last. They stay when the upstream fails later. Callers at the same
 * time share one request.
 */
export class KeptList {
  readonly #load: (signal: AbortSignal) => Promise<readonly ListedModel[]>;
  readonly #now: () => number;
  #models: readonly ListedModel[] | undefined;
  #failure: ListFailure | undefined;
  #version = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  /** @param now milliseconds of a clock that only goes on */
  constructor(
    load: (signal: AbortSignal) => Promise<readonly ListedModel[]>,
    now: () => number = () => performance.now(),
  ) {
    this.#load = load;
    this.#now = now;
  }

  /** What was listed last; undefined where nothing ever was. */
  get models(): readonly ListedModel[] | undefined {
    return this.#models;
  }

  /** Why the last attempt failed; undefined when it did not. */
  get failure(): ListFailure | undefined {
    return this.#failure;
  }

  /** Grows with each new list. */
  get version(): number {
    return this.#version;
  }

  /** Whether the upstream has been asked, and has answered or failed. */
  get isKnown(): boolean {
    return this.#models !== undefined || this.#failure !== undefined;
  }

  /** Waits until the upstream has been asked once. Never rejects. */
  async known(): Promise<void> {
    if (!this.isKnown) await this.#ask();
  }

  /** Brings the list up to date, as far as the upstream answers soon. Never rejects. */
  async refresh(): Promise<void> {
    if (!this.#failure && this.#age < lifetimeMs) return;
    const wasKnown = this.isKnown;
    const asked = this.#ask();
    await (wasKnown ? Promise.race([asked, patience()]) : asked);
  }

  /** Looks for a model that the list does not have, unless that was done just now. Never rejects. */
  async search(): Promise<void> {
    if (this.#age >= (this.#failure ? searchMs : lifetimeMs)) await this.#ask();
  }

  /** Reads an old list again in the background. */
  use(): void {
    if (this.#age >= refreshMs) void this.#ask();
  }

  /** Lets the next reader ask the upstream again: it may have failed since. */
  doubt(): void {
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  get #age(): number {
    return this.#now() - this.#askedAt;
  }

  #ask(): Promise<void> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    try {
      this.#models = await this.#load(AbortSignal.timeout(timeoutMs));
      this.#failure = undefined;
      this.#version += 1;
    } catch (error) {
      this.#failure = failureOf(error);
    }
    this.#askedAt = this.#now();
  }
}

function failureOf(error: unknown): ListFailure {
  if (!(error instanceof HttpError)) return { reason: 'Its models could not be listed.', isLasting: false };
  const { message, status, code } = error;
  return { reason: message, isLasting: status === 424, code };
}

function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, patienceMs).unref();
  });
}
