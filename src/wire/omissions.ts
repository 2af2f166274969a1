import { type Explanation, inEnglish } from './explanations/explanation.ts';

/** What of a conversation does not go along with a request, each once. */
export class Omissions {
  readonly #byText = new Map<string, Explanation>();

  add(omission: Explanation): void {
    this.#byText.set(inEnglish(omission), omission);
  }

  get all(): readonly Explanation[] {
    return [...this.#byText.values()];
  }
}
