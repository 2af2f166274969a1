import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { resultName } from '../../../src/tasks/results/resultName.ts';
import type { FetchProgress } from '../../../src/tasks/results.ts';
import type { VideoRouteId } from '../../../src/wire/apis/videoRoutes.ts';
import {
  completed,
  DownloadFolder,
  fails,
  resultOf,
  ScriptedClient,
  type ScriptedDownload,
  sends,
  snapshotOf,
  taskOf,
} from '../../support/downloadFolder.ts';
import { tinyClip } from '../../support/downloadServers.ts';
import { settled, TestClock } from '../../support/testClock.ts';

const clip = tinyClip();
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100, 7)]);
const link = 'https://media.example/v/clip.mp4?Signature=canary';

describe('results', () => {
  let downloads: DownloadFolder;

  beforeEach(() => {
    downloads = new DownloadFolder();
  });

  afterEach(() => downloads.remove());

  /** Fetches the results at `urls` in a window of its own and waits for the end, however long its pauses are. */
  async function fetchAll(client: ScriptedClient, urls: readonly string[] = [link], clock = new TestClock()) {
    const { ledger, results } = downloads.window('w', client, { clock });
    const { key } = completed(ledger, urls);
    await through(clock, results.fetchAll(key));
    return { ledger, results, key, task: taskOf(ledger, key) };
  }

  it('are kept under a name of ours, with their facts in the ledger', async () => {
    const { ledger, task } = await fetchAll(new ScriptedClient(sends(clip)));
    const { path = '', ...result } = resultOf(ledger);
    assert.deepEqual(readFileSync(path), clip);
    assert.equal(basename(path), `${resultName(task, 0)}.mp4`);
    assert.deepEqual(result, {
      index: 0,
      state: 'saved',
      url: link,
      mimeType: 'video/mp4',
      bytes: clip.length,
      sha256: createHash('sha256').update(clip).digest('hex'),
    });
    assert.deepEqual(downloads.files(), [basename(path), `${basename(path)}.json`]);
  });

  it('are asked for with the header of the route that made them', async () => {
    for (const [route, header] of [
      ['interactions', 'vendor-api-key'],
      ['videoSynthesis', 'bearer'],
    ] as const) {
      const client = new ScriptedClient(sends(clip));
      const { ledger, results } = downloads.window(route, client);
      await results.fetchAll(completed(ledger, [link], { key: route, route }).key);
      assert.equal(client.asked[0]?.credential, header);
    }
  });

  it('are fetched though a later version made them by a route of its own', async () => {
    const client = new ScriptedClient(sends(clip));
    const { ledger, results } = downloads.window('w', client);
    const { key } = completed(ledger, [link], { route: 'laterRoute' as VideoRouteId });
    await results.fetchAll(key);
    assert.deepEqual([resultOf(ledger).state, client.asked[0]?.credential], ['saved', 'bearer']);
  });

  it('are each fetched by themselves: one that fails stops no other', async () => {
    const play: ScriptedDownload = (target, options, address) =>
      (address.endsWith('b') ? fails({ kind: 'invalid-parameters', status: 400 }) : sends(png))(
        target,
        options,
        address,
      );
    const urls = ['https://media.example/a', 'https://media.example/b', 'https://media.example/c'];
    const { ledger } = await fetchAll(new ScriptedClient(play), urls);
    assert.deepEqual(
      taskOf(ledger).results.map(({ state }) => state),
      ['saved', 'failed', 'saved'],
    );
    assert.equal(downloads.files().filter((name) => name.endsWith('.png')).length, 2);
  });

  it('F83 are fetched three at a time', async () => {
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
    const fetched = results.fetchAll(key);
    while (client.addresses.length < 3) await settled();
    gate.resolve();
    await fetched;
    assert.deepEqual([most, client.addresses.length], [3, 8]);
    assert.ok(taskOf(ledger).results.every(({ state }) => state === 'saved'));
  });

  it('tell how far they have come', async () => {
    const { ledger, results } = downloads.window('w', new ScriptedClient(sends(clip)));
    const { key } = completed(ledger, [link]);
    const seen: FetchProgress[] = [];
    results.onProgress((progress) => {
      seen.push(progress);
      assert.equal(results.progress(key, 0), progress);
    });
    await results.fetchAll(key);
    assert.deepEqual(seen.at(-1), { key, index: 0, received: clip.length, total: clip.length });
    assert.equal(results.progress(key, 0), undefined);
  });

  it('in a cloud’s own storage stay where they are, and it is said', async () => {
    const client = new ScriptedClient(sends(clip));
    const { ledger } = await fetchAll(client, ['gs://bucket/clip.mp4']);
    const { state, url, problem } = resultOf(ledger);
    assert.deepEqual([state, url, client.addresses], ['link', 'gs://bucket/clip.mp4', []]);
    assert.match(problem?.message ?? '', /cloud/);
  });

  it('F79 within the record are decoded and leave the ledger', async () => {
    const large = tinyClip(3_000_001);
    for (const file of [png, clip, large]) {
      const { ledger, results } = downloads.window(`w${file.length}`, new ScriptedClient([]));
      const key = `k${file.length}`;
      completed(ledger, [`data:video/mp4;base64,${file.toString('base64')}`], { key });
      await results.fetchAll(key);
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
    it(`F88 that are no media stay in the record: ${url.slice(0, 40)}`, async () => {
      const { ledger } = await fetchAll(new ScriptedClient([]), [url]);
      const result = resultOf(ledger);
      assert.deepEqual([result.state, result.url, downloads.files()], ['failed', url, []]);
      assert.ok(result.problem);
    });
  }

  describe('whose download is cut', () => {
    for (const cutAt of [1, 7, 24, 4095, 4096, 4097, 10_000, clip.length - 1]) {
      it(`F86 are gone on with, and come out the same: cut at byte ${cutAt}`, async () => {
        const client = new ScriptedClient([sends(clip, { cutAt }), sends(clip)]);
        const clock = new TestClock();
        const { ledger, results } = downloads.window('one', client, { clock });
        await through(clock, results.fetchAll(completed(ledger, [link]).key));
        const { state, path = '' } = resultOf(ledger);
        assert.equal(state, 'saved');
        assert.deepEqual(readFileSync(path), clip);
        assert.deepEqual(client.asked[1]?.from, { bytes: cutAt, validator: '"v1"' });
      });
    }

    it('F86 start anew when the file has changed, or nothing tells whether it has', async () => {
      const other = tinyClip(15_000);
      for (const [validator, asks] of [
        ['', false],
        ['"v2"', true],
      ] as const) {
        const key = `anew${validator}`;
        const clock = new TestClock();
        const first = sends(clip, { cutAt: 16_000, validator: asks ? '"v1"' : '' });
        const client = new ScriptedClient([first, sends(other, { validator })]);
        const { ledger, results } = downloads.window(key, client, { clock });
        await through(clock, results.fetchAll(completed(ledger, [link], { key }).key));
        assert.deepEqual(readFileSync(resultOf(ledger, 0, key).path ?? ''), other);
        assert.equal(client.asked[1]?.from !== undefined, asks);
      }
    });

    it('F86 go on where the note says, whatever else the disk holds', async () => {
      const client = new ScriptedClient([sends(clip, { cutAt: 9000 }), sends(clip)]);
      const clock = new TestClock();
      const { ledger, results } = downloads.window('w', client, { clock });
      const fetched = results.fetchAll(completed(ledger, [link]).key);
      await until(() => clock.timers === 1);
      const [part = ''] = downloads.files();
      appendFileSync(join(downloads.folder, part), Buffer.alloc(clip.length));
      await through(clock, fetched);
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('F86 start anew when what came is not there any more', async () => {
      const client = new ScriptedClient([sends(clip, { cutAt: 9000 }), sends(clip)]);
      const clock = new TestClock();
      const { ledger, results } = downloads.window('w', client, { clock });
      const fetched = results.fetchAll(completed(ledger, [link]).key);
      await until(() => clock.timers === 1);
      const [part = ''] = downloads.files();
      truncateSync(join(downloads.folder, part), 8999);
      await through(clock, fetched);
      assert.equal(client.asked[1]?.from, undefined);
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('P10 wait as long as they were told, and longer each time', async () => {
      const clock = new TestClock();
      const client = new ScriptedClient([
        fails({ kind: 'rate-limited', status: 429, retryAfterMs: 20_000 }),
        fails({ kind: 'server', status: 503 }),
        fails({ kind: 'unreachable', reason: 'refused' }),
        sends(clip),
      ]);
      const { ledger, results } = downloads.window('w', client, { clock });
      const fetched = results.fetchAll(completed(ledger, [link]).key);
      for (const [wait, asked] of [
        [20_000, 2],
        [2_000, 3],
        [4_000, 4],
      ] as const) {
        await until(() => clock.timers === 1);
        await clock.advance(wait - 1);
        assert.deepEqual([clock.timers, client.addresses.length], [1, asked - 1]);
        await clock.advance(1);
        await until(() => client.addresses.length === asked);
      }
      await fetched;
      assert.equal(resultOf(ledger).state, 'saved');
    });

    it('are given up after a while, with what came until then', async () => {
      const client = new ScriptedClient(sends(clip, { cutAt: 9000 }));
      const { ledger } = await fetchAll(client);
      assert.deepEqual([resultOf(ledger).state, client.addresses.length], ['failed', 8]);
      assert.match(resultOf(ledger).problem?.message ?? '', /cut/);
      const [part = ''] = downloads.files();
      assert.match(part, /\.part$/);
      assert.deepEqual(downloads.read(part), clip.subarray(0, 9000));
    });

    it('are not asked for again when that is in vain', async () => {
      for (const facts of [
        { kind: 'authentication', status: 401 },
        { kind: 'invalid-parameters', status: 400 },
        { kind: 'malformed-reply', reason: 'too-large' },
        { kind: 'unreachable', reason: 'tls-expired' },
        { kind: 'unreachable', reason: 'redirect' },
        { kind: 'server', status: 503, retryAfterMs: 3_600_000 },
      ] as const) {
        const client = new ScriptedClient(fails(facts));
        const key = JSON.stringify(facts);
        const { ledger, results } = downloads.window(key, client, { clock: new TestClock() });
        await results.fetchAll(completed(ledger, [link], { key }).key);
        assert.deepEqual([resultOf(ledger, 0, key).state, client.addresses.length], ['failed', 1], key);
      }
    });
  });

  it('that are not ready are waited for, a minute also where nothing is yet', async () => {
    const clock = new TestClock();
    const client = new ScriptedClient([
      fails({ kind: 'server', reason: 'not-ready', status: 202 }),
      ...[404, 400, 409].map((status) => fails({ kind: 'invalid-parameters', status })),
      ...Array.from({ length: 7 }, () => fails({ kind: 'server', reason: 'not-ready', status: 202 })),
      sends(clip),
    ]);
    const { ledger, results } = downloads.window('w', client, { clock: nowClock(clock) });
    await through(clock, results.fetchAll(completed(ledger, [link]).key));
    assert.deepEqual([resultOf(ledger).state, client.addresses.length], ['saved', 12]);
  });

  describe('whose link has expired', () => {
    const old = new Date(Date.UTC(2026, 0, 1));

    for (const status of [403, 404, 410]) {
      it(`F72 are fetched from the one that the gateway gives now, after ${status}`, async () => {
        const fresh = 'https://media.example/v/clip.mp4?Signature=fresh';
        const client = new ScriptedClient([fails({ kind: 'invalid-parameters', status }), sends(clip)], () =>
          snapshotOf([fresh], new Date(Date.UTC(2026, 10, 1))),
        );
        const clock = new TestClock();
        const { ledger, results } = downloads.window('w', client, { clock });
        await results.fetchAll(completed(ledger, [link], { expiresAt: old }).key);
        const { state, url, expiresAt } = resultOf(ledger);
        assert.deepEqual([state, url, expiresAt], ['saved', fresh, Date.UTC(2026, 10, 1)]);
        assert.deepEqual(client.addresses, [link, fresh]);
      });
    }

    it('F72 fail with the reason when the gateway has no other, and keep when that was', async () => {
      for (const read of [() => snapshotOf([link]), () => snapshotOf([]), undefined]) {
        const client = new ScriptedClient(fails({ kind: 'invalid-parameters', status: 403 }), read);
        const key = `k${downloads.files().length}${read}`;
        const { ledger, results } = downloads.window(key, client, { clock: new TestClock() });
        await results.fetchAll(completed(ledger, [link], { key, expiresAt: old }).key);
        const { state, url, expiresAt, problem } = resultOf(ledger, 0, key);
        assert.deepEqual([state, url, expiresAt, client.reads], ['failed', link, old.getTime(), 1]);
        assert.match(problem?.message ?? '', /expired \(HTTP 403\)/);
        assert.doesNotMatch(problem?.message ?? '', /canary/);
      }
    });

    it('ask for another one only once', async () => {
      let given = 0;
      const client = new ScriptedClient(fails({ kind: 'invalid-parameters', status: 410 }), () =>
        snapshotOf([`https://media.example/${++given}`]),
      );
      await fetchAll(client);
      assert.deepEqual([client.reads, client.addresses.length], [1, 2]);
    });
  });

  describe('that are not what they should be', () => {
    const cases: Readonly<Record<string, ScriptedDownload>> = {
      'an empty file': sends(Buffer.alloc(0)),
      'a web page': sends(Buffer.from('<html>Sign in</html>'), { mimeType: 'text/html' }),
      'a web page that says it is a video': sends(Buffer.from('<!doctype html><html>Sign in</html>')),
      'a web page of no type': sends(Buffer.from('<html></html>'), { mimeType: 'application/octet-stream' }),
      JSON: sends(Buffer.from('{"error":{}}'), { mimeType: 'application/json' }),
      'an SVG picture': sends(Buffer.from('<svg xmlns="…"/>'), { mimeType: 'image/svg+xml' }),
      'less than announced': sends(clip, { total: clip.length + 1 }),
      'more than announced': sends(clip, { total: clip.length - 1 }),
      'a video without an end': sends(clip.subarray(0, 9000), { total: null }),
    };
    for (const [title, play] of Object.entries(cases)) {
      it(`F26 F88 never get the name of a video: ${title}`, async () => {
        const client = new ScriptedClient(play);
        const { ledger } = await fetchAll(client);
        const { state, problem, path } = resultOf(ledger);
        assert.deepEqual(
          [state, path, client.addresses.length, downloads.files()],
          ['failed', undefined, 1, []],
        );
        assert.ok(problem && !problem.message.includes('HTTP'), problem?.message);
      });
    }

    it('F88 a whole video without a length, and one of no type, are kept', async () => {
      const { ledger } = await fetchAll(
        new ScriptedClient(sends(clip, { total: null, mimeType: 'application/octet-stream' })),
      );
      assert.equal(resultOf(ledger).state, 'saved');
    });

    it('F26 what came before a web page is kept', async () => {
      const client = new ScriptedClient([
        sends(clip, { cutAt: 9000 }),
        sends(Buffer.from('<html>'), { mimeType: 'text/html' }),
        sends(clip),
      ]);
      const { results, key, ledger } = await fetchAll(client);
      assert.equal(resultOf(ledger).state, 'failed');
      await results.fetchAll(key);
      assert.deepEqual(client.asked[2]?.from, { bytes: 9000, validator: '"v1"' });
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });
  });

  describe('that do not fit on the disk', () => {
    it('F89 are not begun, and it is said how much is missing', async () => {
      const client = new ScriptedClient(sends(clip, { total: 3e9 }));
      const { ledger, results } = downloads.window('w', client, { freeSpace: async () => 1e9 });
      await results.fetchAll(completed(ledger, [link]).key);
      const { state, problem } = resultOf(ledger);
      assert.deepEqual([state, downloads.files()], ['failed', []]);
      assert.match(problem?.message ?? '', /3\.0 GB.*1\.0 GB/);
    });

    it('F89 keep what came when there is no space for the rest', async () => {
      const free = [1e9, 0, 1e9];
      const client = new ScriptedClient([sends(clip, { cutAt: 9000 }), sends(clip)]);
      const clock = new TestClock();
      const { ledger, results } = downloads.window('w', client, {
        clock,
        freeSpace: async () => free.shift() ?? 0,
      });
      const { key } = completed(ledger, [link]);
      await through(clock, results.fetchAll(key));
      assert.equal(resultOf(ledger).state, 'failed');
      await results.fetchAll(key);
      assert.deepEqual(client.asked[2]?.from, { bytes: 9000, validator: '"v1"' });
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('F92 fail while they come, and come again when there is space', async () => {
      const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      const play: ScriptedDownload = async (target, options, address) => {
        await sends(clip, { cutAt: 9000 })(target, options, address).catch(() => {});
        throw full;
      };
      const client = new ScriptedClient([play, sends(clip)]);
      const { ledger, results, key } = await fetchAll(client);
      assert.match(resultOf(ledger).problem?.message ?? '', /disk is full/i);
      await results.fetchAll(key);
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('F93 a folder that cannot be made is told', async () => {
      writeFileSync(downloads.folder, 'a file stands here');
      const { ledger } = await fetchAll(new ScriptedClient(sends(clip)));
      assert.equal(resultOf(ledger).state, 'failed');
      assert.match(resultOf(ledger).problem?.message ?? '', /disk|folder/);
    });
  });

  describe('among several windows', () => {
    it('F90 are fetched by one of them', async () => {
      const client = new ScriptedClient(sends(clip));
      const one = downloads.window('one', client);
      const two = downloads.window('two', client);
      const { key } = completed(one.ledger, [link]);
      await Promise.all([one.results.fetchAll(key), two.results.fetchAll(key), one.results.fetchAll(key)]);
      assert.equal(client.addresses.length, 1);
      assert.equal(resultOf(two.ledger).state, 'saved');
    });

    /** Begins a download, and ends it once `gate` is open. */
    const held =
      (gate: Promise<unknown>): ScriptedDownload =>
      async (target, _, address) => {
        await target.begin({ from: 0, total: clip.length, validator: '"v1"' });
        await target.write(clip.subarray(0, 5000));
        await gate;
        await target.write(clip.subarray(5000));
        return { from: 0, bytes: clip.length, total: clip.length, source: address };
      };

    it('F90 are taken over from one that died, which has nothing to say any more', async () => {
      const gate = Promise.withResolvers<void>();
      const frozen = new ScriptedClient(held(gate.promise));
      const one = downloads.window('one', frozen);
      const two = downloads.window('two', new ScriptedClient(sends(clip)), {
        windows: { isAlive: () => false },
      });
      const { key } = completed(one.ledger, [link]);
      const first = one.results.fetchAll(key);
      await until(() => frozen.addresses.length === 1 && downloads.files().length === 1);
      await two.results.fetchAll(key);
      const kept = resultOf(two.ledger);
      gate.resolve();
      await first;
      assert.deepEqual([kept.state, resultOf(two.ledger)], ['saved', kept]);
      assert.deepEqual(readFileSync(kept.path ?? ''), clip);
      assert.equal(downloads.files().length, 2);
    });

    it('F90 one that wakes up leaves the file alone that another has begun in its place', async () => {
      for (const [name, ending] of [
        ['ends', held],
        ['fails', (gate: Promise<unknown>) => stopsAt(held(gate))],
      ] as const) {
        const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const frozen = new ScriptedClient(ending(first.promise));
        const awake = new ScriptedClient(held(second.promise));
        const one = downloads.window(`one ${name}`, frozen, { clock: new TestClock() });
        const two = downloads.window(`two ${name}`, awake, { windows: { isAlive: () => false } });
        const { key } = completed(one.ledger, [link], { key: name });
        const slept = one.results.fetchAll(key);
        await until(
          () => frozen.addresses.length === 1 && downloads.files().some((file) => file.endsWith('.part')),
        );
        const other = two.results.fetchAll(key);
        await until(() => awake.addresses.length === 1);
        first.resolve();
        await slept;
        assert.equal(resultOf(one.ledger, 0, name).state, 'fetching');
        second.resolve();
        await other;
        const { state, path = '' } = resultOf(one.ledger, 0, name);
        assert.equal(state, 'saved');
        assert.deepEqual(readFileSync(path), clip);
        assert.ok(downloads.files().every((file) => !file.includes('.part')));
      }
    });
  });

  describe('that somebody stops', () => {
    const endless: ScriptedDownload = async (target, options, address) => {
      await sends(clip, { cutAt: 9000 })(target, options, address).catch(() => {});
      if (!options.signal?.aborted)
        await new Promise((stop) => options.signal?.addEventListener('abort', stop));
      throw new Error('stopped');
    };

    it('keep what came, say so, and go on from there when they are fetched again', async () => {
      const client = new ScriptedClient([endless, sends(clip)]);
      const { ledger, results } = downloads.window('w', client);
      const { key } = completed(ledger, [link]);
      results.onProgress(({ received }) => received === 9000 && results.stop(key, 0));
      await results.fetchAll(key);
      assert.equal(resultOf(ledger).state, 'failed');
      assert.match(resultOf(ledger).problem?.message ?? '', /stopped/);
      await results.fetchAll(key);
      assert.deepEqual(client.asked[1]?.from, { bytes: 9000, validator: '"v1"' });
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('wait for another time when it was the window that ended', async () => {
      const { ledger, results } = downloads.window('w', new ScriptedClient([endless, sends(clip)]));
      const { key } = completed(ledger, [link]);
      const end = new AbortController();
      results.onProgress(({ received }) => received === 9000 && end.abort());
      await results.fetchAll(key, end.signal);
      assert.deepEqual([resultOf(ledger).state, resultOf(ledger).problem], ['waiting', undefined]);
    });

    it('do not come when they were still waiting for their turn', async () => {
      const client = new ScriptedClient(endless);
      const { ledger, results } = downloads.window('w', client);
      const { key } = completed(ledger, [
        'https://a.example/',
        'https://b.example/',
        'https://c.example/',
        link,
      ]);
      const fetched = results.fetchAll(key);
      for (const index of [3, 0, 1, 2]) results.stop(key, index);
      await fetched;
      assert.ok(!client.addresses.includes(link));
      assert.equal(resultOf(ledger, 3).state, 'failed');
    });
  });

  describe('on the disk', () => {
    it('F91 are not fetched again when the window died before it could say that they are there', async () => {
      const client = new ScriptedClient(sends(clip));
      const { ledger, results, key } = await fetchAll(client);
      const kept = resultOf(ledger);
      ledger.updateResult(key, 0, { state: 'waiting', path: undefined, bytes: undefined, sha256: undefined });
      await results.fetchAll(key);
      assert.deepEqual([resultOf(ledger), client.addresses.length], [kept, 1]);
    });

    it('F91 a name that was reserved and never used is free again', async () => {
      const { ledger, results } = downloads.window('w', new ScriptedClient(sends(clip)));
      const task = completed(ledger, [link]);
      mkdirSync(downloads.folder);
      const name = `${resultName(task, 0)}.mp4`;
      writeFileSync(join(downloads.folder, name), '');
      writeFileSync(join(downloads.folder, `${name}.json`), '{"bytes":20000}');
      writeFileSync(join(downloads.folder, `${name}.json.123.tmp`), '{');
      await results.fetchAll(task.key);
      assert.deepEqual(downloads.files(), [name, `${name}.json`]);
      assert.deepEqual(downloads.read(name), clip);
    });

    it('take the place of nothing', async () => {
      const { ledger, results } = downloads.window('w', new ScriptedClient(sends(clip)));
      const task = completed(ledger, [link]);
      mkdirSync(downloads.folder);
      const name = resultName(task, 0);
      writeFileSync(join(downloads.folder, `${name}.mp4`), 'mine');
      writeFileSync(join(downloads.folder, `${name} (2).mp4.json`), 'mine');
      await results.fetchAll(task.key);
      assert.equal(downloads.read(`${name}.mp4`).toString(), 'mine');
      assert.equal(downloads.read(`${name} (2).mp4.json`).toString(), 'mine');
      assert.deepEqual(downloads.read(`${name} (3).mp4`), clip);
    });

    it('old parts that nobody waits for are swept away, and nothing else', async () => {
      const { ledger, results } = downloads.window('w', new ScriptedClient(sends(clip, { cutAt: 9000 })));
      const waiting = resultName(completed(ledger, [link]), 0);
      mkdirSync(downloads.folder);
      const gone = '2026-01-31_23-59_model_a-lake_0123abcd';
      const long = new Date(Date.now() - 25 * 60 * 60 * 1000);
      const place = (name: string, at: Date) => {
        writeFileSync(join(downloads.folder, name), 'x');
        utimesSync(join(downloads.folder, name), at, at);
      };
      for (const name of [
        `${gone}.part`,
        `${gone}.part.json`,
        `${waiting}.part`,
        'movie.part',
        `${gone}.mp4`,
      ]) {
        place(name, long);
      }
      place(`${gone}-2.part`, new Date());
      await results.sweep();
      const left = [`${gone}-2.part`, `${gone}.mp4`, `${waiting}.part`, 'movie.part'].sort();
      assert.deepEqual(downloads.files(), left);
    });

    it('F82 a clock that runs ahead sweeps nothing away that can be gone on with', async () => {
      const clock = new TestClock();
      const refused = fails({ kind: 'invalid-parameters', status: 400 });
      const client = new ScriptedClient([sends(clip, { cutAt: 9000 }), refused]);
      const { ledger, results } = downloads.window('w', client, { clock });
      const { key } = completed(ledger, [link]);
      await through(clock, results.fetchAll(key));
      const parts = downloads.files();
      assert.equal(resultOf(ledger).state, 'failed');
      nowClock(clock).jump(8 * 24 * 60 * 60 * 1000);
      await results.sweep();
      assert.deepEqual([downloads.files(), parts.length], [parts, 2]);
    });

    it('a folder that is not there yet needs no sweeping', async () => {
      await downloads.window('w', new ScriptedClient([])).results.sweep();
      assert.ok(!existsSync(downloads.folder));
    });
  });
});

/** Plays a download up to its end, where it fails for good. */
function stopsAt(play: ScriptedDownload): ScriptedDownload {
  return async (...args) => {
    await play(...args);
    return fails({ kind: 'invalid-parameters', status: 400 })(...args);
  };
}

/** The common test clock, at the present: the ledger goes by the real one. */
function nowClock(clock: TestClock): TestClock {
  clock.jump(Date.now() - clock.now());
  return clock;
}

/** Waits for the end of something that pauses by `clock`. */
async function through(clock: TestClock, ending: Promise<void>): Promise<void> {
  let over = false;
  const watched = ending.finally(() => {
    over = true;
  });
  while (!over) await clock.advance(clock.timers > 0 ? 1_000 : 0);
  await watched;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await settled();
}
