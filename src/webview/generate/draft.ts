import type { GenerateTarget } from '../../protocol/generatePage.ts';
import type { ParameterValues } from '../../protocol/pageMessage.ts';
import type { Problem } from '../words/problems.ts';

/** What was entered, with what it was entered for. */
export interface Entered {
  readonly model: string | undefined;
  readonly route: string;
  readonly values: ParameterValues;
}

/** Longest body the host takes, in UTF-16 units of its JSON. */
const maxBodyLength = 1024 * 1024;

/** What was entered and has not reached the host, where it goes once a frame. Kept over a reload until then. */
export class Draft {
  readonly #send: (values: ParameterValues) => void;
  readonly #keep: (entered: Entered | undefined) => void;
  #entered: Entered | undefined;
  #size = 0;
  #frame: number | undefined;
  /** A snapshot is on its way that may be older than what is entered until it comes. */
  #awaiting = true;

  /** @param entered what was kept over a reload */
  constructor(
    entered: Entered | undefined,
    send: (values: ParameterValues) => void,
    keep: (entered: Entered | undefined) => void,
  ) {
    this.#send = send;
    this.#keep = keep;
    this.#hold(entered);
  }

  /** Why the host would not take it, if so: then it stays here. */
  get problem(): Problem | undefined {
    if (this.#size <= maxBodyLength) return undefined;
    return { kind: 'request-too-long', length: this.#size, max: maxBodyLength };
  }

  enter({ model, route }: GenerateTarget, values: ParameterValues): void {
    this.#hold({ model, route, values });
    this.#keep(this.#entered);
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.send();
    });
  }

  /** Sends it now. */
  send(): void {
    if (!this.#entered || this.problem !== undefined) return;
    this.#send(this.#entered.values);
    if (!this.#awaiting) this.forget();
  }

  /** Sends it, and keeps it until the next snapshot. */
  expectSnapshot(): void {
    this.#awaiting = true;
    this.send();
  }

  /** What to show in the place of a snapshot's values; undefined when nothing is entered for its model and route. */
  over({ model, route }: GenerateTarget): ParameterValues | undefined {
    const entered = this.#entered;
    this.#awaiting = false;
    if (!entered || entered.model !== model || entered.route !== route) {
      this.forget();
      return undefined;
    }
    this.send();
    return entered.values;
  }

  /** Other values have taken its place. */
  forget(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#hold(undefined);
    this.#keep(undefined);
  }

  #hold(entered: Entered | undefined): void {
    this.#entered = entered;
    this.#size = entered ? JSON.stringify(entered.values).length : 0;
  }
}
