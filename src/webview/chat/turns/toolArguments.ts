import { parseJson } from '../../../base/json.ts';
import { element } from '../../markdown/dom.ts';
import { PlainTextView } from '../../markdown/plainTextView.ts';
import type { StreamingTextView } from '../../markdown/streaming/textFeed.ts';
import { jsonNodes } from '../../parts/jsonNodes.ts';
import { indentedJson } from './indentedJson.ts';

/** Longer arguments are shown unformatted. In UTF-16 units. */
const maxIndentedLength = 256 * 1024;

/** The arguments of a tool call: plain text as they arrive, then indented, coloured JSON. */
export class ToolArguments implements StreamingTextView {
  readonly element = element('div');
  readonly #plain = new PlainTextView();
  #text = '';
  #isFinished = false;
  /** Set once all text has arrived. `json` is undefined if the text is shown as it arrived. */
  #indented: { readonly json: string | undefined } | undefined;
  #isPainted = false;

  constructor() {
    this.element.append(this.#plain.element);
  }

  append(text: string): void {
    this.#text += text;
    this.#plain.append(text);
  }

  finish(): void {
    this.#isFinished = true;
  }

  paint(): boolean {
    if (!this.#isFinished) return this.#plain.paint();
    this.#indented ??= { json: this.#indentedText() };
    const { json } = this.#indented;
    if (json === undefined) return this.#plain.paint();
    if (!this.#isPainted) this.element.replaceChildren(...jsonNodes(json));
    this.#isPainted = true;
    return false;
  }

  #indentedText(): string | undefined {
    if (this.#text.length > maxIndentedLength || parseJson(this.#text) === undefined) return undefined;
    return indentedJson(this.#text);
  }
}
