import { isObject } from '../../base/json.ts';
import type { GenerateTarget } from '../../protocol/generatePage.ts';
import type { ParameterValues } from '../../protocol/pageMessage.ts';
import type { PageProblem } from '../words/problemWords.ts';

/** Values that were entered, with their model and route. */
export interface EnteredForm {
  readonly model: string | undefined;
  readonly route: string;
  readonly values: ParameterValues;
}

/** The longest body that the host accepts, in UTF-16 units of its JSON. */
const maxBodyLength = 1024 * 1024;

/** Input that has not reached the host yet. It is sent once a frame, and survives a reload until then. */
export class UnsentForm {
  readonly #send: (values: ParameterValues) => void;
  readonly #store: (entered: EnteredForm | undefined) => void;
  #entered: EnteredForm | undefined;
  /** The length of the input as JSON, in UTF-16 units. */
  #size = 0;
  #frame: number | undefined;
  /** Whether a snapshot of the host is expected, which may be older than the input. */
  #expectsSnapshot = true;

  /** @param entered the stored input from before a reload; invalid values are ignored */
  constructor(
    entered: unknown,
    send: (values: ParameterValues) => void,
    store: (entered: EnteredForm | undefined) => void,
  ) {
    this.#send = send;
    this.#store = store;
    this.#setEntered(isEnteredForm(entered) ? entered : undefined);
  }

  /** Why the host would refuse the input; it then stays on the page. */
  get problem(): PageProblem | undefined {
    if (this.#size <= maxBodyLength) return undefined;
    return { kind: 'request-too-long', length: this.#size, max: maxBodyLength };
  }

  /** Stores the input of the whole form, and sends it in the next frame. */
  enter({ model, route }: GenerateTarget, values: ParameterValues): void {
    this.#setEntered({ model, route, values });
    this.#store(this.#entered);
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.send();
    });
  }

  /** Sends the input now. Does nothing without input, or if the host would refuse it. */
  send(): void {
    if (!this.#entered || this.problem !== undefined) return;
    this.#send(this.#entered.values);
    if (!this.#expectsSnapshot) this.forget();
  }

  /** Sends the input, and stores it until the next snapshot. */
  expectSnapshot(): void {
    this.#expectsSnapshot = true;
    this.send();
  }

  /**
   * Handles a snapshot from the host. Input for its model and route is sent again; other input is dropped.
   *
   * @returns the input that replaces the values of the snapshot; undefined if there is none
   */
  receiveSnapshot({ model, route }: GenerateTarget): ParameterValues | undefined {
    const entered = this.#entered;
    this.#expectsSnapshot = false;
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
    this.#setEntered(undefined);
    this.#store(undefined);
  }

  #setEntered(entered: EnteredForm | undefined): void {
    this.#entered = entered;
    this.#size = entered ? JSON.stringify(entered.values).length : 0;
  }
}

function isEnteredForm(stored: unknown): stored is EnteredForm {
  return isObject(stored) && typeof stored.route === 'string' && isObject(stored.values);
}
