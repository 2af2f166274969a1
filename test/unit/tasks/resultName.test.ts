import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Task } from '../../../src/tasks/record/task.ts';
import { buildResultName, isResultName } from '../../../src/tasks/results/resultName.ts';

const task: Task = {
  key: 'key-1',
  gateway: 'https://gateway.example',
  gatewayName: 'work',
  model: 'video-1',
  prompt: 'A lake at dawn, with fog',
  status: 'completed',
  watching: 'on',
  taskId: 'task-1',
  intendedAt: new Date(2026, 0, 31, 23, 59).getTime(),
  results: [],
};

/** Texts that are unsafe in a file name on some system. */
const unsafeTexts: readonly string[] = [
  '',
  '.',
  '..',
  '...',
  '../../etc/passwd',
  '..\\..\\windows\\system32',
  '/absolute',
  'C:\\file',
  '\\\\server\\share',
  'a:b',
  'a:stream:$DATA',
  'CON',
  'con.txt',
  'NUL',
  'COM1',
  'LPT¹',
  'PRN .',
  'name.',
  'name ',
  ' name',
  '-rf',
  '--help',
  '~',
  '~/file',
  '$HOME',
  '%TEMP%',
  '`id`',
  '$(id)',
  'a;rm -rf b',
  'a|b<c>d"e?f*g',
  "it's",
  'line\nbreak',
  'nul\0byte',
  'bell\x07 escape\x1b[31m',
  'right\u202Eto\u202Dleft',
  '\u200Ezero\u200Bwidth\uFEFF',
  'שלום עולם',
  'مرحبا بالعالم',
  '一只猫在雨中',
  '🐈‍⬛ cat 👩‍👩‍👧',
  'e\u0301'.repeat(40),
  'Z\u0351\u036B\u0343\u036A\u0302\u036Balgo',
  '\uD800 lone',
  'ﬁ ligature ℌ',
  'x'.repeat(300),
  '長'.repeat(300),
  '𝔘'.repeat(300),
  'word '.repeat(300),
  '.hidden',
  'desktop.ini',
  'a.mp4.exe',
  'report\u202Egpj.exe',
];

describe('file names of results', () => {
  it('contain the time, the model and the prompt', () => {
    assert.match(buildResultName(task, 0), /^2026-01-31_23-59_video-1_A-lake-at-dawn-with-fog_[0-9a-f]{8}$/);
    assert.match(
      buildResultName({ ...task, model: 'vendor/wan2.2', prompt: '' }, 0),
      /_23-59_vendor-wan2-2_[0-9a-f]{8}$/,
    );
  });

  it('are stable, and different for each task and result', () => {
    const names = [
      buildResultName(task, 0),
      buildResultName(task, 1),
      buildResultName({ ...task, taskId: 'task-2' }, 0),
      buildResultName({ ...task, gateway: 'https://other.example' }, 0),
    ];
    assert.equal(new Set(names).size, 4);
    assert.equal(buildResultName({ ...task }, 0), names[0]);
    assert.ok(names[1]?.startsWith(`${names[0]}-2`));
  });

  it('are shortened between words', () => {
    const name = buildResultName(
      { ...task, prompt: 'An astronaut rides a white horse over the red dunes of a far planet' },
      0,
    );
    assert.match(name, /_An-astronaut-rides-a-white-horse-over-the-red_/);
  });

  for (const words of unsafeTexts) {
    it(`T29 are safe on every system for ${JSON.stringify(words).slice(0, 40)}`, () => {
      assertSafe(buildResultName({ ...task, model: words, prompt: words }, 3));
    });
  }

  it('T29 are safe for any model id and prompt', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary', maxLength: 300 }),
        (model, prompt) => assertSafe(buildResultName({ ...task, model, prompt }, 0)),
      ),
    );
  });

  it('T29 are accepted unchanged by the file system of this machine', () => {
    const folder = mkdtempSync(join(tmpdir(), 'names-'));
    try {
      const names = unsafeTexts.map(
        (words, n) => `${buildResultName({ ...task, taskId: `${n}`, prompt: words }, 0)}.mp4`,
      );
      for (const name of names) writeFileSync(join(folder, name), '', { flag: 'wx' });
      assert.deepEqual(readdirSync(folder).sort(), names.sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('are distinguished from other file names', () => {
    for (const index of [0, 1, 12]) assert.ok(isResultName(buildResultName(task, index)));
    for (const name of ['movie', '2026-01-31', 'download_0123abcd', '']) assert.ok(!isResultName(name), name);
  });
});

function assertSafe(name: string): void {
  assert.match(name, /^\d{4}-[\p{L}\p{N}\p{M}_-]+_[0-9a-f]{8}(-\d+)?$/u);
  assert.ok(Buffer.byteLength(name) <= 130, name);
  assert.equal(name, name.normalize('NFC'));
}
