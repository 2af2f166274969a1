import { beginsAsJson } from '../../../base/json.ts';
import { type GrowingText, StreamingText } from '../../markdown/streaming/streamingText.ts';
import { indentJson } from './indentedJson.ts';

/** The opening fence of JSON. JSON cannot end the block, because no line of JSON begins with backticks. */
const fence = `${'`'.repeat(32)}json\n`;

/** A text in a Markdown code block. */
class FencedText implements GrowingText {
  readonly #code: GrowingText;

  constructor(code: GrowingText) {
    this.#code = code;
  }

  get length(): number {
    return fence.length + this.#code.length;
  }

  readFrom(position: number): string {
    if (position >= fence.length) return this.#code.readFrom(position - fence.length);
    return fence.slice(position) + this.#code.readFrom(0);
  }
}

/** The text of a reply to a request for JSON. */
class JsonReply {
  readonly #text: StreamingText;
  readonly #unformatted: FencedText;
  #isJson: boolean | undefined;
  #indented: { readonly length: number; readonly text: GrowingText } | undefined;

  constructor(text: StreamingText) {
    this.#text = text;
    this.#unformatted = new FencedText(text);
  }

  getMarkdown(isComplete: boolean): GrowingText {
    this.#isJson ??= beginsAsJson(this.#text.readFrom(0));
    if (!this.#isJson) return this.#text;
    return isComplete ? this.#getCompleteMarkdown() : this.#unformatted;
  }

  #getCompleteMarkdown(): GrowingText {
    const { length } = this.#text;
    if (this.#indented?.length !== length) this.#indented = { length, text: this.#format() };
    return this.#indented.text;
  }

  /** Formats the complete text. Only JSON in a single line is indented, because it is hard to read. */
  #format(): GrowingText {
    const text = this.#text.readFrom(0).trim();
    const indented = text.includes('\n') ? undefined : indentJson(text);
    return indented === undefined ? this.#unformatted : new FencedText(new StreamingText(indented));
  }
}

const jsonReplies = new WeakMap<StreamingText, JsonReply>();

/**
 * Returns the Markdown that is shown for the text of a reply: the text itself, or a code block if the text begins
 * like JSON and the request was for JSON. Returns the same object while the text only grows.
 *
 * @param isComplete whether the text is complete
 */
export function getReplyMarkdown(
  text: StreamingText,
  requestsJson: boolean,
  isComplete: boolean,
): GrowingText {
  if (!requestsJson) return text;
  const reply = jsonReplies.get(text) ?? new JsonReply(text);
  jsonReplies.set(text, reply);
  return reply.getMarkdown(isComplete);
}
