import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import {
  completed,
  DownloadFolder,
  fails,
  resultLink,
  resultOf,
  ScriptedClient,
  type ScriptedDownload,
  sends,
  snapshotOf,
} from '../../support/downloadFolder.ts';
import { tinyClip } from '../../support/downloadServers.ts';
import { TestClock, through, until } from '../../support/testClock.ts';

const clip = tinyClip();

describe('downloads of results', () => {
  let downloads: DownloadFolder;

  beforeEach(() => {
    downloads = new DownloadFolder();
  });

  afterEach(() => downloads.remove());

  describe('that are interrupted', () => {
    for (const cutAt of [1, 7, 24, 4095, 4096, 4097, 10_000, clip.length - 1]) {
      it(`F86 are resumed and complete after a cut at byte ${cutAt}`, async () => {
        const client = new ScriptedClient([sends(clip, { cutAt }), sends(clip)]);
        const clock = new TestClock();
        const { ledger, results } = downloads.window('one', client, { clock });
        await through(clock, results.downloadAll(completed(ledger, [resultLink]).key));
        const { state, path = '' } = resultOf(ledger);
        assert.equal(state, 'saved');
        assert.deepEqual(readFileSync(path), clip);
        assert.deepEqual(client.requests[1]?.from, { bytes: cutAt, validator: '"v1"' });
      });
    }

    it('F86 start again if the file has changed or has no validator', async () => {
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
        await through(clock, results.downloadAll(completed(ledger, [resultLink], { key }).key));
        assert.deepEqual(readFileSync(resultOf(ledger, 0, key).path ?? ''), other);
        assert.equal(client.requests[1]?.from !== undefined, asks);
      }
    });

    it('F86 resume at the recorded position, even if the partial file is longer', async () => {
      const client = new ScriptedClient([sends(clip, { cutAt: 9000 }), sends(clip)]);
      const clock = new TestClock();
      const { ledger, results } = downloads.window('w', client, { clock });
      const downloaded = results.downloadAll(completed(ledger, [resultLink]).key);
      await until(() => clock.timers === 1);
      const [part = ''] = downloads.files();
      appendFileSync(join(downloads.folder, part), Buffer.alloc(clip.length));
      await through(clock, downloaded);
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('F86 start again if the partial file is shorter than recorded', async () => {
      const client = new ScriptedClient([sends(clip, { cutAt: 9000 }), sends(clip)]);
      const clock = new TestClock();
      const { ledger, results } = downloads.window('w', client, { clock });
      const downloaded = results.downloadAll(completed(ledger, [resultLink]).key);
      await until(() => clock.timers === 1);
      const [part = ''] = downloads.files();
      truncateSync(join(downloads.folder, part), 8999);
      await through(clock, downloaded);
      assert.equal(client.requests[1]?.from, undefined);
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('P10 wait for Retry-After, and longer after each other failure', async () => {
      const clock = new TestClock();
      const client = new ScriptedClient([
        fails({ kind: 'rate-limited', status: 429, retryAfterMs: 20_000 }),
        fails({ kind: 'server', status: 503 }),
        fails({ kind: 'unreachable', reason: 'refused' }),
        sends(clip),
      ]);
      const { ledger, results } = downloads.window('w', client, { clock });
      const downloaded = results.downloadAll(completed(ledger, [resultLink]).key);
      for (const [wait, isConditional] of [
        [20_000, 2],
        [2_000, 3],
        [4_000, 4],
      ] as const) {
        await until(() => clock.timers === 1);
        await clock.advance(wait - 1);
        assert.deepEqual([clock.timers, client.addresses.length], [1, isConditional - 1]);
        await clock.advance(1);
        await until(() => client.addresses.length === isConditional);
      }
      await downloaded;
      assert.equal(resultOf(ledger).state, 'saved');
    });

    it('are given up after 8 attempts, and leave a partial file', async () => {
      const client = new ScriptedClient(sends(clip, { cutAt: 9000 }));
      const { ledger } = await downloads.downloadAll(client);
      assert.deepEqual([resultOf(ledger).state, client.addresses.length], ['failed', 8]);
      assert.match(resultOf(ledger).problem?.message ?? '', /cut/);
      const [part = ''] = downloads.files();
      assert.match(part, /\.part$/);
      assert.deepEqual(downloads.read(part), clip.subarray(0, 9000));
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
        const client = new ScriptedClient(fails(facts));
        const key = JSON.stringify(facts);
        const { ledger, results } = downloads.window(key, client, { clock: new TestClock() });
        await results.downloadAll(completed(ledger, [resultLink], { key }).key);
        assert.deepEqual([resultOf(ledger, 0, key).state, client.addresses.length], ['failed', 1], key);
      }
    });
  });

  it('are retried while the result is not ready, also after 404, 400 and 409', async () => {
    const clock = new TestClock();
    const client = new ScriptedClient([
      fails({ kind: 'server', reason: 'not-ready', status: 202 }),
      ...[404, 400, 409].map((status) => fails({ kind: 'invalid-parameters', status })),
      ...Array.from({ length: 7 }, () => fails({ kind: 'server', reason: 'not-ready', status: 202 })),
      sends(clip),
    ]);
    const { ledger, results } = downloads.window('w', client, { clock: nowClock(clock) });
    await through(clock, results.downloadAll(completed(ledger, [resultLink]).key));
    assert.deepEqual([resultOf(ledger).state, client.addresses.length], ['saved', 12]);
  });

  describe('whose link has expired', () => {
    const old = new Date(Date.UTC(2026, 0, 1));

    for (const status of [403, 404, 410]) {
      it(`F72 use the new link of the gateway after ${status}`, async () => {
        const fresh = 'https://media.example/v/clip.mp4?Signature=fresh';
        const client = new ScriptedClient([fails({ kind: 'invalid-parameters', status }), sends(clip)], () =>
          snapshotOf([fresh], new Date(Date.UTC(2026, 10, 1))),
        );
        const clock = new TestClock();
        const { ledger, results } = downloads.window('w', client, { clock });
        await results.downloadAll(completed(ledger, [resultLink], { expiresAt: old }).key);
        const { state, url, expiresAt } = resultOf(ledger);
        assert.deepEqual([state, url, expiresAt], ['saved', fresh, Date.UTC(2026, 10, 1)]);
        assert.deepEqual(client.addresses, [resultLink, fresh]);
      });
    }

    it('F72 fail with the reason if the gateway has no other link, and preserve the expiry time', async () => {
      for (const read of [() => snapshotOf([resultLink]), () => snapshotOf([]), undefined]) {
        const client = new ScriptedClient(fails({ kind: 'invalid-parameters', status: 403 }), read);
        const key = `k${downloads.files().length}${read}`;
        const { ledger, results } = downloads.window(key, client, { clock: new TestClock() });
        await results.downloadAll(completed(ledger, [resultLink], { key, expiresAt: old }).key);
        const { state, url, expiresAt, problem } = resultOf(ledger, 0, key);
        assert.deepEqual([state, url, expiresAt, client.reads], ['failed', resultLink, old.getTime(), 1]);
        assert.match(problem?.message ?? '', /expired \(HTTP 403\)/);
        assert.doesNotMatch(problem?.message ?? '', /canary/);
      }
    });

    it('request a new link only once', async () => {
      let linkCount = 0;
      const client = new ScriptedClient(fails({ kind: 'invalid-parameters', status: 410 }), () =>
        snapshotOf([`https://media.example/${++linkCount}`]),
      );
      await downloads.downloadAll(client);
      assert.deepEqual([client.reads, client.addresses.length], [1, 2]);
    });
  });

  describe('that are stopped', () => {
    const endless: ScriptedDownload = async (target, options, address) => {
      await sends(clip, { cutAt: 9000 })(target, options, address).catch(() => {});
      if (!options.signal?.aborted)
        await new Promise((stop) => options.signal?.addEventListener('abort', stop));
      throw new Error('stopped');
    };

    it('are reported as stopped, and resumed when they are downloaded again', async () => {
      const client = new ScriptedClient([endless, sends(clip)]);
      const { ledger, results } = downloads.window('w', client);
      const { key } = completed(ledger, [resultLink]);
      results.onProgress(({ received }) => received === 9000 && results.stop(key, 0));
      await results.downloadAll(key);
      assert.equal(resultOf(ledger).state, 'failed');
      assert.match(resultOf(ledger).problem?.message ?? '', /stopped/);
      await results.downloadAll(key);
      assert.deepEqual(client.requests[1]?.from, { bytes: 9000, validator: '"v1"' });
      assert.deepEqual(readFileSync(resultOf(ledger).path ?? ''), clip);
    });

    it('wait for the next start if the window closed', async () => {
      const { ledger, results } = downloads.window('w', new ScriptedClient([endless, sends(clip)]));
      const { key } = completed(ledger, [resultLink]);
      const end = new AbortController();
      results.onProgress(({ received }) => received === 9000 && end.abort());
      await results.downloadAll(key, end.signal);
      assert.deepEqual([resultOf(ledger).state, resultOf(ledger).problem], ['waiting', undefined]);
    });

    it('do not start if they were still queued', async () => {
      const client = new ScriptedClient(endless);
      const { ledger, results } = downloads.window('w', client);
      const { key } = completed(ledger, [
        'https://a.example/',
        'https://b.example/',
        'https://c.example/',
        resultLink,
      ]);
      const downloaded = results.downloadAll(key);
      for (const index of [3, 0, 1, 2]) results.stop(key, index);
      await downloaded;
      assert.ok(!client.addresses.includes(resultLink));
      assert.equal(resultOf(ledger, 3).state, 'failed');
    });
  });
});

/** The common test clock, set to the current time, because the ledger uses the real clock. */
function nowClock(clock: TestClock): TestClock {
  clock.jump(Date.now() - clock.now());
  return clock;
}
