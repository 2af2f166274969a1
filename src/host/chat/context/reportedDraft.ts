import { applyChange, type TextChange } from '../../../base/textChange.ts';

/** The text of the message box that the page reported last. The host may have changed the text since. */
export class ReportedDraft {
  #text = '';

  /** Takes over a whole text that the page sent. @returns the text */
  replace(text: string): string {
    this.#text = text;
    return text;
  }

  /**
   * Takes over a change that the page sent.
   *
   * @returns the whole text
   * @throws {RangeError} if the change is outside the last reported text
   */
  change(change: TextChange): string {
    this.#text = applyChange(this.#text, change);
    return this.#text;
  }
}
