import { type Piece, PieceBytes } from './filePiece.ts';

const lineEnd = 0x0a;
const blank = /^\s*$/;

/** The position in a file where the lines begin. */
interface LinesFrom {
  readonly byte: number;
  readonly line: number;
}

/** The lines of a file that are not blank. The last one needs no line end. */
export async function* lines(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  from: LinesFrom = { byte: 0, line: 1 },
): AsyncGenerator<Piece, void, undefined> {
  const collected = new PieceBytes(maxBytes);
  let { byte, line } = from;
  let next = byte;
  const takeLine = (): Piece[] => {
    const position = { byte, line };
    if (collected.isTooLarge) {
      collected.take();
      return [{ type: 'too-large', ...position }];
    }
    const bytes = collected.take();
    return isBlank(bytes) ? [] : [{ type: 'value', bytes, ...position }];
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, start)) {
      collected.add(chunk.subarray(start, end));
      yield* takeLine();
      start = end + 1;
      byte = next + start;
      line += 1;
    }
    collected.add(chunk.subarray(start));
    next += chunk.length;
  }
  yield* takeLine();
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 64 && blank.test(bytes.toString('latin1'));
}
