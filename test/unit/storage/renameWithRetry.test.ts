import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { mock } from 'node:test';
import { pause } from '../../../src/base/node/clock.ts';
import { renameWithRetry, renameWithRetrySync } from '../../../src/storage/renameWithRetry.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { TestClock } from '../../support/testClock.ts';

/** In milliseconds, between 10 attempts. */
const allPauses = [20, 40, 80, 160, 320, 500, 500, 500, 500];

describe('renaming a file', () => {
  for (const code of ['EPERM', 'EBUSY', 'EACCES']) {
    it(`F94 is retried after ${code} until it succeeds`, async () => {
      const clock = new TestClock();
      const requests: string[] = [];
      const renamed = renameWithRetry(
        'a',
        'b',
        (ms) => pause(clock, ms),
        async (from, to) => {
          requests.push(`${from} ${to}`);
          if (requests.length < 4) throw Object.assign(new Error(code), { code });
        },
      );
      await clock.advance(20 + 40 + 80);
      await renamed;
      assert.deepEqual(requests, ['a b', 'a b', 'a b', 'a b']);
    });
  }

  it('F94 fails after 10 attempts, or after the first one if the error is permanent', async () => {
    for (const [code, times] of [
      ['EBUSY', 10],
      ['ENOSPC', 1],
    ] as const) {
      const clock = new TestClock();
      let requestCount = 0;
      const renamed = renameWithRetry(
        'a',
        'b',
        (ms) => pause(clock, ms),
        async () => {
          requestCount += 1;
          throw Object.assign(new Error(code), { code });
        },
      );
      const rejection = assert.rejects(renamed, { code });
      await clock.advance(10_000);
      await rejection;
      assert.equal(requestCount, times);
    }
  });

  it('F94 is retried after pauses that grow up to half a second', async () => {
    const pauses: number[] = [];
    const renamed = renameWithRetry(
      'a',
      'b',
      async (ms) => {
        pauses.push(ms);
      },
      async () => {
        throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
      },
    );
    await assert.rejects(renamed, { code: 'EBUSY' });
    assert.deepEqual(pauses, allPauses);
  });

  describe('without leaving the thread', () => {
    const system = process.platform;
    let folder: DatabaseFolder;
    let pauses: number[];

    beforeEach(() => {
      folder = new DatabaseFolder();
      pauses = [];
      mock.method(Atomics, 'wait', (_array: Int32Array, _index: number, _value: number, ms: number) => {
        pauses.push(ms);
        return 'timed-out';
      });
    });
    afterEach(() => {
      mock.restoreAll();
      runOn(system);
      folder.remove();
    });

    function runOn(platform: NodeJS.Platform): void {
      Object.defineProperty(process, 'platform', { value: platform });
    }

    function rename(): void {
      renameWithRetrySync(folder.file('a'), folder.file('b'));
    }

    it('renames the file', () => {
      writeFileSync(folder.file('a'), '');
      rename();
      assert.deepEqual([folder.listNames(), pauses], [['b'], []]);
    });

    it('F94 fails at once if the file is missing, also on Windows', () => {
      for (const platform of ['linux', 'win32'] as const) {
        runOn(platform);
        assert.throws(rename, { code: 'ENOENT' });
        assert.deepEqual(pauses, []);
      }
    });

    it('F94 fails after 10 attempts on Windows and after the first one elsewhere, if the file is held', () => {
      if (system === 'win32') return;
      writeFileSync(folder.file('a'), '');
      for (const [platform, expected] of [
        ['linux', []],
        ['win32', allPauses],
      ] as const) {
        runOn(platform);
        folder.runUnwritable(() => assert.throws(rename, { code: 'EACCES' }));
        assert.deepEqual(pauses, expected);
        assert.ok(existsSync(folder.file('a')));
      }
    });
  });
});
