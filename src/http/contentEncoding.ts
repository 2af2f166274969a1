import { pipeline, Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';

/** The largest number of encodings of a reply. Real servers use fewer. */
const maxLayers = 5;

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', zlib.createUnzip],
  ['x-gzip', zlib.createUnzip],
  ['deflate', zlib.createUnzip],
  ['br', () => zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })],
  ['zstd', zlib.createZstdDecompress],
]);

/**
 * Creates the streams that decode a Content-Encoding, in the order of use. A truncated body makes its stream fail.
 *
 * @returns an empty list for a plain body, undefined for an unknown encoding
 */
export function createContentDecoders(contentEncoding: string): readonly Transform[] | undefined {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  const creators = encodings.reverse().map((encoding) => decoders.get(encoding));
  if (creators.length > maxLayers || creators.includes(undefined)) return undefined;
  return creators.flatMap((create) => create?.() ?? []);
}

/**
 * Decodes a body while it arrives. If the reader stops, the body is closed.
 *
 * @returns the same body if it is plain, undefined if its encoding is unknown
 */
export function decodeStream<Piece extends Uint8Array | string>(
  body: AsyncIterable<Piece>,
  contentEncoding: string,
): AsyncIterable<Piece | Uint8Array> | undefined {
  const streams = createContentDecoders(contentEncoding);
  if (!streams || streams.length === 0) return streams && body;
  return pipeThrough(Readable.from(body, { objectMode: false }), streams);
}

/**
 * Decodes a whole body. Returns the same bytes if it is plain or its encoding is unknown.
 *
 * @throws if the decoded body is longer than `max`, or damaged
 */
export async function decodeBody(bytes: Buffer, contentEncoding: string, max: number): Promise<Buffer> {
  const streams = createContentDecoders(contentEncoding) ?? [];
  if (streams.length === 0) return bytes;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of pipeThrough(Readable.from([bytes]), streams)) {
    size += piece.length;
    if (size > max) throw new RangeError(`the body has more than ${max} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function pipeThrough(body: Readable, streams: readonly Transform[]): Readable {
  let last = body;
  for (const stream of streams) {
    // The reader gets the error, even if it occurred before reading began.
    stream.on('error', () => {});
    last = pipeline(last, stream, () => {});
  }
  return last;
}
