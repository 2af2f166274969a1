import { type Piece, PieceBytes, readLines } from './filePiece.ts';

const quote = 0x22;
const backslash = 0x5c;
const lineEnd = 0x0a;
/** More than in any real file. It is limited because each open bracket needs memory. */
const maxDepth = 1_000_000;

/**
 * Reads the values of a JSON file: the elements of an array, or consecutive objects, for example on lines. Only
 * strings and brackets are scanned; the caller parses each value with `JSON.parse`, which is several times as
 * fast as a parser in JavaScript. If a value is faulty, its part up to the fault is yielded, and reading
 * continues at the next value.
 *
 * @param maxBytes of one value; a larger one is skipped
 */
export async function* readJsonValues(
  source: AsyncGenerator<Buffer>,
  maxBytes: number,
): AsyncGenerator<Piece, void, undefined> {
  const scanner = new ValueScanner(maxBytes);
  try {
    for (let next = await source.next(); !next.done; next = await source.next()) {
      yield* scanner.scan(next.value);
      if (scanner.hasStopped) return;
      const { lineStart } = scanner;
      if (lineStart) return yield* readLines(prependChunk(lineStart.bytes, source), maxBytes, lineStart);
    }
    yield* scanner.finish();
  } finally {
    await source.return(undefined);
  }
}

async function* prependChunk(chunk: Buffer, source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield chunk;
  yield* source;
}

/** The kind of value that may follow. */
type Expecting = 'anything' | 'element' | 'object' | 'nothing';
/** `lost`: within a faulty value whose end is unknown. */
type State = 'between' | 'in value' | 'lost';

class ValueScanner {
  readonly #value: PieceBytes;
  readonly #finder = new NextValueFinder();
  #expecting: Expecting = 'anything';
  #state: State = 'between';
  /** The position of the current chunk in the file. */
  #offset = 0;
  #valueOffset = 0;
  #isInString = false;
  #isEscaped = false;
  /** The open brackets and braces, each as the kind that closes it. */
  readonly #openBrackets: number[] = [];
  #hasFault = false;
  /** For a file of objects: the number of line ends so far, while it may be in JSON Lines format. */
  #lineEnds = 0;
  #mayBeJsonLines = true;
  #valueCount = 0;
  hasStopped = false;
  /** The rest of the file, if it should be read by lines, so that a fault ends with its line. */
  lineStart: { readonly bytes: Buffer; readonly byte: number; readonly line: number } | undefined;

  constructor(maxBytes: number) {
    this.#value = new PieceBytes(maxBytes);
  }

