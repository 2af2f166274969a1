import { type Piece, PieceBytes } from './piece.ts';

const lineEnd = 0x0a;
const blank = /^\s*$/;

/** Where in a file the lines begin. */
export interface LinesFrom {
  readonly byte: number;
  readonly line: number;
}

/** The lines of a file that are not blank. The last one is a value too, whether or not it ends. */
export async function* lines(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  from: LinesFrom = { byte: 0, line: 1 },
): AsyncGenerator<Piece, void, undefined> {
  const collected = new PieceBytes(maxBytes);
  let { byte, line } = from;
  let next = byte;
  const taken = (): Piece[] => {
    const spot = { byte, line };
    if (collected.isTooLarge) {
      collected.take();
      return [{ type: 'too-large', ...spot }];
    }
    const bytes = collected.take();
    return isBlank(bytes) ? [] : [{ type: 'value', bytes, ...spot }];
  };
  for await (const chunk of source) {
    let at = 0;
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, at)) {
      collected.add(chunk.subarray(at, end));
      yield* taken();
      at = end + 1;
      byte = next + at;
      line += 1;
    }
    collected.add(chunk.subarray(at));
    next += chunk.length;
  }
  yield* taken();
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 64 && blank.test(bytes.toString('latin1'));
}
