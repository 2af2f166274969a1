import { isUtf8 } from 'node:buffer';
import { errorMessage } from '../../../base/errors.ts';

/** A value of a file, or the problem at its position. */
export type Piece =
  /** A value with complete brackets, whose JSON may still be invalid. */
  | (FilePosition & { readonly type: 'value'; readonly bytes: Buffer })
  | (FilePosition & { readonly type: 'too-large' })
  /** The file ended within a value, whose beginning is `bytes`, or where another value must follow. */
  | (FilePosition & { readonly type: 'cut'; readonly bytes: Buffer })
  /** Bytes outside of a value; reading stops. */
  | (FilePosition & { readonly type: 'stray' });

interface FilePosition {
  /** The offset in the file. */
  readonly byte: number;
  /** The line, from 1. Only present for files that are read by lines. */
  readonly line?: number;
}

/** Collects the bytes of one value from chunks, up to a limit. */
export class PieceBytes {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isTooLarge(): boolean {
    return this.#length > this.#maxBytes;
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.isTooLarge) this.#chunks = [];
    else if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /** Returns the collected bytes, empty if the limit was exceeded, and begins a new value. */
  take(): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    this.#chunks = [];
    this.#length = 0;
    return bytes;
  }
}

const lineEnd = 0x0a;
const blankPattern = /^\s*$/;

/** The start of a line in a file; lines count from 1. */
interface LinePosition {
  readonly byte: number;
  readonly line: number;
}

/** Reads the lines of a file, without blank lines. */
export async function* readLines(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  start: LinePosition = { byte: 0, line: 1 },
): AsyncGenerator<Piece, void, undefined> {
  const pieceBytes = new PieceBytes(maxBytes);
  let { byte, line } = start;
  let chunkOffset = byte;
  const takeLine = (): Piece[] => {
    const position = { byte, line };
    if (pieceBytes.isTooLarge) {
      pieceBytes.take();
      return [{ type: 'too-large', ...position }];
    }
    const bytes = pieceBytes.take();
    return isBlank(bytes) ? [] : [{ type: 'value', bytes, ...position }];
  };
  for await (const chunk of source) {
    let index = 0;
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, index)) {
      pieceBytes.add(chunk.subarray(index, end));
      yield* takeLine();
      index = end + 1;
      byte = chunkOffset + index;
      line += 1;
    }
    pieceBytes.add(chunk.subarray(index));
    chunkOffset += chunk.length;
  }
  yield* takeLine();
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 64 && blankPattern.test(bytes.toString('latin1'));
}

/** A parsed JSON value, or the message of the parse error. `hasDamagedText`: the bytes are not valid UTF-8. */
type ParsedJson = { readonly value: unknown; readonly hasDamagedText: boolean } | { readonly cause: string };

export function parseJsonBytes(bytes: Buffer): ParsedJson {
  try {
    return { value: JSON.parse(bytes.toString()), hasDamagedText: !isUtf8(bytes) };
  } catch (thrown) {
    return { cause: errorMessage(thrown) };
  }
}

const titlePattern = /"(?:title|name|customTitle)"\s*:\s*("(?:[^"\\]|\\.){1,300}")/;

/** Finds the title of a conversation with invalid JSON, if it is near the beginning. */
export function findTitle(bytes: Buffer): string | undefined {
  const [, quoted] = titlePattern.exec(bytes.subarray(0, 4096).toString()) ?? [];
  const title = quoted === undefined ? undefined : parseJsonBytes(Buffer.from(quoted));
  return title && 'value' in title ? String(title.value) : undefined;
}
