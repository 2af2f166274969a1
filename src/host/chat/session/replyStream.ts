import { Throttle } from '../../../base/throttle.ts';
import { CallOrder, maxChoices } from '../../../conversations/conversation/reply.ts';
import type { CitationView, ImageView, ReplyDelta, ToolCallDelta } from '../../../protocol/chatTurn.ts';
import type { ChatEvent } from '../../../wire/chatEvent.ts';
import { citationView } from '../view/replyView.ts';

/** The interval between updates of the page, in milliseconds. */
const frameMs = 16;

type ChoiceEvent = Extract<ChatEvent, { choice: number }>;

/**
 * Collects the events of a reply and forwards the additions at most once per frame. So the cost per event does not
 * grow with the length of the reply.
 */
export class ReplyStream {
  readonly #send: (deltas: readonly ReplyDelta[]) => void;
  readonly #callOrders = new Map<number, CallOrder>();
  readonly #gathered = new Map<number, GatheredAddition>();
  readonly #throttle = new Throttle(() => this.#sendGathered(), frameMs);

  constructor(send: (deltas: readonly ReplyDelta[]) => void) {
    this.#send = send;
  }

  add(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if ('choice' in event && event.type !== 'finish' && event.choice < maxChoices) {
        this.#gather(event.choice).add(event);
      }
    }
    if (this.#gathered.size > 0) this.#throttle.schedule();
  }

  /** Forwards the collected additions without waiting for the next frame. */
  flush(): void {
    this.#throttle.flush();
  }

  #sendGathered(): void {
    const deltas = [...this.#gathered.values()].map((gathered) => gathered.delta);
    this.#gathered.clear();
    if (deltas.length > 0) this.#send(deltas);
  }

  #gather(choice: number): GatheredAddition {
    const calls = this.#callOrders.get(choice) ?? new CallOrder();
    this.#callOrders.set(choice, calls);
    const gathered = this.#gathered.get(choice) ?? new GatheredAddition(choice, calls);
    this.#gathered.set(choice, gathered);
    return gathered;
  }
}

/** The additions to one choice of a reply since the last frame. */
class GatheredAddition {
  readonly #choice: number;
  readonly #callOrder: CallOrder;
  readonly #toolCalls = new Map<number, ToolCallDelta>();
  readonly #images: ImageView[] = [];
  readonly #citations: CitationView[] = [];
  #text = '';
  #reasoning = '';

  constructor(choice: number, callOrder: CallOrder) {
    this.#choice = choice;
    this.#callOrder = callOrder;
  }

  add(event: ChoiceEvent): void {
    if (event.type === 'text' || event.type === 'refusal') this.#text += event.text;
    else if (event.type === 'reasoning') this.#reasoning += event.text;
    else if (event.type === 'toolCall') this.#addToolCall(event);
    else if (event.type === 'media') this.#images.push({ mimeType: event.mimeType, data: event.data });
    else if (event.type !== 'finish') this.#citations.push(citationView(event));
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
    const position = this.#callOrder.of(fragment.index);
    const earlier = this.#toolCalls.get(position);
    const name = fragment.name ?? earlier?.name;
    this.#toolCalls.set(position, {
      position,
      ...(name !== undefined && { name }),
      arguments: (earlier?.arguments ?? '') + (fragment.arguments ?? ''),
    });
  }
}
