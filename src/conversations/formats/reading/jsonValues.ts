import { lines } from './lines.ts';
import { type Piece, PieceBytes } from './piece.ts';

const quote = 0x22;
const backslash = 0x5c;
const lineEnd = 0x0a;
/** Deeper than any program writes; each bracket that is open takes memory. */
const maxDepth = 1_000_000;

/**
 * The values of a JSON file: the elements of an array, or objects one after another, as on lines. Only strings and
 * brackets are looked at: `JSON.parse` reads each value, which is several times as fast as any parser of ours. Of a
 * value with a fault, all up to that is yielded, and reading goes on where the next value begins.
 *
 * @param maxBytes of one value; a larger one is passed over
 */
export async function* jsonValues(
  source: AsyncGenerator<Buffer>,
  maxBytes: number,
): AsyncGenerator<Piece, void, undefined> {
  const scanner = new ValueScanner(maxBytes);
  try {
    for (let next = await source.next(); !next.done; next = await source.next()) {
      yield* scanner.scan(next.value);
      if (scanner.hasStopped) return;
      const rest = scanner.linesFollow;
      if (rest) return yield* lines(followedBy(rest.bytes, source), maxBytes, rest);
    }
    yield* scanner.end();
  } finally {
    await source.return(undefined);
  }
}

async function* followedBy(chunk: Buffer, source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield chunk;
  yield* source;
}

/** What may come next outside of a value. */
type Expecting = 'anything' | 'element' | 'object' | 'nothing';
type State = 'between' | 'in value' | 'lost';

class ValueScanner {
  readonly #value: PieceBytes;
  readonly #resync = new Resync();
  #expecting: Expecting = 'anything';
  #state: State = 'between';
  /** How many bytes came in earlier chunks. */
  #before = 0;
  #valueAt = 0;
  #inString = false;
  #isEscaped = false;
  /** The brackets that are open, each by the kind that closes it. */
  readonly #open: number[] = [];
  #hasFault = false;
  /** Of a file of objects: the line ends so far, as long as it may be one of lines. */
  #lineEnds = 0;
  #isOfLines = true;
  #valueCount = 0;
  hasStopped = false;
  /** Set where the rest of the file is better read by lines, so that a fault in one ends with it. */
  linesFollow: { readonly bytes: Buffer; readonly byte: number; readonly line: number } | undefined;

  constructor(maxBytes: number) {
    this.#value = new PieceBytes(maxBytes);
  }

