import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveCopy } from '../../../src/tasks/results/resultFile.ts';

describe('result files', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keep-'));
    writeFileSync(join(folder, 'clip.mp4'), 'clip');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('are copied to the path that the user chose, and replace an existing file', async () => {
    const there = join(folder, 'mine.mp4');
    for (const before of [undefined, 'something else']) {
      if (before !== undefined) writeFileSync(there, before);
      await saveCopy(join(folder, 'clip.mp4'), there);
      assert.equal(readFileSync(there, 'utf8'), 'clip');
    }
    assert.deepEqual(readdirSync(folder).sort(), ['clip.mp4', 'mine.mp4']);
  });

  it('F92 do not replace an existing file if the copy fails', async () => {
    writeFileSync(join(folder, 'mine.mp4'), 'mine');
    await assert.rejects(saveCopy(join(folder, 'missing.mp4'), join(folder, 'mine.mp4')), { code: 'ENOENT' });
    assert.deepEqual(readdirSync(folder).sort(), ['clip.mp4', 'mine.mp4']);
    assert.equal(readFileSync(join(folder, 'mine.mp4'), 'utf8'), 'mine');
  });
});
