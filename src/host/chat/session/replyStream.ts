import { Throttle } from '../../../base/throttle.ts';
import { CallNumbers, maxChoices, ReplyBuilder } from '../../../conversations/conversation/reply.ts';
import type { ReplyDelta } from '../../../protocol/chatTurn.ts';
import type { ChatEvent } from '../../../wire/chatEvent.ts';
import { createReplyDelta } from '../view/replyView.ts';

/** The interval between updates of the page, in milliseconds. */
const frameMs = 16;

/**
 * Collects the events of a reply, and forwards the additions at most once per frame. The cost per event does not grow
 * with the length of the reply.
 */
export class ReplyStream {
  readonly #onDeltas: (deltas: readonly ReplyDelta[]) => void;
  readonly #callNumbers = new Map<number, CallNumbers>();
  /** The additions to each choice since the last frame. */
  readonly #additions = new Map<number, ReplyBuilder>();
  readonly #throttle = new Throttle(() => this.#sendAdditions(), frameMs);

  constructor(onDeltas: (deltas: readonly ReplyDelta[]) => void) {
    this.#onDeltas = onDeltas;
  }

  add(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if ('choice' in event && event.type !== 'finish' && event.choice < maxChoices) {
        this.#findAddition(event.choice).appendEvent(event);
      }
    }
    if (this.#additions.size > 0) this.#throttle.schedule();
  }

  /** Forwards the collected additions without waiting for the next frame. */
  flush(): void {
    this.#throttle.flush();
  }

  #sendAdditions(): void {
    const deltas = [...this.#additions].map(([choice, addition]) => createReplyDelta(choice, addition));
    this.#additions.clear();
    if (deltas.length > 0) this.#onDeltas(deltas);
  }

  #findAddition(choice: number): ReplyBuilder {
    const callNumbers = this.#callNumbers.get(choice) ?? new CallNumbers();
    this.#callNumbers.set(choice, callNumbers);
    const addition = this.#additions.get(choice) ?? new ReplyBuilder(undefined, callNumbers);
    this.#additions.set(choice, addition);
    return addition;
  }
}

interface RunningTurn {
  readonly abortController: AbortController;
  readonly stream: ReplyStream;
}

/** The turns of a chat whose replies are arriving. Each turn can be stopped separately. */
export class RunningTurns {
  readonly #turns = new Map<string, RunningTurn>();

  get isEmpty(): boolean {
    return this.#turns.size === 0;
  }

  has(turnId: string): boolean {
    return this.#turns.has(turnId);
  }

  /** Adds a turn. @returns a signal that `stop` aborts */
  begin(turnId: string, stream: ReplyStream): AbortSignal {
    const abortController = new AbortController();
    this.#turns.set(turnId, { abortController, stream });
    return abortController.signal;
  }

  end(turnId: string): void {
    this.#turns.delete(turnId);
  }

  /** Aborts the reply of one turn, or all replies. A turn remains in the list until `end` is called. */
  stop(turnId?: string): void {
    const stopped = turnId === undefined ? [...this.#turns.values()] : [this.#turns.get(turnId)];
    for (const turn of stopped) turn?.abortController.abort();
  }

  /** Forwards the collected additions of all replies without waiting for the next frame. */
  flush(): void {
    for (const { stream } of this.#turns.values()) stream.flush();
  }
}
