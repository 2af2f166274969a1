import assert from 'node:assert/strict';
import { readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readUptimeMs } from '../../src/base/node/clock.ts';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import type { ResultClient } from '../../src/tasks/results/resumedDownload.ts';
import { addCompletedTask, createSnapshot, DownloadFolder, readResult } from '../support/downloadFolder.ts';
import {
  createTinyClip,
  type DownloadFixture,
  serveFile,
  withDownloader,
} from '../support/downloadServers.ts';
import type { ConnectionScript } from '../support/faultServer.ts';
import { testCredential } from '../support/faultServerCalls.ts';
import { SmallDisk } from '../support/smallDisk.ts';

const clip = createTinyClip(2_000_000);

/** A clock whose pauses take no time. */
const fastClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: readUptimeMs,
  after: (_: number, callback: () => void) => {
    const turn = setImmediate(callback);
    return () => clearImmediate(turn);
  },
};

describe('saving the results of tasks', () => {
  let downloads: DownloadFolder;

  beforeEach(() => {
    downloads = new DownloadFolder();
  });

  afterEach(() => downloads.remove());

  const createResultClient = ({ downloader }: DownloadFixture, fresh = ''): ResultClient => ({
    download: (...args) => downloader.download(...args),
    readTask: async () => createSnapshot([fresh]),
  });

  it('F86 continues a download that is cut at many places, and the saved file is identical', async () => {
    const cutAt = [1, 15_000, 15_001, 700_000, 1_048_576, 1_500_000, 1_999_999];
    await withDownloader({ other: serveFile(clip, { cutAt }) }, async (scene) => {
      const { ledger, results } = downloads.openWindow('w', createResultClient(scene), { clock: fastClock });
      await results.downloadAll(addCompletedTask(ledger, [scene.at('/clip.mp4')]).key);
      assert.deepEqual(readFileSync(readResult(ledger).path ?? '').compare(clip), 0);
      const starts = scene.other.requests.map(({ headers }) => headers.range);
      assert.deepEqual(starts, [undefined, ...cutAt.map((at) => `bytes=${at}-`)]);
    });
  });

  describe('F89 on a disk with little free space', () => {
    const megabyte = 1024 * 1024;
    /**
     * Not a multiple of the interval between checks of the free space: at the last check the reserve is already in
     * use.
     */
    const roomBytes = 86 * megabyte;
    const reserveBytes = 64 * megabyte;
    let disk: SmallDisk | undefined;
    let smallDownloads: DownloadFolder;

    beforeEach(() => {
      disk = SmallDisk.mount(roomBytes / megabyte);
      smallDownloads = new DownloadFolder(disk?.path);
    });
    afterEach(() => {
      smallDownloads.remove();
      disk?.remove();
    });

    const countStoredBytes = () =>
      smallDownloads
        .listFiles()
        .reduce((sum, name) => sum + statSync(join(smallDownloads.folder, name)).size, 0);
    const readFreeBytes = () => {
      if (!disk) return roomBytes - countStoredBytes();
      const { bavail, bsize } = statfsSync(disk.path);
      return bavail * bsize;
    };
    const options = () => ({ clock: fastClock, ...(disk ? {} : { freeSpace: async () => readFreeBytes() }) });

    /** A file that is much larger than the free space, without an announced size. */
    const endless =
      (headers: Readonly<Record<string, string>>): ConnectionScript =>
      async (connection) => {
        await connection.writeHead(200, { 'content-type': 'video/mp4', ...headers });
        for (let sent = 0; sent < 2 * roomBytes; sent += clip.length) {
          if (!(await connection.write(clip))) return;
        }
        connection.end();
      };

    for (const [how, headers, keepsPart] of [
      ['without a length', {}, false],
      ['without a length that can be resumed', { etag: '"v1"' }, true],
    ] as const) {
      it(`stops at the reserve, reports the failure and lets new tasks be stored, for a result ${how}`, async () => {
        await withDownloader({ other: endless(headers) }, async (scene) => {
          const { ledger, results } = smallDownloads.openWindow('w', createResultClient(scene), options());
          await results.downloadAll(addCompletedTask(ledger, [scene.at('/clip.mp4')]).key);
          const { state, problem } = readResult(ledger);
          assert.equal(state, 'failed');
          assert.match(problem?.message ?? '', /not enough space for the rest.*Free some space/);
          assert.ok(readFreeBytes() >= reserveBytes - megabyte, `${readFreeBytes()} bytes are free`);
          assert.equal(countStoredBytes() > 0, keepsPart);
          addCompletedTask(ledger, [], { key: 'another' });
        });
      });
    }

    it('stops at the reserve for several downloads at the same time', async () => {
      await withDownloader({ other: endless({}) }, async (scene) => {
        const { ledger, results } = smallDownloads.openWindow('w', createResultClient(scene), options());
        const urls = ['/1.mp4', '/2.mp4', '/3.mp4', '/4.mp4'].map((path) => scene.at(path));
        let least = roomBytes;
        results.onProgress(() => {
          least = Math.min(least, readFreeBytes());
        });
        await results.downloadAll(addCompletedTask(ledger, urls).key);
        assert.ok(least > reserveBytes / 2, `${least} bytes were free`);
        assert.ok(readFreeBytes() >= reserveBytes, `${readFreeBytes()} bytes are free`);
        assert.deepEqual(smallDownloads.listFiles(), []);
      });
    });

    it('continues from the stored part once there is free space', async () => {
      const file = createTinyClip(40 * megabyte);
      await withDownloader({ other: serveFile(file, { hasLength: false }) }, async (scene) => {
        let room = 20 * megabyte;
        const freeSpace = async () => reserveBytes + room - countStoredBytes();
        const { ledger, results } = smallDownloads.openWindow('w', createResultClient(scene), {
          clock: fastClock,
          freeSpace,
        });
        const { key } = addCompletedTask(ledger, [scene.at('/clip.mp4')]);
        await results.downloadAll(key);
        assert.equal(readResult(ledger).state, 'failed');
        room = 100 * megabyte;
        await results.downloadAll(key);
        assert.equal(readFileSync(readResult(ledger).path ?? '').compare(file), 0);
        const begun = /bytes=(\d+)-/.exec(String(scene.other.requests[1]?.headers.range))?.[1];
        assert.ok(Number(begun) > 10 * megabyte, begun);
      });
    });
  });

  it('F87 writes an intact file when the server ignores ranges after a cut', async () => {
    let requestCount = 0;
    const play: ConnectionScript = async (connection) => {
      await connection.writeHead(200, {
        'content-length': String(clip.length),
        'content-type': 'video/mp4',
        etag: '"v1"',
      });
      await connection.write(++requestCount === 1 ? clip.subarray(0, 900_000) : clip);
      if (requestCount === 1) connection.end();
    };
    await withDownloader({ other: play }, async (scene) => {
      const { ledger, results } = downloads.openWindow('w', createResultClient(scene), { clock: fastClock });
      await results.downloadAll(addCompletedTask(ledger, [scene.at('/clip.mp4')]).key);
      assert.equal(readFileSync(readResult(ledger).path ?? '').compare(clip), 0);
    });
  });

  it('F90 sends one request for several windows on one ledger', async () => {
    await withDownloader({ other: serveFile(clip) }, async (scene) => {
      const windows = ['one', 'two', 'three'].map((name) =>
        downloads.openWindow(name, createResultClient(scene)),
      );
      const [first] = windows;
      assert.ok(first);
      const { key } = addCompletedTask(first.ledger, [scene.at('/clip.mp4')]);
      await Promise.all(windows.map(({ results }) => results.downloadAll(key)));
      assert.equal(scene.other.requests.length, 1);
      assert.equal(downloads.listFiles().length, 2);
    });
  });

  it('F72 requests a new link when the old one has expired, and saves the result', async () => {
    const play: ConnectionScript = (connection, request) =>
      request.path.includes('fresh')
        ? serveFile(clip)(connection, request)
        : connection.respond(403, {}, 'expired');
    await withDownloader({ other: play }, async (scene) => {
      const client = createResultClient(scene, scene.at('/clip.mp4?Signature=fresh'));
      const { ledger, results } = downloads.openWindow('w', client, { clock: fastClock });
      await results.downloadAll(addCompletedTask(ledger, [scene.at('/clip.mp4?Signature=old')]).key);
      assert.equal(readResult(ledger).state, 'saved');
    });
  });

  it('F62 closes the socket and stores the received part when a download is stopped', async () => {
    const closed = Promise.withResolvers<unknown>();
    const play: ConnectionScript = async (connection) => {
      await connection.writeHead(200, {
        'content-length': String(clip.length),
        'content-type': 'video/mp4',
        etag: '"v1"',
      });
      await connection.write(clip.subarray(0, 500_000));
      closed.resolve(await connection.closed);
    };
    await withDownloader({ other: play }, async (scene) => {
      const { ledger, results } = downloads.openWindow('w', createResultClient(scene));
      const { key } = addCompletedTask(ledger, [scene.at('/clip.mp4')]);
      results.onProgress(() => results.stop(key, 0));
      await results.downloadAll(key);
      await closed.promise;
      assert.equal(readResult(ledger).state, 'failed');
      const [part = '', note = ''] = downloads.listFiles();
      const { bytes } = JSON.parse(downloads.readFile(note).toString());
      assert.ok(bytes > 0);
      assert.equal(downloads.readFile(part).subarray(0, bytes).compare(clip.subarray(0, bytes)), 0);
    });
  });

  it('P3 T22 writes neither the credential nor the query of a link to the files next to a result', async () => {
    const gateway: ConnectionScript = (connection) =>
      connection.respond(302, { location: scene?.at('/clip.mp4?Signature=canary-query') ?? '' });
    let scene: DownloadFixture | undefined;
    await withDownloader({ gateway, other: serveFile(clip, { cutAt: [700_000] }) }, async (opened) => {
      scene = opened;
      const { ledger, results } = downloads.openWindow('w', createResultClient(opened), { clock: fastClock });
      await results.downloadAll(
        addCompletedTask(ledger, [`${opened.gateway.baseUrl}/v1/videos/a/content?key=canary-own`]).key,
      );
      const [file = '', recipe = ''] = downloads.listFiles();
      assert.equal(downloads.readFile(file).compare(clip), 0);
      const text = downloads.readFile(recipe).toString();
      assert.equal(JSON.parse(text).source, opened.at('/clip.mp4'));
      assert.ok(!text.includes(testCredential) && !text.includes('canary'), text);
      assert.ok(opened.gateway.requests.every(({ headers }) => headers.authorization !== undefined));
      assert.ok(!JSON.stringify(opened.other.requests).includes(testCredential));
      assert.ok(!JSON.stringify(opened.exchanges).includes('canary'));
    });
  });

  it('fetches a result at a path of its own gateway', async () => {
    await withDownloader({ gateway: serveFile(clip) }, async ({ gateway }) => {
      const client = createGatewayClient({
        baseUrl: gateway.baseUrl,
        credential: async () => testCredential,
      });
      const { ledger, results } = downloads.openWindow('w', client);
      await results.downloadAll(addCompletedTask(ledger, [`${gateway.baseUrl}/v1/videos/a/content`]).key);
      assert.equal(readResult(ledger).state, 'saved');
      await client.close();
    });
  });

  it('T8 refuses links to private networks and by plain http, with the reason', async () => {
    await withDownloader({}, async (scene) => {
      const { ledger, results } = downloads.openWindow('w', createResultClient(scene));
      const links = [
        'http://media.example/clip.mp4',
        'https://169.254.169.254/clip.mp4',
        'https://router.lan/a',
      ];
      await results.downloadAll(addCompletedTask(ledger, links).key);
      for (const [index, words] of [/https/, /private network/, /private network/].entries()) {
        const { state, problem } = readResult(ledger, index);
        assert.equal(state, 'failed');
        assert.match(problem?.message ?? '', words);
      }
    });
  });
});
