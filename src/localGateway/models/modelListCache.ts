import { setTimeout as wait } from 'node:timers/promises';
import { HttpError } from '../http/httpError.ts';
import type { ListedModel } from '../upstreams/upstream.ts';

/** How long a list is current, in milliseconds. */
const lifetimeMs = 10_000;
/** The age from which a request to a model refreshes the list in the background, in milliseconds. */
const refreshMs = 60_000;
/** How long the upstream may take to list its models, in milliseconds. */
const timeoutMs = 5_000;
/** How long callers wait for a newer list if there is an older one, in milliseconds. */
const patienceMs = 1_000;
/** The shortest time between two searches for an unlisted model after a failure, in milliseconds. */
const searchMs = 1_000;

/** Why a list could not be read. */
export interface ListFailure {
  readonly reason: string;
  /** Whether only a change of the configuration can fix it. */
  readonly isLasting: boolean;
  /** The code of the error; absent if it is unknown. */
  readonly code?: string;
}

/**
 * The last list of models of one upstream. It is still served when the upstream fails later. Concurrent callers
 * share one request.
 */
export class ModelListCache {
  readonly #load: (signal: AbortSignal) => Promise<readonly ListedModel[]>;
  readonly #now: () => number;
  #models: readonly ListedModel[] | undefined;
  #modelById: ReadonlyMap<string, ListedModel> = new Map();
  #failure: ListFailure | undefined;
  #version = 0;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  /** @param now milliseconds of a monotonic clock */
  constructor(
    load: (signal: AbortSignal) => Promise<readonly ListedModel[]>,
    now: () => number = () => performance.now(),
  ) {
    this.#load = load;
    this.#now = now;
  }

  /** The last list; undefined if no list was read yet. */
  get models(): readonly ListedModel[] | undefined {
    return this.#models;
  }

  /** Finds a model in the last list. */
  find(id: string): ListedModel | undefined {
    return this.#modelById.get(id);
  }

  /** Why the last request failed; undefined if it succeeded. */
  get failure(): ListFailure | undefined {
    return this.#failure;
  }

  /** Increases with each new list. */
  get version(): number {
    return this.#version;
  }

  /** Whether the list was requested and the upstream replied or failed. */
  get wasRequested(): boolean {
    return this.#models !== undefined || this.#failure !== undefined;
  }

  /** Waits until the list was requested once. Never rejects. */
  async ensureRequested(): Promise<void> {
    if (!this.wasRequested) await this.#requestOnce();
  }

  /** Refreshes the list if the upstream replies soon. Never rejects. */
  async refresh(): Promise<void> {
    if (!this.#failure && this.#age < lifetimeMs) return;
    const hadResult = this.wasRequested;
    const request = this.#requestOnce();
    await (hadResult ? Promise.race([request, wait(patienceMs, undefined, { ref: false })]) : request);
  }

  /** Refreshes the list to find an unlisted model, unless the list was just read. Never rejects. */
  async search(): Promise<void> {
    if (this.#age >= (this.#failure ? searchMs : lifetimeMs)) await this.#requestOnce();
  }

  /** Refreshes an old list in the background. */
  refreshIfOld(): void {
    if (this.#age >= refreshMs) void this.#requestOnce();
  }

  /** Makes the next reader request the list again, because the upstream may have failed since. */
  invalidate(): void {
    this.#requestedAt = Number.NEGATIVE_INFINITY;
  }

  get #age(): number {
    return this.#now() - this.#requestedAt;
  }

  #requestOnce(): Promise<void> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    try {
      this.#models = await this.#load(AbortSignal.timeout(timeoutMs));
      // The first of several models with the same ID counts.
      this.#modelById = new Map(this.#models.toReversed().map((model) => [model.id, model]));
      this.#failure = undefined;
      this.#version += 1;
    } catch (error) {
      this.#failure = describeFailure(error);
    }
    this.#requestedAt = this.#now();
  }
}

function describeFailure(error: unknown): ListFailure {
  if (!(error instanceof HttpError)) return { reason: 'Its models could not be listed.', isLasting: false };
  const { message, status, code } = error;
  return { reason: message, isLasting: status === 424, code };
}
