import assert from 'node:assert/strict';
import { createTinyClip, MemoryTarget, serveFile, withDownloader } from '../support/downloadServers.ts';
import type { ConnectionScript } from '../support/faultServer.ts';
import { catchFailure } from '../support/faultServerCalls.ts';

const clip = createTinyClip();
const clipReply: ConnectionScript = (connection) =>
  connection.respond(200, { 'content-type': 'video/mp4' }, clip);

for (const transport of ['direct', 'host'] as const) {
  const options = { transport };

  describe(`a resumed download, ${transport} transport`, () => {
    const from = { bytes: 7000, validator: '"v1"' };
    const createPartialTarget = () => {
      const target = new MemoryTarget();
      target.bytes = Buffer.from(clip.subarray(0, from.bytes));
      return target;
    };

    it('F86 requests the rest of the same file', async () => {
      await withDownloader({ other: serveFile(clip), options }, async ({ other, at, downloader }) => {
        const target = createPartialTarget();
        const { bytes } = await downloader.download(at('/a'), target, { from });
        assert.deepEqual([target.bytes, bytes], [clip, clip.length]);
        assert.equal(target.heads[0]?.from, 7000);
        assert.deepEqual(
          [other.requests[0]?.headers.range, other.requests[0]?.headers['if-range']],
          ['bytes=7000-', '"v1"'],
        );
      });
    });

    const withoutResume: Readonly<Record<string, ConnectionScript>> = {
      'another version': serveFile(clip, { etag: '"v2"' }),
      'no ranges': clipReply,
      '416': (connection, request) =>
        request.headers.range ? connection.respond(416, {}) : clipReply(connection, request),
      'another part': (connection, request) =>
        request.headers.range
          ? connection.respond(206, { 'content-range': 'bytes 0-19999/20000' }, clip)
          : clipReply(connection, request),
      'a part without Content-Range': (connection, request) =>
        request.headers.range
          ? connection.respond(206, {}, clip.subarray(7000))
          : clipReply(connection, request),
      'an encoded part': (connection, request) =>
        request.headers.range
          ? connection.respond(
              206,
              { 'content-range': 'bytes 7000-19999/20000', 'content-encoding': 'gzip' },
              clip.subarray(7000),
            )
          : clipReply(connection, request),
    };
    for (const [title, play] of Object.entries(withoutResume)) {
      it(`F87 starts over when the server sends ${title}`, async () => {
        await withDownloader({ other: play, options }, async ({ at, downloader }) => {
          const target = createPartialTarget();
          await downloader.download(at('/a'), target, { from });
          assert.deepEqual(target.bytes, clip);
          assert.deepEqual(
            target.heads.map((head) => head.from),
            [0],
          );
        });
      });
    }

    it('F86 uses a strong ETag as its validator, or else the date', async () => {
      const date = 'Tue, 20 Jan 2026 10:00:00 GMT';
      for (const [headers, validator] of [
        [{ etag: '"v1"', 'last-modified': date }, '"v1"'],
        [{ etag: 'W/"v1"', 'last-modified': date }, date],
        [{ etag: 'W/"v1"' }, undefined],
        [{}, undefined],
      ] as const) {
        const play: ConnectionScript = (connection) => connection.respond(200, headers, clip);
        await withDownloader({ other: play, options }, async ({ at, downloader }) => {
          const downloaded = await downloader.download(at('/a'), new MemoryTarget());
          assert.equal(downloaded.validator, validator);
        });
      }
    });

    it('F88 fails when the reply ends before the announced end', async () => {
      const plays: readonly ConnectionScript[] = [
        serveFile(clip, { cutAt: [9000] }),
        // A complete reply that does not reach the end of the file.
        (connection) =>
          connection.respond(206, { 'content-range': 'bytes 7000-8999/20000' }, clip.subarray(7000, 9000)),
      ];
      for (const play of plays) {
        await withDownloader({ other: play, options }, async ({ at, downloader }) => {
          const target = createPartialTarget();
          const failure = await catchFailure(downloader.download(at('/a'), target, { from }));
          assert.equal(failure.kind, 'unreachable');
          assert.deepEqual(target.bytes, clip.subarray(0, 9000));
        });
      }
    });
  });

  describe(`a download, ${transport} transport`, () => {
    it('F89 is not started if its announced size is too large', async () => {
      await withDownloader({ other: serveFile(clip), options }, async ({ at, downloader }) => {
        const target = new MemoryTarget();
        const failure = await catchFailure(
          downloader.download(at('/a'), target, { maxBytes: clip.length - 1 }),
        );
        assert.deepEqual([failure.reason, target.heads], ['too-large', []]);
      });
    });

    it('F27 is aborted when a small body decodes to a large one', async () => {
      const { gzipSync } = await import('node:zlib');
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      await withDownloader(
        { other: (connection) => connection.respond(200, { 'content-encoding': 'gzip' }, bomb), options },
        async ({ at, downloader }) => {
          const target = new MemoryTarget();
          const failure = await catchFailure(downloader.download(at('/a'), target, { maxBytes: 1_000_000 }));
          assert.equal(failure.reason, 'too-large');
          assert.ok(target.bytes.length <= 1_000_000);
        },
      );
    });

    it('does not read more than its target accepts', async () => {
      const piece = Buffer.alloc(1024 * 1024);
      let remaining = 0;
      const play: ConnectionScript = async (connection) => {
        await connection.writeHead(200, { 'content-type': 'video/mp4' });
        while (remaining < 64 && (await connection.write(piece))) remaining += 1;
        connection.end();
      };
      await withDownloader({ other: play, options }, async ({ at, downloader }) => {
        const gate = Promise.withResolvers<void>();
        const full = Promise.withResolvers<void>();
        let writtenBytes = 0;
        const target = {
          begin: async () => {},
          write: async (bytes: Uint8Array) => {
            full.resolve();
            await gate.promise;
            writtenBytes += bytes.length;
          },
        };
        const call = downloader.download(at('/a'), target);
        await full.promise;
        const before = await waitUntilStable(() => remaining);
        assert.ok(before < 40, `the server sent ${before} MiB`);
        gate.resolve();
        const { bytes } = await call;
        assert.deepEqual([bytes, writtenBytes], [64 * piece.length, 64 * piece.length]);
      });
    });

    it('F62 fails as cancelled, closes the socket and keeps the received bytes when it is stopped', async () => {
      const closed = Promise.withResolvers<void>();
      const play: ConnectionScript = async (connection) => {
        await connection.writeHead(200, { 'content-length': '100000' });
        await connection.write(clip);
        await connection.closed;
        closed.resolve();
      };
      await withDownloader({ other: play, options }, async ({ other, at, downloader }) => {
        const stop = new AbortController();
        const target = new MemoryTarget();
        const failure = await catchFailure(
          downloader.download(at('/a'), target, { signal: stop.signal, onProgress: () => stop.abort() }),
        );
        assert.equal(failure.kind, 'cancelled');
        await closed.promise;
        assert.ok(target.bytes.length > 0);
        assert.deepEqual(target.bytes, clip.subarray(0, target.bytes.length));
        assert.equal(other.requests.length, 1);
      });
    });

    it('fails with the error that its target throws', async () => {
      const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      for (const failing of ['begin', 'write'] as const) {
        await withDownloader({ other: serveFile(clip), options }, async ({ at, downloader }) => {
          const target = new MemoryTarget();
          target[failing] = () => Promise.reject(full);
          await assert.rejects(downloader.download(at('/a'), target), full);
        });
      }
    });

    it('F18 fails after the idle timeout when the server goes silent in the middle', async () => {
      const play: ConnectionScript = async (connection) => {
        await connection.writeHead(200, { 'content-length': '100000' });
        await connection.write(clip);
      };
      await withDownloader({ other: play, options }, async ({ at, downloader }) => {
        const failure = await catchFailure(
          downloader.download(at('/a'), new MemoryTarget(), { timeouts: { idle: 50 } }),
        );
        assert.equal(failure.reason, 'idle-timeout');
      });
    });
  });
}

/** The result of `read` when it has stopped changing. */
async function waitUntilStable(read: () => number): Promise<number> {
  for (let last = -1; ; ) {
    const now = read();
    if (now === last) return now;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
