import { type Piece, PieceBytes } from './filePiece.ts';

const lineEnd = 0x0a;
const blankPattern = /^\s*$/;

/** The start of a line in a file; lines count from 1. */
interface LinePosition {
  readonly byte: number;
  readonly line: number;
}

/** Reads the lines of a file that are not blank. The last one needs no line end. */
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