  *scan(chunk: Buffer): Generator<Piece, void, undefined> {
    let at = 0;
    while (at < chunk.length && !this.hasStopped && !this.linesFollow) {
      if (this.#state === 'lost') at = this.#find(chunk, at);
      else if (this.#state === 'between') {
        at = this.#begin(chunk, at);
        if (this.hasStopped) yield { type: 'stray', byte: this.#before + at };
      } else {
        const end = this.#endOfValue(chunk, at);
        this.#value.add(chunk.subarray(at, end));
        at = end;
        if (this.#state !== 'in value') yield this.#taken();
      }
    }
    this.#before += chunk.length;
  }

  *end(): Generator<Piece, void, undefined> {
    if (this.#state === 'in value') yield { type: 'cut', byte: this.#valueAt, bytes: this.#value.take() };
    else if (this.#expecting === 'element' && this.#state === 'between')
      yield { type: 'cut', byte: this.#before, bytes: Buffer.alloc(0) };
  }

  #taken(): Piece {
    const { isTooLarge } = this.#value;
    const bytes = this.#value.take();
    const byte = this.#valueAt;
    this.#valueCount += 1;
    this.#resync.learn(bytes);
    if (this.#expecting === 'object') this.#isOfLines &&= this.#valueCount === 1 && !bytes.includes(lineEnd);
    return isTooLarge ? { type: 'too-large', byte } : { type: 'value', byte, bytes };
  }

  /** Goes to where the next value begins. */
  #begin(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      const kind = kindOf[byte];
      if (byte === lineEnd) this.#lineEnds += 1;
      if (kind === byteKind.space) continue;
      if (kind === byteKind.openBracket && this.#expecting === 'anything') this.#expecting = 'element';
      else if (kind === byteKind.closeBracket && this.#expecting === 'element') this.#expecting = 'nothing';
      else if (kind !== byteKind.comma || this.#expecting !== 'element') break;
    }
    if (at === chunk.length) return at;
    if (this.#valueCount > 0) this.#resync.learnSeparator(chunk.subarray(from, at));
    this.#beginAt(chunk, at);
    return at;
  }

  #beginAt(chunk: Buffer, at: number): void {
    if (this.#expecting === 'anything') this.#expecting = 'object';
    const isObject = kindOf[chunk[at] ?? 0] === byteKind.openBrace;
    if (this.#expecting === 'nothing' || (this.#expecting === 'object' && !isObject)) {
      this.hasStopped = true;
    } else if (
      this.#expecting === 'object' &&
      this.#valueCount === 1 &&
      this.#isOfLines &&
      this.#lineEnds > 0
    ) {
      this.linesFollow = { bytes: chunk.subarray(at), byte: this.#before + at, line: this.#lineEnds + 1 };
    } else {
      this.#state = 'in value';
      this.#valueAt = this.#before + at;
    }
  }

  /** Goes to where the value ends, or the chunk, or right behind the first fault. */
  #endOfValue(chunk: Buffer, from: number): number {
    const { length } = chunk;
    const open = this.#open;
    let at = this.#inString ? this.#endOfString(chunk, from) : from;
    let isClosed = false;
    while (at < length && !this.#hasFault && !isClosed) {
      const kind = kindOf[chunk[at] ?? 0] ?? byteKind.wrong;
      if (open.length === 0 && (kind === byteKind.comma || kind === byteKind.closeBracket)) {
        // These end a number or a word, and are no part of it.
        this.#state = 'between';
        return at;
      }
      at += 1;
      if (kind === byteKind.quote) at = this.#endOfString(chunk, at);
      else if (kind === byteKind.openBrace) open.push(byteKind.closeBrace);
      else if (kind === byteKind.openBracket) open.push(byteKind.closeBracket);
      else if (kind >= byteKind.closeBrace) {
        this.#hasFault = open.pop() !== kind;
        isClosed = open.length === 0;
      } else if (kind === byteKind.wrong) this.#hasFault = true;
    }
    if (this.#hasFault || open.length > maxDepth) this.#lose();
    else if (isClosed) this.#state = 'between';
    return at;
  }

  /** Goes behind the quote that closes a string, or to the end of the chunk. */
  #endOfString(chunk: Buffer, from: number): number {
    const { length } = chunk;
    let at = this.#isEscaped ? from + 1 : from;
    this.#inString = true;
    this.#isEscaped = false;
    while (at < length) {
      const byte = chunk[at] ?? 0;
      if (isSpecialInString[byte] === 0) at += 1;
      else if (byte === backslash) at += 2;
      else {
        this.#inString = false;
        this.#hasFault = byte !== quote;
        return at + 1;
      }
    }
    // The chunk ended right behind a backslash.
    this.#isEscaped = at > length;
    return length;
  }

  /** Nobody can tell where a value with a fault ends. */
  #lose(): void {
    this.#state = 'lost';
    this.#hasFault = false;
    this.#inString = false;
    this.#open.length = 0;
  }

  /** Goes to where another value begins. */
  #find(chunk: Buffer, from: number): number {
    const found = this.#resync.find(chunk, from);
    if (!found) return chunk.length;
    const { at, before } = found;
    this.#state = 'in value';
    this.#valueAt = this.#before + at - before.length;
    this.#endOfValue(before, 0);
    this.#value.add(before);
    return at;
  }
}

/** What a byte of JSON is, outside of strings. */
const byteKind = {
  /** Part of no JSON. */
  wrong: 0,
  space: 1,
  /** Of a number or a word, or a colon. */
  plain: 2,
  quote: 3,
  comma: 4,
  openBrace: 5,
  openBracket: 6,
  closeBrace: 7,
  closeBracket: 8,
} as const;

/** The kind of each byte outside of strings. */
const kindOf = kinds();

/** Whether a byte within a string ends it, escapes the next one, or may not stand there: controls. */
const isSpecialInString = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x22 || byte === 0x5c ? 1 : 0,
);

function kinds(): Uint8Array {
  const all = new Uint8Array(256);
  const set = (characters: string, kind: number) => {
    for (const character of characters) all[character.charCodeAt(0)] = kind;
  };
  set(' \t\r\n', byteKind.space);
  set('0123456789+-.eEtrufalsn:', byteKind.plain);
  set('"', byteKind.quote);
  set(',', byteKind.comma);
  set('{', byteKind.openBrace);
  set('[', byteKind.openBracket);
  set('}', byteKind.closeBrace);
  set(']', byteKind.closeBracket);
  return all;
}

const start = /^\{\s*"(?:[^"\\]|\\.){1,80}"\s*:/;
const maxSeparator = 64;

/**
 * Finds where the next value begins after one with a fault, by which nobody can tell where that one ends: where the
 * file looks like the beginning of the values before.
 */
class Resync {
  /** How values begin: up to the colon behind their first name. */
  #start: Buffer | undefined;
  #separator: Buffer = Buffer.alloc(0);
  #isSeparatorKnown = false;
  /** The end of the chunk before, in which the beginning of a value may begin. */
  #tail: Buffer = Buffer.alloc(0);

  /** Learns how the values of the file begin. */
  learn(value: Buffer): void {
    if (this.#start) return;
    const [begin] = start.exec(value.subarray(0, 200).toString('latin1')) ?? [];
    if (begin !== undefined) this.#start = Buffer.from(begin, 'latin1');
  }

  /** Learns what stands between two values. */
  learnSeparator(bytes: Buffer): void {
    if (!this.#start || this.#isSeparatorKnown || bytes.length > maxSeparator) return;
    this.#separator = Buffer.from(bytes);
    this.#isSeparatorKnown = true;
  }

  /**
   * Looks for the next value from `from` on. A value may have begun in the chunk before.
   *
   * @returns where it begins in the chunk, and what of it came before; undefined where there is none
   */
  find(chunk: Buffer, from: number): { readonly at: number; readonly before: Buffer } | undefined {
    const begin = this.#start ?? Buffer.from('{');
    const mark = Buffer.concat([this.#start ? this.#separator : Buffer.from('\n'), begin]);
    const text = Buffer.concat([this.#tail, chunk.subarray(from)]);
    const found = text.indexOf(mark);
    if (found === -1) {
      this.#tail = Buffer.from(text.subarray(Math.max(0, text.length - mark.length + 1)));
      return undefined;
    }
    const at = found + mark.length - begin.length;
    const before = text.subarray(Math.min(at, this.#tail.length), this.#tail.length);
    const inChunk = from + Math.max(0, at - this.#tail.length);
    this.#tail = Buffer.alloc(0);
    return { at: inChunk, before: Buffer.from(before) };
  }
}
