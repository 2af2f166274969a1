import { applyChange, type TextChange } from '../../../base/textChange.ts';

/** The text of the message box that the page reported last. The extension may have changed the text since. */
export class ReportedDraft {
  #text = '';

  /** Replaces the whole text with the text that the page sent. */
  replace(text: string): void {
    this.#text = text;
  }

  /**
   * Applies a change that the page sent.
   *
   * @returns the whole text
   * @throws {RangeError} if the change is outside the last reported text
   */
  apply(change: TextChange): string {
    this.#text = applyChange(this.#text, change);
    return this.#text;
  }
}
