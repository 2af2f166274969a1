import type { ReplyStream } from './replyStream.ts';

interface RunningTurn {
  readonly abortController: AbortController;
  readonly stream: ReplyStream;
}

/** The turns of a chat whose replies are arriving. Each can be stopped separately. */
export class RunningTurns {
  readonly #turns = new Map<string, RunningTurn>();

  get isEmpty(): boolean {
    return this.#turns.size === 0;
  }

  has(turnId: string): boolean {
    return this.#turns.has(turnId);
  }

  /** @returns a signal that `stop` aborts */
  begin(turnId: string, stream: ReplyStream): AbortSignal {
    const abortController = new AbortController();
    this.#turns.set(turnId, { abortController, stream });
    return abortController.signal;
  }

  end(turnId: string): void {
    this.#turns.delete(turnId);
  }

  /** Stops one turn, or all. Stopped turns are still listed until they have ended. */
  stop(turnId?: string): void {
    const stopped = turnId === undefined ? [...this.#turns.values()] : [this.#turns.get(turnId)];
    for (const turn of stopped) turn?.abortController.abort();
  }

  /** Reports the pieces of replies that wait for the next frame. */
  flush(): void {
    for (const { stream } of this.#turns.values()) stream.flush();
  }
}
