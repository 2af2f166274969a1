import { JsonCollector } from './jsonArray.ts';

/** The end of a line before bare JSON, perhaps with a byte order mark between. */
const strayStarts = ['\n{', '\n[', '\r{', '\r[', '\uFEFF{', '\uFEFF['];
const lineEnd = /[\r\n]\uFEFF?$/;

/**
 * Separates the lines of an event stream from bare JSON between them: gateways write an error into a stream
 * without the name of a field, often over several lines.
 */
export class StrayJson {
  readonly #onLines: (text: string) => void;
  readonly #onJson: (json: string) => void;
  #json: JsonCollector | undefined;
  #atLineStart = true;
  #overflowed = false;
  /** The next position of each start, so that no text is searched twice. */
  readonly #next = strayStarts.map(() => -1);

  constructor(onLines: (text: string) => void, onJson: (json: string) => void) {
    this.#onLines = onLines;
    this.#onJson = onJson;
  }

  /** Whether a bare value exceeded the limit of an event. What follows is ignored. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  read(text: string): void {
    let at = 0;
    this.#next.fill(-1);
    while (at >= 0 && at < text.length && !this.#overflowed) {
      at = this.#json ? this.#readJson(this.#json, text, at) : this.#readLines(text, at);
    }
  }

  #readLines(text: string, from: number): number {
    const start = this.#strayStart(text, from);
    const lines = text.slice(from, start < 0 ? undefined : start);
    if (lines !== '') this.#onLines(lines);
    if (start < 0) this.#atLineStart = this.#endsLine(lines);
    else this.#json = new JsonCollector();
    return start;
  }

  #endsLine(lines: string): boolean {
    return lineEnd.test(lines.slice(-2)) || (this.#atLineStart && lines === '\uFEFF');
  }

  #strayStart(text: string, from: number): number {
    const first = text[from] === '\uFEFF' ? from + 1 : from;
    if (this.#atLineStart && '{['.includes(text[first] ?? ' ')) return first;
    let nearest = Number.POSITIVE_INFINITY;
    for (const nth of strayStarts.keys()) nearest = Math.min(nearest, this.#find(nth, text, from));
    return nearest === Number.POSITIVE_INFINITY ? -1 : nearest + 1;
  }

  #find(nth: number, text: string, from: number): number {
    const known = this.#next[nth] ?? -1;
    if (known >= from) return known;
    const found = nextStart(text, strayStarts[nth] ?? '', from);
    this.#next[nth] = found;
    return found;
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

/** Infinity when there is none. One regular expression for all starts costs three times as much. */
function nextStart(text: string, start: string, from: number): number {
  let at = text.indexOf(start, from);
  while (at >= 0 && start[0] === '\uFEFF' && !'\r\n'.includes(text[at - 1] ?? ' ')) {
    at = text.indexOf(start, at + 1);
  }
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}
