import { parseJson } from '../../base/json.ts';
import { beginsAsJson } from '../../base/jsonBeginning.ts';
import { type GrowingText, StreamingText } from '../markdown/streamingText.ts';
import { indentedJson } from './indentedJson.ts';

/** Longer JSON is shown as it came, in UTF-16 units. */
const maxIndentedLength = 256 * 1024;

/** Longer than any that a reply has by chance, and no JSON ends it: no line of JSON begins with such marks. */
const fence = `${'`'.repeat(32)}json\n`;

/** A text as a block of code, in Markdown. */
class FencedText implements GrowingText {
  readonly #code: GrowingText;

  constructor(code: GrowingText) {
    this.#code = code;
  }

  get length(): number {
    return fence.length + this.#code.length;
  }

  from(position: number): string {
    if (position >= fence.length) return this.#code.from(position - fence.length);
    return fence.slice(position) + this.#code.from(0);
  }
}

/** One text that was asked for as JSON. */
class AskedJson {
  readonly #text: StreamingText;
  readonly #asItCame: FencedText;
  #isJson: boolean | undefined;
  #indented: { readonly length: number; readonly text: GrowingText } | undefined;

  constructor(text: StreamingText) {
    this.#text = text;
    this.#asItCame = new FencedText(text);
  }

  drawn(isWhole: boolean): GrowingText {
    this.#isJson ??= beginsAsJson(this.#text.from(0));
    if (!this.#isJson) return this.#text;
    return isWhole ? this.#whole() : this.#asItCame;
  }

  #whole(): GrowingText {
    const { length } = this.#text;
    if (this.#indented?.length !== length) this.#indented = { length, text: this.#read() };
    return this.#indented.text;
  }

  /** JSON in one line is hard to read. */
  #read(): GrowingText {
    const json = this.#text.length > maxIndentedLength ? '' : this.#text.from(0).trim();
    if (json === '' || json.includes('\n') || parseJson(json) === undefined) return this.#asItCame;
    const indented = indentedJson(json);
    return indented === undefined ? this.#asItCame : new FencedText(new StreamingText(indented));
  }
}

const known = new WeakMap<StreamingText, AskedJson>();

/**
 * What is drawn of a text of a reply, as Markdown: the text itself, or a block of code for JSON that was asked for. It
 * is the same object as long as it only grows.
 *
 * @param isWhole whether all of the text has arrived
 */
export function drawnReply(text: StreamingText, asksForJson: boolean, isWhole: boolean): GrowingText {
  if (!asksForJson) return text;
  const asked = known.get(text) ?? new AskedJson(text);
  known.set(text, asked);
  return asked.drawn(isWhole);
}
