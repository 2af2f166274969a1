import { promisify } from 'node:util';
import { brotliDecompress, unzip, zstdDecompress } from 'node:zlib';

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
