import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { DownloadProgress } from '../../../src/tasks/results/resultDownloads.ts';
import { buildResultName } from '../../../src/tasks/results/resultName.ts';
import type { VideoRouteId } from '../../../src/wire/apis/videoRoutes.ts';
import {
  completed,
  DownloadFolder,
  fails,
  resultLink,
  resultOf,
  ScriptedClient,
  type ScriptedDownload,
  sends,
  taskOf,
} from '../../support/downloadFolder.ts';
import { tinyClip } from '../../support/downloadServers.ts';
import { settled, TestClock, through } from '../../support/testClock.ts';

const clip = tinyClip();
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100, 7)]);

describe('results', () => {
  let downloads: DownloadFolder;

  beforeEach(() => {
    downloads = new DownloadFolder();
  });

  afterEach(() => downloads.remove());

  it('are saved under a generated name, with their facts in the ledger', async () => {
    const { ledger, task } = await downloads.downloadAll(new ScriptedClient(sends(clip)));
    const { path = '', ...result } = resultOf(ledger);
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
    assert.deepEqual(downloads.files(), [basename(path), `${basename(path)}.json`]);
  });

  it('are requested with the credential header of their route', async () => {
    for (const [route, header] of [
      ['interactions', 'vendor-api-key'],
      ['videoSynthesis', 'bearer'],
    ] as const) {
      const client = new ScriptedClient(sends(clip));
      const { ledger, results } = downloads.window(route, client);
      await results.downloadAll(completed(ledger, [resultLink], { key: route, route }).key);
      assert.equal(client.requests[0]?.credential, header);
    }
  });

  it('are downloaded even if their route is unknown to this version', async () => {
    const client = new ScriptedClient(sends(clip));
    const { ledger, results } = downloads.window('w', client);
    const { key } = completed(ledger, [resultLink], { route: 'laterRoute' as VideoRouteId });
    await results.downloadAll(key);
    assert.deepEqual([resultOf(ledger).state, client.requests[0]?.credential], ['saved', 'bearer']);
  });

  it('are downloaded independently, so that a failed one does not stop the others', async () => {
    const play: ScriptedDownload = (target, options, address) =>
      (address.endsWith('b') ? fails({ kind: 'invalid-parameters', status: 400 }) : sends(png))(
        target,
        options,
        address,
      );
    const urls = ['https://media.example/a', 'https://media.example/b', 'https://media.example/c'];
    const { ledger } = await downloads.downloadAll(new ScriptedClient(play), urls);
    assert.deepEqual(
      taskOf(ledger).results.map(({ state }) => state),
      ['saved', 'failed', 'saved'],
    );
    assert.equal(downloads.files().filter((name) => name.endsWith('.png')).length, 2);
  });

  it('F83 are downloaded three at a time', async () => {
    const gate = Promise.withResolvers<void>();
    let most = 0;
    let now = 0;
    const play: ScriptedDownload = async (...args) => {
      most = Math.max(most, ++now);
      await gate.promise;
      now -= 1;
      return sends(clip)(...args);
    };
    const client = new ScriptedClient(play);
    const { ledger, results } = downloads.window('w', client);
    const { key } = completed(
      ledger,
      Array.from({ length: 8 }, (_, n) => `https://media.example/${n}`),
    );
    const downloaded = results.downloadAll(key);
    while (client.addresses.length < 3) await settled();
    gate.resolve();
    await downloaded;
    assert.deepEqual([most, client.addresses.length], [3, 8]);
    assert.ok(taskOf(ledger).results.every(({ state }) => state === 'saved'));
  });

  it('report their download progress', async () => {
    const { ledger, results } = downloads.window('w', new ScriptedClient(sends(clip)));
    const { key } = completed(ledger, [resultLink]);
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
    const client = new ScriptedClient(sends(clip));
    const { ledger } = await downloads.downloadAll(client, ['gs://bucket/clip.mp4']);
    const { state, url, problem } = resultOf(ledger);
    assert.deepEqual([state, url, client.addresses], ['link', 'gs://bucket/clip.mp4', []]);
    assert.match(problem?.message ?? '', /cloud/);
  });

  it('F79 inside the record are decoded, saved and removed from the ledger', async () => {
    const large = tinyClip(3_000_001);
    for (const file of [png, clip, large]) {
      const { ledger, results } = downloads.window(`w${file.length}`, new ScriptedClient([]));
      const key = `k${file.length}`;
      completed(ledger, [`data:video/mp4;base64,${file.toString('base64')}`], { key });
      await results.downloadAll(key);
      const { state, url, path = '', bytes } = resultOf(ledger, 0, key);
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
      const result = resultOf(ledger);
      assert.deepEqual([result.state, result.url, downloads.files()], ['failed', url, []]);
      assert.ok(result.problem);
    });
  }

  describe('with unexpected content', () => {
    const cases: Readonly<Record<string, ScriptedDownload>> = {
      'an empty file': sends(Buffer.alloc(0)),
      'a web page': sends(Buffer.from('<html>Sign in</html>'), { mimeType: 'text/html' }),
      'a web page with a video type': sends(Buffer.from('<!doctype html><html>Sign in</html>')),
      'an untyped web page': sends(Buffer.from('<html></html>'), { mimeType: 'application/octet-stream' }),
      JSON: sends(Buffer.from('{"error":{}}'), { mimeType: 'application/json' }),
      'an SVG picture': sends(Buffer.from('<svg xmlns="…"/>'), { mimeType: 'image/svg+xml' }),
      'less than announced': sends(clip, { total: clip.length + 1 }),
      'more than announced': sends(clip, { total: clip.length - 1 }),
      'a video without an end': sends(clip.subarray(0, 9000), { total: null }),
    };
    for (const [title, play] of Object.entries(cases)) {
      it(`F26 F88 are not saved as a video: ${title}`, async () => {
        const client = new ScriptedClient(play);
        const { ledger } = await downloads.downloadAll(client);
        const { state, problem, path } = resultOf(ledger);
        assert.deepEqual(
          [state, path, client.addresses.length, downloads.files()],
          ['failed', undefined, 1, []],
        );
        assert.ok(problem && !problem.message.includes('HTTP'), problem?.message);
      });
    }

    it('F88 are saved if a complete video only has no length and no type', async () => {
      const { ledger } = await downloads.downloadAll(
        new ScriptedClient(sends(clip, { total: null, mimeType: 'application/octet-stream' })),
      );
      assert.equal(resultOf(ledger).state, 'saved');
    });

    it('F26 are resumed after a web page arrived in place of the rest', async () => {
      const client = new ScriptedClient([
        sends(clip, { cutAt: 9000 }),
        sends(Buffer.from('<html>'), { mimeType: 'text/html' }),
        sends(clip),
      ]);
      const { results, key, ledger } = await downloads.downloadAll(client);
      assert.equal(resultOf(ledger).state, 'failed');
      await results.downloadAll(key);
      assert.deepEqual(client.requests[2]?.from, { bytes: 9000, validator: '"v1"' });
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });
  });

  describe('that do not fit on the disk', () => {
    it('F89 are not started, and the needed and the free space are reported', async () => {
      const client = new ScriptedClient(sends(clip, { total: 3e9 }));
      const { ledger, results } = downloads.window('w', client, { freeSpace: async () => 1e9 });
      await results.downloadAll(completed(ledger, [resultLink]).key);
      const { state, problem } = resultOf(ledger);
      assert.deepEqual([state, downloads.files()], ['failed', []]);
      assert.match(problem?.message ?? '', /3\.0 GB.*1\.0 GB/);
    });

    it('F89 are resumed later if there is no space for the rest', async () => {
      const free = [1e9, 0, 1e9];
      const client = new ScriptedClient([sends(clip, { cutAt: 9000 }), sends(clip)]);
      const clock = new TestClock();
      const { ledger, results } = downloads.window('w', client, {
        clock,
        freeSpace: async () => free.shift() ?? 0,
      });
      const { key } = completed(ledger, [resultLink]);
      await through(clock, results.downloadAll(key));
      assert.equal(resultOf(ledger).state, 'failed');
      await results.downloadAll(key);
      assert.deepEqual(client.requests[2]?.from, { bytes: 9000, validator: '"v1"' });
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('F92 fail during the download, and are downloaded again when there is space', async () => {
      const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      const play: ScriptedDownload = async (target, options, address) => {
        await sends(clip, { cutAt: 9000 })(target, options, address).catch(() => {});
        throw full;
      };
      const client = new ScriptedClient([play, sends(clip)]);
      const { ledger, results, key } = await downloads.downloadAll(client);
      assert.match(resultOf(ledger).problem?.message ?? '', /disk is full/i);
      await results.downloadAll(key);
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('F93 fail with a reason if their folder cannot be created', async () => {
      writeFileSync(downloads.folder, 'a file stands here');
      const { ledger } = await downloads.downloadAll(new ScriptedClient(sends(clip)));
      assert.equal(resultOf(ledger).state, 'failed');
      assert.match(resultOf(ledger).problem?.message ?? '', /disk|folder/);
    });
  });
});
