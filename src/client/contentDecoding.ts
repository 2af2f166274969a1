import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** No honest server compresses a reply more often than this. */
const maxLayers = 5;

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', () => zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })],
  ['zstd', zlib.createZstdDecompress],
]);

/**
 * Makes the streams that undo a Content-Encoding, in the order in which bytes pass through them. A truncated
 * body makes its stream fail.
 *
 * @returns an empty list for a plain body, undefined for an unknown encoding
 */
export function contentDecoders(contentEncoding: string): readonly Transform[] | undefined {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  const makers = encodings.reverse().map((encoding) => decoders.get(encoding));
  if (makers.length > maxLayers || makers.includes(undefined)) return undefined;
  return makers.flatMap((make) => make?.() ?? []);
}
