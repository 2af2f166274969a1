import { maxEventLength } from './sse.ts';

// Codes of characters.
const quote = 34;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** Finds the end of a JSON object, array or string in text that arrives in pieces. */
export class JsonScanner {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /** The position after the value, or -1 if the text ended before it. */
  scan(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isInString) this.#readInString(code);
      else if (code === quote) this.#isInString = true;
      else if (code === openBrace || code === openBracket) this.#depth++;
      else if (code === closeBrace || code === closeBracket) this.#depth--;
      else continue;
      if (this.#depth <= 0 && !this.#isInString) return at + 1;
    }
    return -1;
  }

  #readInString(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === backslash) this.#isEscaped = true;
    else if (code === quote) this.#isInString = false;
  }
}

/** Collects the text of one JSON value that arrives in pieces. */
class JsonCollector {
  readonly #scanner = new JsonScanner();
  readonly #pieces: string[] = [];
  #length = 0;

  /** Whether the value is larger than the limit of an event. */
  get hasOverflowed(): boolean {
    return this.#length > maxEventLength;
  }

  /**
   * Collects the text of the value from `from` on.
   *
   * @returns the position after its end, or -1 if it continues in the next piece
   */
  collect(text: string, from: number): number {
    const end = this.#scanner.scan(text, from);
    const piece = text.slice(from, end < 0 ? undefined : end);
    this.#pieces.push(piece);
    this.#length += piece.length;
    return end;
  }

  get text(): string {
    return this.#pieces.join('');
  }
}

/**
 * Reads the elements of a JSON array while it arrives, as some gateways stream: `[{…}\n,\n{…}\n]`. It ignores the
 * text between elements, and the closing bracket may be missing.
 */
export class JsonArrayReader {
  readonly #onElement: (json: string) => void;
  #isOpened = false;
  /** Whether the closing bracket was read. Later text is ignored. */
  #isClosed = false;
  #element: JsonCollector | undefined;
  #hasOverflowed = false;

  constructor(onElement: (json: string) => void) {
    this.#onElement = onElement;
  }

  /** Whether an element exceeded the limit of an event. Later text is ignored. */
  get hasOverflowed(): boolean {
    return this.#hasOverflowed;
  }

  read(text: string): void {
    let at = 0;
    while (at >= 0 && !this.#isClosed && !this.#hasOverflowed) {
      at = this.#element ? this.#readElement(this.#element, text, at) : this.#readBetween(text, at);
    }
  }

  #readElement(element: JsonCollector, text: string, from: number): number {
    const end = element.collect(text, from);
    this.#hasOverflowed = element.hasOverflowed;
    if (end < 0 || this.#hasOverflowed) return -1;
    this.#element = undefined;
    this.#onElement(element.text);
    return end;
  }

  /**
   * Finds the next element or the end of the array.
   *
   * @returns the position to continue from, or -1 for the next piece
   */
  #readBetween(text: string, from: number): number {
    const found = text.slice(from).search(/[[{"\]]/);
    if (found < 0) return -1;
    const at = from + found;
    if (!this.#isOpened) this.#isOpened = text[at] === '[';
    else if (text[at] === ']') this.#isClosed = true;
    else {
      this.#element = new JsonCollector();
      return at;
    }
    return at + 1;
  }
}

/** The beginning of bare JSON with the character before it: the end of a line or a byte order mark. */
const strayStarts = ['\n{', '\n[', '\r{', '\r[', '\uFEFF{', '\uFEFF['];
const lineEnd = /[\r\n]\uFEFF?$/;

/**
 * Separates the lines of an event stream from bare JSON between them: gateways write an error into a stream
 * without a field name, often over several lines.
 */
export class StrayJson {
  readonly #onLines: (text: string) => void;
  readonly #onJson: (json: string) => void;
  #json: JsonCollector | undefined;
  /** The last two characters of the lines; a line end before the first line. */
  #lineTail = '\n';
  #hasOverflowed = false;
  /** The next position of each start, so that no text is searched twice. */
  readonly #next = strayStarts.map(() => -1);

  constructor(onLines: (text: string) => void, onJson: (json: string) => void) {
    this.#onLines = onLines;
    this.#onJson = onJson;
  }

  /** Whether the text ended within a bare value. */
  get isWithinJson(): boolean {
    return this.#json !== undefined;
  }

  /** Whether a bare value exceeded the limit of an event. Later text is ignored. */
  get hasOverflowed(): boolean {
    return this.#hasOverflowed;
  }

  read(text: string): void {
    let at = 0;
    this.#next.fill(-1);
    while (at >= 0 && at < text.length && !this.#hasOverflowed) {
      at = this.#json ? this.#readJson(this.#json, text, at) : this.#readLines(text, at);
    }
  }

  #readLines(text: string, from: number): number {
    const start = this.#findStrayStart(text, from);
    const lines = text.slice(from, start < 0 ? undefined : start);
    if (lines !== '') this.#onLines(lines);
    if (start < 0) this.#lineTail = (this.#lineTail + lines.slice(-2)).slice(-2);
    else this.#json = new JsonCollector();
    return start;
  }

  #findStrayStart(text: string, from: number): number {
    const isMarked = text[from] === '\uFEFF' && !this.#lineTail.endsWith('\uFEFF');
    const first = isMarked ? from + 1 : from;
    if (lineEnd.test(this.#lineTail) && '{['.includes(text[first] ?? ' ')) return first;
    let nearest = Number.POSITIVE_INFINITY;
    for (const nth of strayStarts.keys()) nearest = Math.min(nearest, this.#find(nth, text, from));
    return nearest === Number.POSITIVE_INFINITY ? -1 : nearest + 1;
  }

  #find(nth: number, text: string, from: number): number {
    const known = this.#next[nth] ?? -1;
    if (known >= from) return known;
    const found = findBareJson(text, strayStarts[nth] ?? '', from);
    this.#next[nth] = found;
    return found;
  }

  #readJson(json: JsonCollector, text: string, from: number): number {
    const end = json.collect(text, from);
    this.#hasOverflowed = json.hasOverflowed;
    if (end < 0 || this.#hasOverflowed) return -1;
    this.#json = undefined;
    this.#lineTail = '';
    this.#onJson(json.text);
    return end;
  }
}

/** Returns Infinity if the text has no such start. One expression for all starts would take three times as long. */
function findBareJson(text: string, start: string, from: number): number {
  let at = text.indexOf(start, from);
  while (at >= 0 && start[0] === '\uFEFF' && !'\r\n'.includes(text[at - 1] ?? ' ')) {
    at = text.indexOf(start, at + 1);
  }
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}
