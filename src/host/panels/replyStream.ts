import type { ChatEvent } from '../../wire/chatEvent.ts';

const frameMs = 16;

/** Gathers what a reply brings and hands it on at most once a frame, whatever the network's rhythm. */
export class ReplyStream {
  readonly #send: (text: string, reasoning: string, other: boolean) => void;
  #text = '';
  #reasoning = '';
  #other = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param send gets the new text, the new reasoning, and whether anything else changed too. */
  constructor(send: (text: string, reasoning: string, other: boolean) => void) {
    this.#send = send;
  }

  add(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (!('choice' in event) || event.choice !== 0) continue;
      if (event.type === 'text' || event.type === 'refusal') this.#text += event.text;
      else if (event.type === 'reasoning') this.#reasoning += event.text;
      else if (event.type === 'toolCall') this.#other = true;
    }
    if (this.#hasNews) this.#timer ??= setTimeout(() => this.flush(), frameMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#hasNews) return;
    const [text, reasoning, other] = [this.#text, this.#reasoning, this.#other];
    this.#text = '';
    this.#reasoning = '';
    this.#other = false;
    this.#send(text, reasoning, other);
  }

  get #hasNews(): boolean {
    return this.#text !== '' || this.#reasoning !== '' || this.#other;
  }
}
