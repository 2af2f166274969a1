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

/** Input that has not reached the host yet. It is sent once a frame, and is stored until then in case of a reload. */
export class UnsentForm {
  readonly #send: (values: ParameterValues) => void;
  readonly #store: (enteredForm: EnteredForm | undefined) => void;
  #enteredForm: EnteredForm | undefined;
  /** The length of the input as JSON, in UTF-16 units. */
  #size = 0;
  #frame: number | undefined;
  /** Whether a snapshot of the host is expected, which may be older than the input. */
  #expectsSnapshot = true;

  /** @param enteredForm the stored input from before a reload; invalid values are ignored */
  constructor(
    enteredForm: unknown,
    send: (values: ParameterValues) => void,
    store: (enteredForm: EnteredForm | undefined) => void,
  ) {
    this.#send = send;
    this.#store = store;
    this.#setEntered(isEnteredForm(enteredForm) ? enteredForm : undefined);
  }

  /** Why the host would refuse the input; such input is not sent. */
  get problem(): PageProblem | undefined {
    if (this.#size <= maxBodyLength) return undefined;
    return { kind: 'request-too-long', length: this.#size, max: maxBodyLength };
  }

  /** Stores the input of the whole form, and sends it in the next frame. */
  enter({ model, route }: GenerateTarget, values: ParameterValues): void {
    this.#setEntered({ model, route, values });
    this.#store(this.#enteredForm);
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.send();
    });
  }

  /** Sends the input now. Does nothing without input, or if the host would refuse it. */
  send(): void {
    if (!this.#enteredForm || this.problem !== undefined) return;
    this.#send(this.#enteredForm.values);
    if (!this.#expectsSnapshot) this.discard();
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
    const enteredForm = this.#enteredForm;
    this.#expectsSnapshot = false;
    if (!enteredForm || enteredForm.model !== model || enteredForm.route !== route) {
      this.discard();
      return undefined;
    }
    this.send();
    return enteredForm.values;
  }

  /** Drops the input, because other values replaced it. */
  discard(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#setEntered(undefined);
    this.#store(undefined);
  }

  #setEntered(enteredForm: EnteredForm | undefined): void {
    this.#enteredForm = enteredForm;
    this.#size = enteredForm ? JSON.stringify(enteredForm.values).length : 0;
  }
}

function isEnteredForm(stored: unknown): stored is EnteredForm {
  return isObject(stored) && typeof stored.route === 'string' && isObject(stored.values);
}
