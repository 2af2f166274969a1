import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '../../../src/tasks/record/task.ts';
import { buildRecipe, saveCopy } from '../../../src/tasks/results/resultFile.ts';
import { runWithHeldFiles } from '../../support/heldFile.ts';

describe('result files', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keep-'));
    writeFileSync(join(folder, 'clip.mp4'), 'clip');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('are copied to the path that the user chose, and replace an existing file', async () => {
    const target = join(folder, 'mine.mp4');
    for (const before of [undefined, 'something else']) {
      if (before !== undefined) writeFileSync(target, before);
      await saveCopy(join(folder, 'clip.mp4'), target);
      assert.equal(readFileSync(target, 'utf8'), 'clip');
    }
    assert.deepEqual(readdirSync(folder).sort(), ['clip.mp4', 'mine.mp4']);
  });

  it('F94 are copied even if another program holds the copy for a moment', async () => {
    const copy = join(folder, 'mine.mp4');
    await runWithHeldFiles(() => saveCopy(join(folder, 'clip.mp4'), copy));
    assert.equal(readFileSync(copy, 'utf8'), 'clip');
  });

  it('F92 do not replace an existing file if the copy fails', async () => {
    writeFileSync(join(folder, 'mine.mp4'), 'mine');
    await assert.rejects(saveCopy(join(folder, 'missing.mp4'), join(folder, 'mine.mp4')), { code: 'ENOENT' });
    assert.deepEqual(readdirSync(folder).sort(), ['clip.mp4', 'mine.mp4']);
    assert.equal(readFileSync(join(folder, 'mine.mp4'), 'utf8'), 'mine');
  });
});

const task: Task = {
  key: 'key-1',
  gateway: 'https://gateway.example',
  gatewayName: 'work',
  route: 'videoSynthesis',
  model: 'video-1',
  prompt: 'A lake',
  status: 'completed',
  watching: 'on',
  taskId: 'task-1',
  requestId: 'request-1',
  intendedAt: 0,
  submittedAt: 1000,
  acceptedAt: 2000,
  endedAt: 3000,
  results: [],
};

const saved: Parameters<typeof buildRecipe>[2] = {
  index: 1,
  source: 'https://media.example/v/clip.mp4',
  mimeType: 'video/mp4',
  bytes: 5,
  sha256: 'ab12',
};

describe('the recipe of a result', () => {
  it('has the request that created it, and the facts of its file', () => {
    const request = { model: 'video-1', input: { prompt: 'A lake' }, parameters: { seed: 7 } };
    assert.deepEqual(JSON.parse(buildRecipe(task, request, saved, 4000)), {
      model: 'video-1',
      route: 'videoSynthesis',
      gateway: 'https://gateway.example',
      taskId: 'task-1',
      requestId: 'request-1',
      request,
      submittedAt: '1970-01-01T00:00:01.000Z',
      acceptedAt: '1970-01-01T00:00:02.000Z',
      endedAt: '1970-01-01T00:00:03.000Z',
      savedAt: '1970-01-01T00:00:04.000Z',
      result: 1,
      source: 'https://media.example/v/clip.mp4',
      mimeType: 'video/mp4',
      bytes: 5,
      sha256: 'ab12',
    });
  });

  it('has the prompt of an adopted task if it is known', () => {
    assert.equal(JSON.parse(buildRecipe(task, undefined, saved, 0)).prompt, 'A lake');
    assert.ok(!('prompt' in JSON.parse(buildRecipe({ ...task, prompt: '' }, undefined, saved, 0))));
  });

  it('omits the data of pictures in the request, and reports its length', () => {
    const base64 = Buffer.alloc(6000, 5).toString('base64');
    const request = {
      first: { data: base64, mime_type: 'image/png' },
      last: `data:image/png;base64,${base64}`,
      prompt: `${'long text '.repeat(500)}`,
      chinese: '猫'.repeat(3000),
    };
    const recipe = JSON.parse(buildRecipe(task, request, saved, 0));
    assert.equal(recipe.request.first.data, '(8000 characters left out)');
    assert.equal(recipe.request.last, 'data:image/png;base64,(8000 characters left out)');
    assert.deepEqual([recipe.request.prompt, recipe.request.chinese], [request.prompt, request.chinese]);
  });

  it('T22 does not contain the query and the credentials of an address', () => {
    const request = {
      img_url: 'https://user:secret@media.example/first.png?X-Amz-Signature=canary#part',
      nested: [{ url: 'HTTPS://media.example/last.png?sig=canary' }],
    };
    const text = buildRecipe(task, request, saved, 0);
    assert.doesNotMatch(text, /canary|secret/);
    assert.deepEqual(JSON.parse(text).request, {
      img_url: 'https://media.example/first.png',
      nested: [{ url: 'https://media.example/last.png' }],
    });
  });
});
