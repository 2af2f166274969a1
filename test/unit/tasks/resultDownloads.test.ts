import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import {
  addCompletedTask,
  createDownload,
  createFailedDownload,
  createSnapshot,
  DownloadFolder,
  readResult,
  resultLink,
  ScriptedClient,
  type ScriptedDownload,
} from '../../support/downloadFolder.ts';
import { createTinyClip } from '../../support/downloadServers.ts';
import { TestClock, waitByClock, waitUntil } from '../../support/testClock.ts';

const clip = createTinyClip();

describe('downloads of results', () => {
  let downloads: DownloadFolder;

  beforeEach(() => {
    downloads = new DownloadFolder();
  });

  afterEach(() => downloads.remove());

  describe('that are interrupted', () => {
    for (const cutAt of [1, 7, 24, 4095, 4096, 4097, 10_000, clip.length - 1]) {
      it(`F86 are resumed and complete after a cut at byte ${cutAt}`, async () => {
        const client = new ScriptedClient([createDownload(clip, { cutAt }), createDownload(clip)]);
        const clock = new TestClock();
        const { ledger, results } = downloads.openWindow('one', client, { clock });
        await waitByClock(clock, results.downloadAll(addCompletedTask(ledger, [resultLink]).key));
        const { state, path = '' } = readResult(ledger);
        assert.equal(state, 'saved');
        assert.deepEqual(readFileSync(path), clip);
        assert.deepEqual(client.requests[1]?.from, { bytes: cutAt, validator: '"v1"' });
      });
    }

    it('F86 start again if the file has changed or has no validator', async () => {
      const other = createTinyClip(15_000);
      for (const [validator, shouldSendRange] of [
        ['', false],
        ['"v2"', true],
      ] as const) {
        const key = `anew${validator}`;
        const clock = new TestClock();
        const first = createDownload(clip, { cutAt: 16_000, validator: shouldSendRange ? '"v1"' : '' });
        const client = new ScriptedClient([first, createDownload(other, { validator })]);
        const { ledger, results } = downloads.openWindow(key, client, { clock });
        await waitByClock(clock, results.downloadAll(addCompletedTask(ledger, [resultLink], { key }).key));
        assert.deepEqual(readFileSync(readResult(ledger, 0, key).path ?? ''), other);
        assert.equal(client.requests[1]?.from !== undefined, shouldSendRange);
      }
    });

    it('F86 resume at the recorded position, even if the partial file is longer', async () => {
      const client = new ScriptedClient([createDownload(clip, { cutAt: 9000 }), createDownload(clip)]);
      const clock = new TestClock();
      const { ledger, results } = downloads.openWindow('w', client, { clock });
      const downloaded = results.downloadAll(addCompletedTask(ledger, [resultLink]).key);
      await waitUntil(() => clock.timers === 1);
      const [part = ''] = downloads.listFiles();
      appendFileSync(join(downloads.folder, part), Buffer.alloc(clip.length));
      await waitByClock(clock, downloaded);
      assert.deepEqual(readFileSync(readResult(ledger).path ?? ''), clip);
    });

    it('F86 start again if the partial file is shorter than recorded', async () => {
      const client = new ScriptedClient([createDownload(clip, { cutAt: 9000 }), createDownload(clip)]);
      const clock = new TestClock();
      const { ledger, results } = downloads.openWindow('w', client, { clock });
      const downloaded = results.downloadAll(addCompletedTask(ledger, [resultLink]).key);
      await waitUntil(() => clock.timers === 1);
      const [part = ''] = downloads.listFiles();
      truncateSync(join(downloads.folder, part), 8999);
      await waitByClock(clock, downloaded);
      assert.equal(client.requests[1]?.from, undefined);
      assert.deepEqual(readFileSync(readResult(ledger).path ?? ''), clip);
    });

    it('P10 wait for Retry-After, and longer after each other failure', async () => {
      const clock = new TestClock();
      const client = new ScriptedClient([
        createFailedDownload({ kind: 'rate-limited', status: 429, retryAfterMs: 20_000 }),
        createFailedDownload({ kind: 'server', status: 503 }),
        createFailedDownload({ kind: 'unreachable', reason: 'refused' }),
        createDownload(clip),
      ]);
      const { ledger, results } = downloads.openWindow('w', client, { clock });
      const downloaded = results.downloadAll(addCompletedTask(ledger, [resultLink]).key);
      for (const [wait, isConditional] of [
        [20_000, 2],
        [2_000, 3],
        [4_000, 4],
      ] as const) {
        await waitUntil(() => clock.timers === 1);
        await clock.advance(wait - 1);
        assert.deepEqual([clock.timers, client.addresses.length], [1, isConditional - 1]);
        await clock.advance(1);
        await waitUntil(() => client.addresses.length === isConditional);
      }
      await downloaded;
      assert.equal(readResult(ledger).state, 'saved');
    });

    it('are given up after 8 attempts, and leave a partial file', async () => {
      const client = new ScriptedClient(createDownload(clip, { cutAt: 9000 }));
      const { ledger } = await downloads.downloadAll(client);
      assert.deepEqual([readResult(ledger).state, client.addresses.length], ['failed', 8]);
      assert.match(readResult(ledger).problem?.message ?? '', /cut/);
      const [part = ''] = downloads.listFiles();
      assert.match(part, /\.part$/);
      assert.deepEqual(downloads.readFile(part), clip.subarray(0, 9000));
    });

    it('are not retried after a permanent failure or with a long Retry-After', async () => {
      for (const facts of [
        { kind: 'authentication', status: 401 },
        { kind: 'invalid-parameters', status: 400 },
        { kind: 'malformed-reply', reason: 'too-large' },
        { kind: 'unreachable', reason: 'tls-expired' },
        { kind: 'unreachable', reason: 'redirect' },
        { kind: 'server', status: 503, retryAfterMs: 3_600_000 },
      ] as const) {
        const client = new ScriptedClient(createFailedDownload(facts));
        const key = JSON.stringify(facts);
        const { ledger, results } = downloads.openWindow(key, client, { clock: new TestClock() });
        await results.downloadAll(addCompletedTask(ledger, [resultLink], { key }).key);
        assert.deepEqual([readResult(ledger, 0, key).state, client.addresses.length], ['failed', 1], key);
      }
    });
  });

  it('are retried while the result is not ready, also after 404, 400 and 409', async () => {
    const clock = new TestClock();
    const client = new ScriptedClient([
      createFailedDownload({ kind: 'server', reason: 'not-ready', status: 202 }),
      ...[404, 400, 409].map((status) => createFailedDownload({ kind: 'invalid-parameters', status })),
      ...Array.from({ length: 7 }, () =>
        createFailedDownload({ kind: 'server', reason: 'not-ready', status: 202 }),
      ),
      createDownload(clip),
    ]);
    const { ledger, results } = downloads.openWindow('w', client, { clock: setToRealTime(clock) });
    await waitByClock(clock, results.downloadAll(addCompletedTask(ledger, [resultLink]).key));
    assert.deepEqual([readResult(ledger).state, client.addresses.length], ['saved', 12]);
  });

  describe('whose link has expired', () => {
    const old = new Date(Date.UTC(2026, 0, 1));

    for (const status of [403, 404, 410]) {
      it(`F72 use the new link of the gateway after ${status}`, async () => {
        const fresh = 'https://media.example/v/clip.mp4?Signature=fresh';
        const client = new ScriptedClient(
          [createFailedDownload({ kind: 'invalid-parameters', status }), createDownload(clip)],
          () => createSnapshot([fresh], new Date(Date.UTC(2026, 10, 1))),
        );
        const clock = new TestClock();
        const { ledger, results } = downloads.openWindow('w', client, { clock });
        await results.downloadAll(addCompletedTask(ledger, [resultLink], { expiresAt: old }).key);
        const { state, url, expiresAt } = readResult(ledger);
        assert.deepEqual([state, url, expiresAt], ['saved', fresh, Date.UTC(2026, 10, 1)]);
        assert.deepEqual(client.addresses, [resultLink, fresh]);
      });
    }

    it('F72 fail with the reason if the gateway has no other link, and preserve the expiry time', async () => {
      for (const read of [() => createSnapshot([resultLink]), () => createSnapshot([]), undefined]) {
        const client = new ScriptedClient(
          createFailedDownload({ kind: 'invalid-parameters', status: 403 }),
          read,
        );
        const key = `k${downloads.listFiles().length}${read}`;
        const { ledger, results } = downloads.openWindow(key, client, { clock: new TestClock() });
        await results.downloadAll(addCompletedTask(ledger, [resultLink], { key, expiresAt: old }).key);
        const { state, url, expiresAt, problem } = readResult(ledger, 0, key);
        assert.deepEqual([state, url, expiresAt, client.reads], ['failed', resultLink, old.getTime(), 1]);
        assert.match(problem?.message ?? '', /expired \(HTTP 403\)/);
        assert.doesNotMatch(problem?.message ?? '', /canary/);
      }
    });

    it('request a new link only once', async () => {
      let linkCount = 0;
      const client = new ScriptedClient(
        createFailedDownload({ kind: 'invalid-parameters', status: 410 }),
        () => createSnapshot([`https://media.example/${++linkCount}`]),
      );
      await downloads.downloadAll(client);
      assert.deepEqual([client.reads, client.addresses.length], [1, 2]);
    });
  });

  describe('that are stopped', () => {
    const endless: ScriptedDownload = async (target, options, address) => {
      await createDownload(clip, { cutAt: 9000 })(target, options, address).catch(() => {});
      if (!options.signal?.aborted)
        await new Promise((stop) => options.signal?.addEventListener('abort', stop));
      throw new Error('stopped');
    };

    it('are reported as stopped, and resumed when they are downloaded again', async () => {
      const client = new ScriptedClient([endless, createDownload(clip)]);
      const { ledger, results } = downloads.openWindow('w', client);
      const { key } = addCompletedTask(ledger, [resultLink]);
      results.onProgress(({ received }) => received === 9000 && results.stop(key, 0));
      await results.downloadAll(key);
      assert.equal(readResult(ledger).state, 'failed');
      assert.match(readResult(ledger).problem?.message ?? '', /stopped/);
      await results.downloadAll(key);
      assert.deepEqual(client.requests[1]?.from, { bytes: 9000, validator: '"v1"' });
      assert.deepEqual(readFileSync(readResult(ledger).path ?? ''), clip);
    });

    it('wait for the next start if the window closed', async () => {
      const { ledger, results } = downloads.openWindow(
        'w',
        new ScriptedClient([endless, createDownload(clip)]),
      );
      const { key } = addCompletedTask(ledger, [resultLink]);
      const end = new AbortController();
      results.onProgress(({ received }) => received === 9000 && end.abort());
      await results.downloadAll(key, end.signal);
      assert.deepEqual([readResult(ledger).state, readResult(ledger).problem], ['waiting', undefined]);
    });

    it('do not start if they were still queued', async () => {
      const client = new ScriptedClient(endless);
      const { ledger, results } = downloads.openWindow('w', client);
      const { key } = addCompletedTask(ledger, [
        'https://a.example/',
        'https://b.example/',
        'https://c.example/',
        resultLink,
      ]);
      const downloaded = results.downloadAll(key);
      for (const index of [3, 0, 1, 2]) results.stop(key, index);
      await downloaded;
      assert.ok(!client.addresses.includes(resultLink));
      assert.equal(readResult(ledger, 3).state, 'failed');
    });
  });
});

/** Sets the test clock to the current time, because the ledger uses the real clock. */
function setToRealTime(clock: TestClock): TestClock {
  clock.jump(Date.now() - clock.now());
  return clock;
}
