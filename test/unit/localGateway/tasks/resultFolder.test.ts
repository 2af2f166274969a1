import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { maxResultBytes, ResultFolder } from '../../../../src/localGateway/tasks/resultFolder.ts';
import { runWithHeldFiles } from '../../../support/heldFile.ts';

describe('the result folder', () => {
  let parent: string;
  let path: string;
  let folder: ResultFolder;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'results-'));
    path = join(parent, 'results');
    folder = new ResultFolder(path);
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  it('stores results for this user only, and returns them in parts', async () => {
    const stored = await folder.store('task_a', 0, 'video/mp4', [Buffer.from('01234'), Buffer.from('56789')]);
    assert.equal(stored.bytes, 10);
    assert.equal(await folder.has(stored), true);
    assert.equal(await folder.has({ ...stored, bytes: 9 }), false);
    assert.equal(String(await folder.read(stored)), '0123456789');
    assert.equal(String(await buffer(folder.stream(stored, 3, 6))), '3456');
    assert.equal(statSync(path).mode & 0o777, 0o700);
    assert.equal(statSync(join(path, stored.file)).mode & 0o777, 0o600);
  });

  it('F94 stores a result even if another program holds its file for a moment', async () => {
    const stored = await runWithHeldFiles(() =>
      folder.store('task_a', 0, 'video/mp4', [Buffer.from('video')]),
    );
    assert.equal(String(await folder.read(stored)), 'video');
  });

  it('does not store a result that was cut, is empty or is too large', async () => {
    async function* cut() {
      yield Buffer.from('half');
      throw new Error('cut');
    }
    await assert.rejects(folder.store('task_a', 0, 'video/mp4', cut()), /cut/);
    await assert.rejects(folder.store('task_a', 0, 'video/mp4', []), /empty/);
    // The system allocates memory only for bytes that are accessed.
    const large = [Buffer.from('begins'), new Uint8Array(maxResultBytes)];
    await assert.rejects(folder.store('task_a', 0, 'video/mp4', large), /larger than 1 GiB/);
    assert.deepEqual(readdirSync(path), []);
  });

  it('removes the results of one task only', async () => {
    for (const task of ['task_a', 'task_a-1', 'task_b'])
      await folder.store(task, 0, 'video/mp4', [Buffer.from('x')]);
    await folder.remove('task_a');
    assert.deepEqual(readdirSync(path).toSorted(), ['task_a-1-0', 'task_b-0']);
  });

  it('removes old results without a task, but no other files', async () => {
    for (const task of ['task_a', 'task_b', 'task_new'])
      await folder.store(task, 0, 'video/mp4', [Buffer.from('x')]);
    writeFileSync(join(path, 'mine.txt'), 'x');
    writeFileSync(join(path, 'task_a-1.77.part'), 'x');
    const old = new Date(Date.now() - 7_200_000);
    for (const file of ['task_a-0', 'task_b-0', 'mine.txt', 'task_a-1.77.part'])
      utimesSync(join(path, file), old, old);
    await folder.sweep(() => new Set(['task_a']));
    assert.deepEqual(readdirSync(path).toSorted(), ['mine.txt', 'task_a-0', 'task_new-0']);
  });
});
