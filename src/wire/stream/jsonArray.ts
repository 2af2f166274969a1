import { maxEventLength } from './sse.ts';

const backslash = 92;
const quote = 34;

/** Finds the end of a JSON object, array or string in text that arrives in pieces. */
class JsonScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** The position after the value, or -1 when the text ended before it. */
  scan(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#inString) this.#readInString(code);
      else if (code === quote) this.#inString = true;
      else if (code === 123 || code === 91) this.#depth++;
      else if (code === 125 || code === 93) this.#depth--;
      else continue;
      if (this.#depth <= 0 && !this.#inString) return at + 1;
    }
    return -1;
  }

  #readInString(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === backslash) this.#escaped = true;
    else if (code === quote) this.#inString = false;
  }
}

/** Collects the text of one JSON value that arrives in pieces. */
export class JsonCollector {
  readonly #scanner = new JsonScanner();
  readonly #pieces: string[] = [];
  #length = 0;

  /** Whether the value is larger than the limit of an event. */
  get overflowed(): boolean {
    return this.#length > maxEventLength;
  }

  /**
   * Collects the text of the value from `from` on.
   *
   * @returns the position after its end, or -1 when it continues in the next piece
   */
  take(text: string, from: number): number {
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
 * Reads the elements of a JSON array while it arrives, as some gateways stream: `[{…}\n,\n{…}\n]`. It ignores
 * what lies between elements, and the closing bracket may be missing.
 */
export class JsonArrayReader {
  readonly #onElement: (json: string) => void;
  #opened = false;
  /** Whether the closing bracket came. What follows is ignored. */
  #closed = false;
  #element: JsonCollector | undefined;
  #overflowed = false;

  constructor(onElement: (json: string) => void) {
    this.#onElement = onElement;
  }

  /** Whether an element exceeded the limit of an event. What follows is ignored. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  read(text: string): void {
    let at = 0;
    while (at >= 0 && !this.#closed && !this.#overflowed) {
      at = this.#element ? this.#readElement(this.#element, text, at) : this.#readBetween(text, at);
    }
  }

  #readElement(element: JsonCollector, text: string, from: number): number {
    const end = element.take(text, from);
    this.#overflowed = element.overflowed;
    if (end < 0 || this.#overflowed) return -1;
    this.#element = undefined;
    this.#onElement(element.text);
    return end;
  }

  /**
   * Finds the next element or the end of the array.
   *
   * @returns the position to read on from, or -1 for the next piece
   */
  #readBetween(text: string, from: number): number {
    const found = text.slice(from).search(/[[{"\]]/);
    if (found < 0) return -1;
    const at = from + found;
    if (!this.#opened) this.#opened = text[at] === '[';
    else if (text[at] === ']') this.#closed = true;
    else {
      this.#element = new JsonCollector();
      return at;
    }
    return at + 1;
  }
}
