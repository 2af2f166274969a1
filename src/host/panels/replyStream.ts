import type { ChatEvent } from '../../wire/chatEvent.ts';

const frameMs = 16;

/** Text that was added to one choice of a reply. */
export interface Addition {
  readonly choice: number;
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Gathers what a reply brings and hands it on at most once a frame, whatever the network's rhythm: as
 * additions of text, or, when more than text came, as one word that all of it has to be shown anew.
 */
export class ReplyStream {
  readonly #send: (news: readonly Addition[] | 'everything') => void;
  readonly #additions = new Map<number, Addition>();
  #everything = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (news: readonly Addition[] | 'everything') => void) {
    this.#send = send;
  }

  add(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (!('choice' in event)) continue;
      if (event.type === 'text' || event.type === 'refusal') this.#append(event.choice, event.text, '');
      else if (event.type === 'reasoning') this.#append(event.choice, '', event.text);
      else if (event.type !== 'finish') this.#everything = true;
    }
    if (this.#everything || this.#additions.size > 0) {
      this.#timer ??= setTimeout(() => this.flush(), frameMs);
    }
  }

  /** Hands on what has gathered, now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const additions = [...this.#additions.values()];
    const everything = this.#everything;
    this.#additions.clear();
    this.#everything = false;
    if (everything) this.#send('everything');
    else if (additions.length > 0) this.#send(additions);
  }

  #append(choice: number, text: string, reasoning: string): void {
    const sofar = this.#additions.get(choice) ?? { choice, text: '', reasoning: '' };
    this.#additions.set(choice, { choice, text: sofar.text + text, reasoning: sofar.reasoning + reasoning });
  }
}