  *scan(chunk: Buffer): Generator<Piece, void, undefined> {
    let index = 0;
    while (index < chunk.length && !this.hasStopped && !this.lineStart) {
      if (this.#state === 'lost') index = this.#moveToNextValue(chunk, index);
      else if (this.#state === 'between') {
        index = this.#moveToValue(chunk, index);
        if (this.hasStopped) yield { type: 'stray', byte: this.#offset + index };
      } else {
        const end = this.#moveToValueEnd(chunk, index);
        this.#value.add(chunk.subarray(index, end));
        index = end;
        if (this.#state !== 'in value') yield this.#takeValue();
      }
    }
    this.#offset += chunk.length;
  }

  *finish(): Generator<Piece, void, undefined> {
    if (this.#state === 'in value') yield { type: 'cut', byte: this.#valueOffset, bytes: this.#value.take() };
    else if (this.#expecting === 'element' && this.#state === 'between')
      yield { type: 'cut', byte: this.#offset, bytes: Buffer.alloc(0) };
  }

  #takeValue(): Piece {
    const { isTooLarge } = this.#value;
    const bytes = this.#value.take();
    const byte = this.#valueOffset;
    this.#valueCount += 1;
    this.#finder.setStart(bytes);
    if (this.#expecting === 'object')
      this.#mayBeJsonLines &&= this.#valueCount === 1 && !bytes.includes(lineEnd);
    return isTooLarge ? { type: 'too-large', byte } : { type: 'value', byte, bytes };
  }

  /** Moves to the start of the next value. */
  #moveToValue(chunk: Buffer, from: number): number {
    let index = from;
    for (; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      const kind = kinds[byte];
      if (byte === lineEnd) this.#lineEnds += 1;
      if (kind === byteKind.space) continue;
      if (kind === byteKind.openBracket && this.#expecting === 'anything') this.#expecting = 'element';
      else if (kind === byteKind.closeBracket && this.#expecting === 'element') this.#expecting = 'nothing';
      else if (kind !== byteKind.comma || this.#expecting !== 'element') break;
    }
    this.#finder.addBetween(chunk.subarray(from, index));
    if (index === chunk.length) return index;
    this.#finder.setSeparator();
    this.#startValue(chunk, index);
    return index;
  }

  #startValue(chunk: Buffer, index: number): void {
    if (this.#expecting === 'anything') this.#expecting = 'object';
    const isObject = kinds[chunk[index] ?? 0] === byteKind.openBrace;
    if (this.#expecting === 'nothing' || (this.#expecting === 'object' && !isObject)) {
      this.hasStopped = true;
    } else if (
      this.#expecting === 'object' &&
      this.#valueCount === 1 &&
      this.#mayBeJsonLines &&
      this.#lineEnds > 0
    ) {
      this.lineStart = {
        bytes: chunk.subarray(index),
        byte: this.#offset + index,
        line: this.#lineEnds + 1,
      };
    } else {
      this.#state = 'in value';
      this.#valueOffset = this.#offset + index;
    }
  }

  /** Moves to the end of the value or of the chunk, or after the first fault. */
  #moveToValueEnd(chunk: Buffer, from: number): number {
    const { length } = chunk;
    const open = this.#openBrackets;
    let index = this.#isInString ? this.#moveToStringEnd(chunk, from) : from;
    let isClosed = false;
    while (index < length && !this.#hasFault && !isClosed) {
      const kind = kinds[chunk[index] ?? 0] ?? byteKind.wrong;
      if (open.length === 0 && (kind === byteKind.comma || kind === byteKind.closeBracket)) {
        // A comma or bracket ends a number or word, and is not part of it.
        this.#state = 'between';
        return index;
      }
      index += 1;
      if (kind === byteKind.quote) index = this.#moveToStringEnd(chunk, index);
      else if (kind === byteKind.openBrace) this.#hasFault = open.push(byteKind.closeBrace) > maxDepth;
      else if (kind === byteKind.openBracket) this.#hasFault = open.push(byteKind.closeBracket) > maxDepth;
      else if (kind >= byteKind.closeBrace) {
        this.#hasFault = open.pop() !== kind;
        isClosed = open.length === 0;
      } else if (kind === byteKind.wrong) this.#hasFault = true;
    }
    if (this.#hasFault) this.#abandonValue();
    else if (isClosed) this.#state = 'between';
    return index;
  }

  /** Moves after the closing quote of a string, or to the end of the chunk. */
  #moveToStringEnd(chunk: Buffer, from: number): number {
    const { length } = chunk;
    let index = this.#isEscaped ? from + 1 : from;
    this.#isInString = true;
    this.#isEscaped = false;
    while (index < length) {
      const byte = chunk[index] ?? 0;
      if (isSpecialInString[byte] === 0) index += 1;
      else if (byte === backslash) index += 2;
      else {
        this.#isInString = false;
        this.#hasFault = byte !== quote;
        return index + 1;
      }
    }
    // The chunk ended right after a backslash.
    this.#isEscaped = index > length;
    return length;
  }

  /** Abandons a faulty value, whose end is unknown. */
  #abandonValue(): void {
    this.#state = 'lost';
    this.#hasFault = false;
    this.#isInString = false;
    this.#openBrackets.length = 0;
  }

  /** Moves to the start of another value. */
  #moveToNextValue(chunk: Buffer, from: number): number {
    const next = this.#finder.find(chunk, from);
    if (!next) return chunk.length;
    const { index, before } = next;
    this.#state = 'in value';
    this.#valueOffset = this.#offset + index - before.length;
    this.#moveToValueEnd(before, 0);
    this.#value.add(before);
    return index;
  }
}

/** The kind of a JSON byte outside of strings. */
const byteKind = {
  /** Not valid in JSON. */
  wrong: 0,
  space: 1,
  /** Part of a number or a word, or a colon. */
  plain: 2,
  quote: 3,
  comma: 4,
  openBrace: 5,
  openBracket: 6,
  closeBrace: 7,
  closeBracket: 8,
} as const;

/** The kind of each byte outside of strings. */
const kinds = createKindTable();

/** Whether a byte within a string ends the string, escapes the next byte, or is an invalid control character. */
const isSpecialInString = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x22 || byte === 0x5c ? 1 : 0,
);

function createKindTable(): Uint8Array {
  const table = new Uint8Array(256);
  const set = (characters: string, kind: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = kind;
  };
  set(' \t\r\n', byteKind.space);
  set('0123456789+-.eEtrufalsn:', byteKind.plain);
  set('"', byteKind.quote);
  set(',', byteKind.comma);
  set('{', byteKind.openBrace);
  set('[', byteKind.openBracket);
  set('}', byteKind.closeBrace);
  set(']', byteKind.closeBracket);
  return table;
}

const startPattern = /^\{\s*"(?:[^"\\]|\\.){1,80}"\s*:/;
const maxSeparator = 64;

/**
 * Finds the next value after a faulty one, whose end is unknown: searches for text that looks like the
 * beginning of the earlier values.
 */
class NextValueFinder {
  /** The common beginning of values: up to the colon after their first member name. */
  #start: Buffer | undefined;
  #separator: Buffer | undefined;
  /** The bytes since the last value, up to one more than a separator may have. */
  #between: Buffer = Buffer.alloc(0);
  /** The end of the previous chunk, where the beginning of a value may start. */
  #tail: Buffer = Buffer.alloc(0);

  /** Derives the common beginning of the file's values from the first value. */
  setStart(value: Buffer): void {
    if (this.#start) return;
    const [begin] = startPattern.exec(value.subarray(0, 200).toString('latin1')) ?? [];
    if (begin !== undefined) this.#start = Buffer.from(begin, 'latin1');
  }

  /** Collects the bytes between two values, which may be in several chunks. */
  addBetween(bytes: Buffer): void {
    if (!this.#start || this.#separator) return;
    const missing = maxSeparator + 1 - this.#between.length;
    this.#between = Buffer.concat([this.#between, bytes.subarray(0, missing)]);
  }

  /** Uses the bytes since the last value as the separator, at the start of the next value. */
  setSeparator(): void {
    if (this.#start && this.#between.length <= maxSeparator) this.#separator ??= this.#between;
    this.#between = Buffer.alloc(0);
  }

  /**
   * Searches for the next value from `from` on. The value may have started in the previous chunk.
   *
   * @returns its position in the chunk, and its bytes before the chunk; undefined if there is none
   */
  find(chunk: Buffer, from: number): { readonly index: number; readonly before: Buffer } | undefined {
    const valueStart = this.#start ?? Buffer.from('{');
    const separator = this.#separator ?? Buffer.from(this.#start ? '' : '\n');
    const mark = Buffer.concat([separator, valueStart]);
    const text = Buffer.concat([this.#tail, chunk.subarray(from)]);
    const markIndex = text.indexOf(mark);
    if (markIndex === -1) {
      this.#tail = Buffer.from(text.subarray(Math.max(0, text.length - mark.length + 1)));
      return undefined;
    }
    const index = markIndex + mark.length - valueStart.length;
    const bytesBefore = text.subarray(Math.min(index, this.#tail.length), this.#tail.length);
    const inChunk = from + Math.max(0, index - this.#tail.length);
    this.#tail = Buffer.alloc(0);
    return { index: inChunk, before: Buffer.from(bytesBefore) };
  }
}
