import { type Explanation, inEnglish } from './explanations/explanation.ts';

/** The parts of a conversation that a request omits, each once. */
export class Omissions {
  readonly #byText = new Map<string, Explanation>();

  add(omission: Explanation): void {
    this.#byText.set(inEnglish(omission), omission);
  }

  get all(): readonly Explanation[] {
    return [...this.#byText.values()];
  }
}
