import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildResultName } from '../../../src/tasks/results/resultName.ts';
import { ResultPart } from '../../../src/tasks/results/resultPart.ts';
import {
  addCompletedTask,
  createDownload,
  createFailedDownload,
  DownloadFolder,
  readResult,
  resultLink,
  ScriptedClient,
  type ScriptedDownload,
} from '../../support/downloadFolder.ts';
import { createTinyClip } from '../../support/downloadServers.ts';
import { TestClock, waitByClock, waitUntil } from '../../support/testClock.ts';

const clip = createTinyClip();

describe('results', () => {
  let downloads: DownloadFolder;

  beforeEach(() => {
    downloads = new DownloadFolder();
  });

  afterEach(() => downloads.remove());

  describe('in several windows', () => {
    it('F90 are downloaded by one window', async () => {
      const client = new ScriptedClient(createDownload(clip));
      const one = downloads.openWindow('one', client);
      const two = downloads.openWindow('two', client);
      const { key } = addCompletedTask(one.ledger, [resultLink]);
      await Promise.all([
        one.results.downloadAll(key),
        two.results.downloadAll(key),
        one.results.downloadAll(key),
      ]);
      assert.equal(client.addresses.length, 1);
      assert.equal(readResult(two.ledger).state, 'saved');
    });

    /** Begins a download, and ends it once `gate` is open. */
    const holdDownload =
      (gate: Promise<unknown>): ScriptedDownload =>
      async (target, _, address) => {
        await target.begin({ from: 0, total: clip.length, validator: '"v1"' });
        await target.write(clip.subarray(0, 5000));
        await gate;
        await target.write(clip.subarray(5000));
        return { from: 0, bytes: clip.length, total: clip.length, source: address };
      };

    it('F90 are taken over from a dead window, whose later updates are ignored', async () => {
      const gate = Promise.withResolvers<void>();
      const frozen = new ScriptedClient(holdDownload(gate.promise));
      const one = downloads.openWindow('one', frozen);
      const two = downloads.openWindow('two', new ScriptedClient(createDownload(clip)), {
        windows: { isAlive: () => false },
      });
      const { key } = addCompletedTask(one.ledger, [resultLink]);
      const first = one.results.downloadAll(key);
      await waitUntil(() => frozen.addresses.length === 1 && downloads.listFiles().length === 1);
      await two.results.downloadAll(key);
      const stored = readResult(two.ledger);
      gate.resolve();
      await first;
      assert.deepEqual([stored.state, readResult(two.ledger)], ['saved', stored]);
      assert.deepEqual(readFileSync(stored.path ?? ''), clip);
      assert.equal(downloads.listFiles().length, 2);
    });

    it('F90 are not changed by a window that wakes up after another window took over', async () => {
      for (const [name, ending] of [
        ['ends', holdDownload],
        ['fails', (gate: Promise<unknown>) => failAtEnd(holdDownload(gate))],
      ] as const) {
        const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const frozen = new ScriptedClient(ending(first.promise));
        const awake = new ScriptedClient(holdDownload(second.promise));
        const one = downloads.openWindow(`one ${name}`, frozen, { clock: new TestClock() });
        const two = downloads.openWindow(`two ${name}`, awake, { windows: { isAlive: () => false } });
        const { key } = addCompletedTask(one.ledger, [resultLink], { key: name });
        const slept = one.results.downloadAll(key);
        await waitUntil(
          () => frozen.addresses.length === 1 && downloads.listFiles().some((file) => file.endsWith('.part')),
        );
        const other = two.results.downloadAll(key);
        await waitUntil(() => awake.addresses.length === 1);
        first.resolve();
        await slept;
        assert.equal(readResult(one.ledger, 0, name).state, 'downloading');
        second.resolve();
        await other;
        const { state, path = '' } = readResult(one.ledger, 0, name);
        assert.equal(state, 'saved');
        assert.deepEqual(readFileSync(path), clip);
        assert.ok(downloads.listFiles().every((file) => !file.includes('.part')));
      }
    });
  });

  describe('on the disk', () => {
    it('F91 are not downloaded again if the window died before it recorded them', async () => {
      const client = new ScriptedClient(createDownload(clip));
      const { ledger, results, key } = await downloads.downloadAll(client);
      const stored = readResult(ledger);
      ledger.updateResult(key, 0, { state: 'waiting', path: undefined, bytes: undefined, sha256: undefined });
      await results.downloadAll(key);
      assert.deepEqual([readResult(ledger), client.addresses.length], [stored, 1]);
    });

    it('F91 use a file name again that was reserved but never used', async () => {
      const { ledger, results } = downloads.openWindow('w', new ScriptedClient(createDownload(clip)));
      const task = addCompletedTask(ledger, [resultLink]);
      mkdirSync(downloads.folder);
      const name = `${buildResultName(task, 0)}.mp4`;
      writeFileSync(join(downloads.folder, name), '');
      writeFileSync(join(downloads.folder, `${name}.json`), '{"bytes":20000}');
      writeFileSync(join(downloads.folder, `${name}.json.123.tmp`), '{');
      await results.downloadAll(task.key);
      assert.deepEqual(downloads.listFiles(), [name, `${name}.json`]);
      assert.deepEqual(downloads.readFile(name), clip);
    });

    it('do not overwrite other files', async () => {
      const { ledger, results } = downloads.openWindow('w', new ScriptedClient(createDownload(clip)));
      const task = addCompletedTask(ledger, [resultLink]);
      mkdirSync(downloads.folder);
      const name = buildResultName(task, 0);
      writeFileSync(join(downloads.folder, `${name}.mp4`), 'mine');
      writeFileSync(join(downloads.folder, `${name} (2).mp4.json`), 'mine');
      await results.downloadAll(task.key);
      assert.equal(downloads.readFile(`${name}.mp4`).toString(), 'mine');
      assert.equal(downloads.readFile(`${name} (2).mp4.json`).toString(), 'mine');
      assert.deepEqual(downloads.readFile(`${name} (3).mp4`), clip);
    });

    it('T29 are not written through a symbolic link to another file', async () => {
      const other = join(downloads.path, 'other.txt');
      writeFileSync(other, 'the file belongs to another program');
      const path = join(downloads.path, 'clip.part');
      symlinkSync(other, path);
      const part = new ResultPart(downloads.path, path, { freeSpace: async () => 1e12, isOwner: () => true });
      await assert.rejects(part.begin({ from: 2, total: clip.length, validator: '"v1"' }));
      assert.equal(readFileSync(other, 'utf8'), 'the file belongs to another program');
    });

    it('lose only old partial files that belong to no task in a cleanup', async () => {
      const { ledger, results } = downloads.openWindow(
        'w',
        new ScriptedClient(createDownload(clip, { cutAt: 9000 })),
      );
      const waiting = buildResultName(addCompletedTask(ledger, [resultLink]), 0);
      mkdirSync(downloads.folder);
      const deletedFile = '2026-01-31_23-59_model_a-lake_0123abcd';
      const long = new Date(Date.now() - 25 * 60 * 60 * 1000);
      const place = (name: string, at: Date) => {
        writeFileSync(join(downloads.folder, name), 'x');
        utimesSync(join(downloads.folder, name), at, at);
      };
      for (const name of [
        `${deletedFile}.part`,
        `${deletedFile}.part.json`,
        `${waiting}.part`,
        'movie.part',
        `${deletedFile}.mp4`,
      ]) {
        place(name, long);
      }
      place(`${deletedFile}-2.part`, new Date());
      await results.removeUnneededParts();
      const remaining = [
        `${deletedFile}-2.part`,
        `${deletedFile}.mp4`,
        `${waiting}.part`,
        'movie.part',
      ].sort();
      assert.deepEqual(downloads.listFiles(), remaining);
    });

    it('F82 do not lose resumable partial files in a cleanup when the clock runs ahead', async () => {
      const clock = new TestClock();
      const refused = createFailedDownload({ kind: 'invalid-parameters', status: 400 });
      const client = new ScriptedClient([createDownload(clip, { cutAt: 9000 }), refused]);
      const { ledger, results } = downloads.openWindow('w', client, { clock });
      const { key } = addCompletedTask(ledger, [resultLink]);
      await waitByClock(clock, results.downloadAll(key));
      const parts = downloads.listFiles();
      assert.equal(readResult(ledger).state, 'failed');
      setToRealTime(clock).jump(8 * 24 * 60 * 60 * 1000);
      await results.removeUnneededParts();
      assert.deepEqual([downloads.listFiles(), parts.length], [parts, 2]);
    });

    it('do not create their folder for a cleanup', async () => {
      await downloads.openWindow('w', new ScriptedClient([])).results.removeUnneededParts();
      assert.ok(!existsSync(downloads.folder));
    });
  });
});

/** Performs a download up to its end, where it fails permanently. */
function failAtEnd(perform: ScriptedDownload): ScriptedDownload {
  return async (...args) => {
    await perform(...args);
    return createFailedDownload({ kind: 'invalid-parameters', status: 400 })(...args);
  };
}

/** Sets the test clock to the current time, because the ledger uses the real clock. */
function setToRealTime(clock: TestClock): TestClock {
  clock.jump(Date.now() - clock.now());
  return clock;
}
