import { isObject } from '../../base/json.ts';
import type { GenerateTarget } from '../../protocol/generatePage.ts';
import type { ParameterValues } from '../../protocol/pageMessage.ts';
import type { Problem } from '../words/problems.ts';

/** Values that were entered, with their model and route. */
export interface Entered {
  readonly model: string | undefined;
  readonly route: string;
  readonly values: ParameterValues;
}

/** The longest body that the host accepts, in UTF-16 units of its JSON. */
const maxBodyLength = 1024 * 1024;

/** Input that has not reached the host yet. It is sent once a frame, and stored over a reload until then. */
export class Draft {
  readonly #send: (values: ParameterValues) => void;
  readonly #keep: (entered: Entered | undefined) => void;
  #entered: Entered | undefined;
  #size = 0;
  #frame: number | undefined;
  /** Whether a snapshot is expected, which may be older than the input. */
  #awaiting = true;

  /** @param entered the stored input from before a reload; what is no such thing counts as none */
  constructor(
    entered: unknown,
    send: (values: ParameterValues) => void,
    keep: (entered: Entered | undefined) => void,
  ) {
    this.#send = send;
    this.#keep = keep;
    this.#hold(isEntered(entered) ? entered : undefined);
  }

  /** Why the host would refuse the input, which then stays here. */
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

  /** Sends the input now. */
  send(): void {
    if (!this.#entered || this.problem !== undefined) return;
    this.#send(this.#entered.values);
    if (!this.#awaiting) this.forget();
  }

  /** Sends the input, and keeps it until the next snapshot. */
  expectSnapshot(): void {
    this.#awaiting = true;
    this.send();
  }

  /** Returns the values to show in place of a snapshot's; undefined without input for its model and route. */
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

  /** Drops the input, because other values replaced it. */
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

function isEntered(stored: unknown): stored is Entered {
  return isObject(stored) && typeof stored.route === 'string' && isObject(stored.values);
}
