/** The most bytes of one event. */
const maxEventBytes = 64 * 1024 * 1024;

/** What has come of an event that is not whole yet. */
class OpenBlock {
  #pieces: Buffer[] = [];
  #size = 0;
  /** The last characters of the pieces, with which an empty line may have begun. */
  #tail = '';

  /** Takes bytes, and gives the events that they complete, each with the empty line at its end. */
  *take(bytes: Buffer): Generator<Buffer> {
    const before = this.#tail.length;
    const text = this.#tail + bytes.toString('latin1');
    let from = 0;
    for (const { index, 0: line } of text.matchAll(/\r\n\r\n|\n\n|\r\r/g)) {
      const end = index + line.length - before;
      yield Buffer.concat([...this.#pieces, bytes.subarray(from, end)]);
      this.#pieces = [];
      this.#size = 0;
      from = end;
    }
    this.#keep(bytes.subarray(from));
    this.#tail = text.slice(from === 0 ? 0 : before + from).slice(-3);
  }

  /** What came after the last event. */
  get rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  #keep(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > maxEventBytes) throw new RangeError('an event is longer than 64 MiB');
    if (bytes.length > 0) this.#pieces.push(bytes);
  }
}

/**
 * The events of a stream, byte for byte, each as soon as it is whole.
 *
 * @throws what the body throws, and when an event is too long
 */
export async function* eventBlocks(body: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  const open = new OpenBlock();
  for await (const piece of body) yield* open.take(bytesOf(piece));
  const { rest } = open;
  if (rest.length > 0) yield rest;
}

function bytesOf(piece: Uint8Array | string): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece);
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
