import { Throttle } from '../../../base/throttle.ts';
import { CallNumbers, maxChoices } from '../../../conversations/conversation/reply.ts';
import type { CitationView, ImageView, ReplyDelta, ToolCallDelta } from '../../../protocol/chatTurn.ts';
import type { ChatEvent } from '../../../wire/chatEvent.ts';
import { createCitationView } from '../view/replyView.ts';

/** The interval between updates of the page, in milliseconds. */
const frameMs = 16;

type ChoiceEvent = Extract<ChatEvent, { choice: number }>;

/**
 * Collects the events of a reply, and forwards the additions at most once per frame. The cost per event does not grow
 * with the length of the reply.
 */
export class ReplyStream {
  readonly #onDeltas: (deltas: readonly ReplyDelta[]) => void;
  readonly #callNumbers = new Map<number, CallNumbers>();
  readonly #additions = new Map<number, ReplyAddition>();
  readonly #throttle = new Throttle(() => this.#sendAdditions(), frameMs);

  constructor(onDeltas: (deltas: readonly ReplyDelta[]) => void) {
    this.#onDeltas = onDeltas;
  }

  add(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if ('choice' in event && event.type !== 'finish' && event.choice < maxChoices) {
        this.#findAddition(event.choice).add(event);
      }
    }
    if (this.#additions.size > 0) this.#throttle.schedule();
  }

  /** Forwards the collected additions without waiting for the next frame. */
  flush(): void {
    this.#throttle.flush();
  }

  #sendAdditions(): void {
    const deltas = [...this.#additions.values()].map((addition) => addition.delta);
    this.#additions.clear();
    if (deltas.length > 0) this.#onDeltas(deltas);
  }

  #findAddition(choice: number): ReplyAddition {
    const callNumbers = this.#callNumbers.get(choice) ?? new CallNumbers();
    this.#callNumbers.set(choice, callNumbers);
    const addition = this.#additions.get(choice) ?? new ReplyAddition(choice, callNumbers);
    this.#additions.set(choice, addition);
    return addition;
  }
}

/** The additions to one choice of a reply since the last frame. */
class ReplyAddition {
  readonly #choice: number;
  readonly #callNumbers: CallNumbers;
  readonly #toolCalls = new Map<number, ToolCallDelta>();
  readonly #images: ImageView[] = [];
  readonly #citations: CitationView[] = [];
  #text = '';
  #reasoning = '';

  constructor(choice: number, callNumbers: CallNumbers) {
    this.#choice = choice;
    this.#callNumbers = callNumbers;
  }

  add(event: ChoiceEvent): void {
    if (event.type === 'text' || event.type === 'refusal') this.#text += event.text;
    else if (event.type === 'reasoning') this.#reasoning += event.text;
    else if (event.type === 'toolCall') this.#addToolCall(event);
    else if (event.type === 'media') this.#images.push({ mimeType: event.mimeType, data: event.data });
    else if (event.type !== 'finish') this.#citations.push(createCitationView(event));
  }

  get delta(): ReplyDelta {
    return {
      choice: this.#choice,
      text: this.#text,
      reasoning: this.#reasoning,
      ...(this.#toolCalls.size > 0 && { toolCalls: [...this.#toolCalls.values()] }),
      ...(this.#images.length > 0 && { images: this.#images }),
      ...(this.#citations.length > 0 && { citations: this.#citations }),
    };
  }

  #addToolCall(fragment: Extract<ChatEvent, { type: 'toolCall' }>): void {
    const position = this.#callNumbers.getNumber(fragment.index);
    const earlierDelta = this.#toolCalls.get(position);
    const name = fragment.name ?? earlierDelta?.name;
    this.#toolCalls.set(position, {
      position,
      ...(name !== undefined && { name }),
      arguments: (earlierDelta?.arguments ?? '') + (fragment.arguments ?? ''),
    });
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
