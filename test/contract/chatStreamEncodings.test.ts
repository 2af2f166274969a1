import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createChunk, readError, streamChat, withFaultServer } from '../support/faultServerCalls.ts';

const done = 'data: [DONE]\n\n';
const stream = `${createChunk('Hello')}${createChunk(' there', 'stop')}${done}`;

for (const transport of ['direct', 'host'] as const) {
  describe(`a compressed chat stream, ${transport} transport`, () => {
    const encodings: Record<string, (text: string) => Buffer> = {
      gzip: gzipSync,
      'x-gzip': gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
      'gzip, br': (text) => brotliCompressSync(gzipSync(text)),
      identity: Buffer.from,
    };
    for (const [encoding, encode] of Object.entries(encodings)) {
      it(`F27 is decoded from ${encoding}`, async () => {
        await withFaultServer(
          (connection) => connection.respond(200, { 'content-encoding': encoding }, encode(stream)),
          async ({ client }) => {
            const { outcome, text } = await streamChat(client);
            assert.deepEqual([outcome.kind, text], ['complete', 'Hello there']);
          },
          { transport },
        );
      });
    }

    it('F27 is malformed when its encoding is unknown', async () => {
      await withFaultServer(
        (connection) => connection.respond(200, { 'content-encoding': 'snappy' }, stream),
        async ({ client }) =>
          assert.equal(readError((await streamChat(client)).outcome).kind, 'malformed-reply'),
        { transport },
      );
    });

    it('F27 fails as too large when a small reply decompresses to a huge event', async () => {
      const bomb = gzipSync(`${createChunk('Half')}data: ${'x'.repeat(64 << 20)}`);
      await withFaultServer(
        (connection) => connection.respond(200, { 'content-encoding': 'gzip' }, bomb),
        async ({ client }) => {
          const { outcome, text } = await streamChat(client);
          assert.deepEqual([readError(outcome).reason, text], ['too-large', 'Half']);
        },
        { transport },
      );
    });

    it('F28 is interrupted when the compressed data is cut short, although the HTTP body is complete', async () => {
      const text = `${createChunk('Half')}${createChunk(' more')}`.repeat(50);
      const cut = gzipSync(text).subarray(0, -12);
      await withFaultServer(
        (connection) => connection.respond(200, { 'content-encoding': 'gzip' }, cut),
        async ({ client }) => {
          const { outcome } = await streamChat(client);
          assert.equal(outcome.kind, 'interrupted');
          assert.equal(readError(outcome).reason, 'cut');
        },
        { transport },
      );
    });
  });
}
