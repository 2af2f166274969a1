import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { DownloadProgress } from '../../../src/tasks/results/resultDownloads.ts';
import { buildResultName } from '../../../src/tasks/results/resultName.ts';
import type { VideoRouteId } from '../../../src/wire/apis/videoRoutes.ts';
import {
  addCompletedTask,
  createDownload,
  createFailedDownload,
  DownloadFolder,
  readResult,
  readTask,
  resultLink,
  ScriptedClient,
  type ScriptedDownload,
} from '../../support/downloadFolder.ts';
import { createTinyClip } from '../../support/downloadServers.ts';
import { TestClock, waitByClock, waitForWork } from '../../support/testClock.ts';

const clip = createTinyClip();
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100, 7)]);

describe('results', () => {
  let downloads: DownloadFolder;

  beforeEach(() => {
    downloads = new DownloadFolder();
  });

  afterEach(() => downloads.remove());

  it('are saved under a generated name, with their facts in the ledger', async () => {
    const { ledger, task } = await downloads.downloadAll(new ScriptedClient(createDownload(clip)));
    const { path = '', ...result } = readResult(ledger);
    assert.deepEqual(readFileSync(path), clip);
    assert.equal(basename(path), `${buildResultName(task, 0)}.mp4`);
    assert.deepEqual(result, {
      index: 0,
      state: 'saved',
      url: resultLink,
      mimeType: 'video/mp4',
      bytes: clip.length,
      sha256: createHash('sha256').update(clip).digest('hex'),
    });
    assert.deepEqual(downloads.listFiles(), [basename(path), `${basename(path)}.json`]);
  });

  it('are requested with the credential header of their route', async () => {
    for (const [route, header] of [
      ['interactions', 'vendor-api-key'],
      ['videoSynthesis', 'bearer'],
    ] as const) {
      const client = new ScriptedClient(createDownload(clip));
      const { ledger, results } = downloads.openWindow(route, client);
      await results.downloadAll(addCompletedTask(ledger, [resultLink], { key: route, route }).key);
      assert.equal(client.requests[0]?.credential, header);
    }
  });

  it('are downloaded even if their route is unknown to this version', async () => {
    const client = new ScriptedClient(createDownload(clip));
    const { ledger, results } = downloads.openWindow('w', client);
    const { key } = addCompletedTask(ledger, [resultLink], { route: 'laterRoute' as VideoRouteId });
    await results.downloadAll(key);
    assert.deepEqual([readResult(ledger).state, client.requests[0]?.credential], ['saved', 'bearer']);
  });

  it('are downloaded independently, so that a failed one does not stop the others', async () => {
    const play: ScriptedDownload = (target, options, address) =>
      (address.endsWith('b')
        ? createFailedDownload({ kind: 'invalid-parameters', status: 400 })
        : createDownload(png))(target, options, address);
    const urls = ['https://media.example/a', 'https://media.example/b', 'https://media.example/c'];
    const { ledger } = await downloads.downloadAll(new ScriptedClient(play), urls);
    assert.deepEqual(
      readTask(ledger).results.map(({ state }) => state),
      ['saved', 'failed', 'saved'],
    );
    assert.equal(downloads.listFiles().filter((name) => name.endsWith('.png')).length, 2);
  });

  it('F83 are downloaded three at a time', async () => {
    const gate = Promise.withResolvers<void>();
    let maxConcurrent = 0;
    let concurrent = 0;
    const play: ScriptedDownload = async (...args) => {
      maxConcurrent = Math.max(maxConcurrent, ++concurrent);
      await gate.promise;
      concurrent -= 1;
      return createDownload(clip)(...args);
    };
    const client = new ScriptedClient(play);
    const { ledger, results } = downloads.openWindow('w', client);
    const { key } = addCompletedTask(
      ledger,
      Array.from({ length: 8 }, (_, n) => `https://media.example/${n}`),
    );
    const downloaded = results.downloadAll(key);
    while (client.addresses.length < 3) await waitForWork();
    gate.resolve();
    await downloaded;
    assert.deepEqual([maxConcurrent, client.addresses.length], [3, 8]);
    assert.ok(readTask(ledger).results.every(({ state }) => state === 'saved'));
  });

  it('report their download progress', async () => {
    const { ledger, results } = downloads.openWindow('w', new ScriptedClient(createDownload(clip)));
    const { key } = addCompletedTask(ledger, [resultLink]);
    const seen: DownloadProgress[] = [];
    results.onProgress((progress) => {
      seen.push(progress);
      assert.equal(results.findProgress(key, 0), progress);
    });
    await results.downloadAll(key);
    assert.deepEqual(seen.at(-1), { key, index: 0, received: clip.length, total: clip.length });
    assert.equal(results.findProgress(key, 0), undefined);
  });

  it('in cloud storage are not downloaded, but stored as a link with the reason', async () => {
    const client = new ScriptedClient(createDownload(clip));
    const { ledger } = await downloads.downloadAll(client, ['gs://bucket/clip.mp4']);
    const { state, url, problem } = readResult(ledger);
    assert.deepEqual([state, url, client.addresses], ['link', 'gs://bucket/clip.mp4', []]);
    assert.match(problem?.message ?? '', /cloud/);
  });

  it('F79 inside the record are decoded, saved and removed from the ledger', async () => {
    const large = createTinyClip(3_000_001);
    for (const file of [png, clip, large]) {
      const { ledger, results } = downloads.openWindow(`w${file.length}`, new ScriptedClient([]));
      const key = `k${file.length}`;
      addCompletedTask(ledger, [`data:video/mp4;base64,${file.toString('base64')}`], { key });
      await results.downloadAll(key);
      const { state, url, path = '', bytes } = readResult(ledger, 0, key);
      assert.deepEqual([state, url, bytes], ['saved', 'inline', file.length]);
      assert.deepEqual(readFileSync(path), file);
    }
  });

  for (const url of [
    'data:video/mp4;base64,',
    'data:video/mp4,abc',
    'data:text/html;base64,PGh0bWw+',
    `data:video/mp4;base64,${Buffer.from('<html>').toString('base64')}`,
    `data:video/mp4;base64,${clip.subarray(0, 400).toString('base64')}`,
    `data:video/mp4;base64,!!${png.toString('base64')}`,
  ]) {
    it(`F88 that are not media stay in the record: ${url.slice(0, 40)}`, async () => {
      const { ledger } = await downloads.downloadAll(new ScriptedClient([]), [url]);
      const result = readResult(ledger);
      assert.deepEqual([result.state, result.url, downloads.listFiles()], ['failed', url, []]);
      assert.ok(result.problem);
    });
  }

  describe('with unexpected content', () => {
    const cases: Readonly<Record<string, ScriptedDownload>> = {
      'an empty file': createDownload(Buffer.alloc(0)),
      'a web page': createDownload(Buffer.from('<html>Sign in</html>'), { mimeType: 'text/html' }),
      'a web page with a video type': createDownload(Buffer.from('<!doctype html><html>Sign in</html>')),
      'an untyped web page': createDownload(Buffer.from('<html></html>'), {
        mimeType: 'application/octet-stream',
      }),
      JSON: createDownload(Buffer.from('{"error":{}}'), { mimeType: 'application/json' }),
      'an SVG picture': createDownload(Buffer.from('<svg xmlns="…"/>'), { mimeType: 'image/svg+xml' }),
      'less than announced': createDownload(clip, { total: clip.length + 1 }),
      'more than announced': createDownload(clip, { total: clip.length - 1 }),
      'a video without an end': createDownload(clip.subarray(0, 9000), { total: null }),
    };
    for (const [title, play] of Object.entries(cases)) {
      it(`F26 F88 are not saved as a video: ${title}`, async () => {
        const client = new ScriptedClient(play);
        const { ledger } = await downloads.downloadAll(client);
        const { state, problem, path } = readResult(ledger);
        assert.deepEqual(
          [state, path, client.addresses.length, downloads.listFiles()],
          ['failed', undefined, 1, []],
        );
        assert.ok(problem && !problem.message.includes('HTTP'), problem?.message);
      });
    }

    it('F88 are saved if a complete video only has no length and no type', async () => {
      const { ledger } = await downloads.downloadAll(
        new ScriptedClient(createDownload(clip, { total: null, mimeType: 'application/octet-stream' })),
      );
      assert.equal(readResult(ledger).state, 'saved');
    });

    it('F26 are resumed after a web page arrived in place of the rest', async () => {
      const client = new ScriptedClient([
        createDownload(clip, { cutAt: 9000 }),
        createDownload(Buffer.from('<html>'), { mimeType: 'text/html' }),
        createDownload(clip),
      ]);
      const { results, key, ledger } = await downloads.downloadAll(client);
      assert.equal(readResult(ledger).state, 'failed');
      await results.downloadAll(key);
      assert.deepEqual(client.requests[2]?.from, { bytes: 9000, validator: '"v1"' });
      assert.deepEqual(readFileSync(readResult(ledger).path ?? ''), clip);
    });
  });

  describe('that do not fit on the disk', () => {
    it('F89 are not started, and the needed and the free space are reported', async () => {
      const client = new ScriptedClient(createDownload(clip, { total: 3e9 }));
      const { ledger, results } = downloads.openWindow('w', client, { freeSpace: async () => 1e9 });
      await results.downloadAll(addCompletedTask(ledger, [resultLink]).key);
      const { state, problem } = readResult(ledger);
      assert.deepEqual([state, downloads.listFiles()], ['failed', []]);
      assert.match(problem?.message ?? '', /3\.0 GB.*1\.0 GB/);
    });

    it('F89 are resumed later if there is no space for the rest', async () => {
      const free = [1e9, 0, 1e9];
      const client = new ScriptedClient([createDownload(clip, { cutAt: 9000 }), createDownload(clip)]);
      const clock = new TestClock();
      const { ledger, results } = downloads.openWindow('w', client, {
        clock,
        freeSpace: async () => free.shift() ?? 0,
      });
      const { key } = addCompletedTask(ledger, [resultLink]);
      await waitByClock(clock, results.downloadAll(key));
      assert.equal(readResult(ledger).state, 'failed');
      await results.downloadAll(key);
      assert.deepEqual(client.requests[2]?.from, { bytes: 9000, validator: '"v1"' });
      assert.deepEqual(readFileSync(readResult(ledger).path ?? ''), clip);
    });

    it('F92 fail during the download, and are downloaded again when there is space', async () => {
      const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      const play: ScriptedDownload = async (target, options, address) => {
        await createDownload(clip, { cutAt: 9000 })(target, options, address).catch(() => {});
        throw full;
      };
      const client = new ScriptedClient([play, createDownload(clip)]);
      const { ledger, results, key } = await downloads.downloadAll(client);
      assert.match(readResult(ledger).problem?.message ?? '', /disk is full/i);
      await results.downloadAll(key);
      assert.deepEqual(readFileSync(readResult(ledger).path ?? ''), clip);
    });

    it('F93 fail with a reason if their folder cannot be created', async () => {
      writeFileSync(downloads.folder, 'a file stands here');
      const { ledger } = await downloads.downloadAll(new ScriptedClient(createDownload(clip)));
      assert.equal(readResult(ledger).state, 'failed');
      assert.match(readResult(ledger).problem?.message ?? '', /disk|folder/);
    });
  });
});
