import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { decodeStream } from '../../../src/http/contentEncoding.ts';

const text = 'The bytes before they were compressed. '.repeat(5_000);
const encodings = {
  gzip: gzipSync,
  'X-GZIP': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};
const turn = () => new Promise(setImmediate);

describe('a compressed body', () => {
  let isClosed: boolean;
  async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    } finally {
      isClosed = true;
    }
  }

  function decode(body: AsyncIterable<Uint8Array>, encoding: string): AsyncIterable<Uint8Array> {
    const decoded = decodeStream(body, encoding);
    assert.ok(decoded);
    return decoded;
  }

  for (const [encoding, compress] of Object.entries(encodings)) {
    const bytes = compress(text);

    it(`F27 is decompressed from chunks of any size: ${encoding}`, async () => {
      for (const size of [1, 7, bytes.length])
        assert.equal((await buffer(decode(inPieces(bytes, size), encoding))).toString(), text);
    });

    it(`F28 fails to decompress if it is truncated or damaged, even when reading starts late: ${encoding}`, async () => {
      for (const broken of [bytes.subarray(0, -5), Buffer.from('no such thing'), bytes.subarray(3)]) {
        const body = decode(inPieces(broken, 64), encoding);
        for (let turns = 0; turns < 50; turns += 1) await turn();
        await assert.rejects(buffer(body));
      }
    });
  }

  it('closes its source when the reader stops early', async () => {
    const body = decode(inPieces(gzipSync(text), 16), 'gzip');
    for await (const _ of body) break;
    while (!isClosed) await turn();
  });

  it('is decompressed when it was compressed twice', async () => {
    const twice = gzipSync(gzipSync(text));
    assert.equal((await buffer(decode(inPieces(twice, 16), 'gzip, GZIP'))).toString(), text);
  });

  it('is passed through unchanged when its encoding is identity or empty', () => {
    const body = inPieces(Buffer.from(text), 16);
    for (const encoding of ['', 'identity', 'Identity, ,identity'])
      assert.equal(decodeStream(body, encoding), body);
  });

  it('is not decoded when an encoding is unknown or when there are too many', () => {
    for (const encoding of ['x', 'gzip, x', 'constructor', '__proto__', 'gzip,gzip,gzip,gzip,gzip,gzip'])
      assert.equal(decodeStream(inPieces(gzipSync(text), 16), encoding), undefined);
  });
});
