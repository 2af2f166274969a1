import { JsonCollector } from './jsonArray.ts';

/**
 * Tells the lines of an event stream from JSON that stands bare among them: gateways write an error into a
 * stream that has begun without the field name, often over several lines.
 */
export class StrayJson {
  readonly #onLines: (text: string) => void;
  readonly #onJson: (json: string) => void;
  #json: JsonCollector | undefined;
  #atLineStart = true;
  #overflowed = false;

  constructor(onLines: (text: string) => void, onJson: (json: string) => void) {
    this.#onLines = onLines;
    this.#onJson = onJson;
  }

  /** Whether a bare value was larger than an event may be. Nothing is read after it. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  read(text: string): void {
    let at = 0;
    while (at >= 0 && at < text.length && !this.#overflowed) {
      at = this.#json ? this.#readJson(this.#json, text, at) : this.#readLines(text, at);
    }
  }

  #readLines(text: string, from: number): number {
    const start = this.#strayStart(text, from);
    const lines = text.slice(from, start < 0 ? undefined : start);
    if (lines !== '') this.#onLines(lines);
    if (start < 0) this.#atLineStart = text.endsWith('\n');
    else this.#json = new JsonCollector();
    return start;
  }

  #strayStart(text: string, from: number): number {
    if (this.#atLineStart && '{['.includes(text[from] ?? '')) return from;
    // A regular expression for both costs three times as much.
    const starts = [text.indexOf('\n{', from), text.indexOf('\n[', from)].filter((at) => at >= 0);
    return starts.length === 0 ? -1 : Math.min(...starts) + 1;
  }

  #readJson(json: JsonCollector, text: string, from: number): number {
    const end = json.take(text, from);
    this.#overflowed = json.overflowed;
    if (end < 0 || this.#overflowed) return -1;
    this.#json = undefined;
    this.#atLineStart = false;
    this.#onJson(json.text);
    return end;
  }
}
