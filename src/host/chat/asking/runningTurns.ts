/** The turns of a chat whose replies arrive, each to be stopped by itself. */
export class RunningTurns {
  readonly #requests = new Map<string, AbortController>();

  get isEmpty(): boolean {
    return this.#requests.size === 0;
  }

  has(turnId: string): boolean {
    return this.#requests.has(turnId);
  }

  /** @returns aborted once the turn is to stop */
  begin(turnId: string): AbortSignal {
    const request = new AbortController();
    this.#requests.set(turnId, request);
    return request.signal;
  }

  end(turnId: string): void {
    this.#requests.delete(turnId);
  }

  /** Stops one turn, or all. They run until they have ended. */
  stop(turnId?: string): void {
    const stopped = turnId === undefined ? [...this.#requests.values()] : [this.#requests.get(turnId)];
    for (const request of stopped) request?.abort();
  }
}
