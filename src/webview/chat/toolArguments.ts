import { parseJson } from '../../base/json.ts';
import { element } from '../markdown/dom.ts';
import { PlainText } from '../markdown/plainText.ts';
import type { TextView } from '../markdown/textFeed.ts';
import { jsonNodes } from '../parts/jsonNodes.ts';
import { indentedJson } from './indentedJson.ts';

/** Longer arguments are shown as they came, in UTF-16 units. */
const maxIndentedLength = 256 * 1024;

/** The arguments of a tool call: as they arrive, and once they are whole as indented, coloured JSON. */
export class ToolArguments implements TextView {
  readonly element = element('div');
  readonly #plain = new PlainText();
  #text = '';
  #finished = false;
  /** Once all of it has arrived; without `json` where it is shown as it came. */
  #indented: { readonly json: string | undefined } | undefined;
  #isDrawn = false;

  constructor() {
    this.element.append(this.#plain.element);
  }

  append(text: string): void {
    this.#text += text;
    this.#plain.append(text);
  }

  finish(): void {
    this.#finished = true;
  }

  paint(): boolean {
    if (!this.#finished) return this.#plain.paint();
    this.#indented ??= { json: this.#read() };
    const { json } = this.#indented;
    if (json === undefined) return this.#plain.paint();
    if (!this.#isDrawn) this.element.replaceChildren(...jsonNodes(json));
    this.#isDrawn = true;
    return false;
  }

  #read(): string | undefined {
    if (this.#text.length > maxIndentedLength || parseJson(this.#text) === undefined) return undefined;
    return indentedJson(this.#text);
  }
}
