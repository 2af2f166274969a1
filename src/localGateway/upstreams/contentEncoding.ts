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
  let plain = bytes;
  for (const name of encodingsIn(encoding)) plain = await decodedOnce(plain, name, max);
  return plain;
}

async function decodedOnce(bytes: Buffer, encoding: string, max: number): Promise<Buffer> {
  const limit = { maxOutputLength: max };
  switch (encoding) {
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
  const names = encodingsIn(encoding);
  const made = names.map((name) => decoders.get(name)?.());
  const known = made.filter((each) => each !== undefined);
  if (known.length === 0 || known.length < made.length) {
    for (const each of known) each.destroy();
    return undefined;
  }
  let decodedSoFar: Readable = Readable.from(body, { objectMode: false });
  for (const decoder of known) {
    // Whoever reads is told of a failure, also where it came before they began.
    decoder.on('error', () => {});
    decodedSoFar = pipeline(decodedSoFar, decoder, () => {});
  }
  return decodedSoFar;
}

/** The encodings of a body, the last one applied first. */
function encodingsIn(encoding: string): readonly string[] {
  const names = encoding.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity').reverse();
}

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createUnzip],
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);
