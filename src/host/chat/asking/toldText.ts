import { changedText, type TextChange } from '../../../base/textChange.ts';

/** The text of a message box as its page told it last, whatever the host has put there since. */
export class ToldText {
  #text = '';

  /** The page told the whole of it. @returns it */
  become(text: string): string {
    this.#text = text;
    return text;
  }

  /**
   * The page told what changed.
   *
   * @returns the whole of it
   * @throws {RangeError} where what the page told before has no such place
   */
  change(change: TextChange): string {
    this.#text = changedText(this.#text, change);
    return this.#text;
  }
}
