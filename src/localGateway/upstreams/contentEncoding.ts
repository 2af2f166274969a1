import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createUnzip,
  createZstdDecompress,
  unzip,
  zstdDecompress,
} from 'node:zlib';

/**
 * The bytes of a body before it was compressed; the same bytes where its encoding is none or unknown.
 *
 * @param encoding the value of Content-Encoding
 * @throws when they are more than `max`, or damaged
 */
export async function decoded(bytes: Buffer, encoding: string, max: number): Promise<Buffer> {
  const limit = { maxOutputLength: max };
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return promisify(unzip)(bytes, limit);
    case 'br':
      return promisify(brotliDecompress)(bytes, limit);
    case 'zstd':
      return promisify(zstdDecompress)(bytes, limit);
    default:
      return bytes;
  }
}

/**
 * The bytes of a body before it was compressed, as they come. Who stops reading closes the body.
 *
 * @param encoding the value of Content-Encoding
 * @returns undefined where the encoding is unknown
 */
export function decodedBody(
  body: AsyncIterable<Uint8Array | string>,
  encoding: string,
): AsyncIterable<Uint8Array> | undefined {
  const decoder = decoders.get(encoding.trim().toLowerCase())?.();
  if (!decoder) return undefined;
  // Whoever reads is told of a failure, also where it came before they began.
  decoder.on('error', () => {});
  return pipeline(Readable.from(body, { objectMode: false }), decoder, () => {});
}

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createUnzip],
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);
