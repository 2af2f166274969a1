import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renamePatiently, saveCopy } from '../../../src/tasks/results/resultKeep.ts';
import { TestClock } from '../../support/tasksClock.ts';

describe('files of results', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keep-'));
    writeFileSync(join(folder, 'clip.mp4'), 'clip');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('are copied to where the user wants them, in the place of what was there', async () => {
    const there = join(folder, 'mine.mp4');
    for (const before of [undefined, 'something else']) {
      if (before !== undefined) writeFileSync(there, before);
      await saveCopy(join(folder, 'clip.mp4'), there);
      assert.equal(readFileSync(there, 'utf8'), 'clip');
    }
    assert.deepEqual(readdirSync(folder).sort(), ['clip.mp4', 'mine.mp4']);
  });

  it('F92 a copy that fails leaves what was there', async () => {
    writeFileSync(join(folder, 'mine.mp4'), 'mine');
    await assert.rejects(saveCopy(join(folder, 'missing.mp4'), join(folder, 'mine.mp4')), { code: 'ENOENT' });
    assert.deepEqual(readdirSync(folder).sort(), ['clip.mp4', 'mine.mp4']);
    assert.equal(readFileSync(join(folder, 'mine.mp4'), 'utf8'), 'mine');
  });

  for (const code of ['EPERM', 'EBUSY', 'EACCES']) {
    it(`F94 are renamed as soon as nobody holds them: ${code}`, async () => {
      const clock = new TestClock();
      const asked: string[] = [];
      const renamed = renamePatiently('a', 'b', clock, async (from, to) => {
        asked.push(`${from} ${to}`);
        if (asked.length < 4) throw Object.assign(new Error(code), { code });
      });
      await clock.advance(20 + 40 + 80);
      await renamed;
      assert.deepEqual(asked, ['a b', 'a b', 'a b', 'a b']);
    });
  }

  it('F94 that are held for long, or cannot be renamed at all, are told', async () => {
    for (const [code, times] of [
      ['EBUSY', 10],
      ['ENOSPC', 1],
    ] as const) {
      const clock = new TestClock();
      let asked = 0;
      const renamed = renamePatiently('a', 'b', clock, async () => {
        asked += 1;
        throw Object.assign(new Error(code), { code });
      });
      const told = assert.rejects(renamed, { code });
      await clock.advance(10_000);
      await told;
      assert.equal(asked, times);
    }
  });
});
