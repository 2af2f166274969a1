import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Memento } from 'vscode';
import { type FormContent, FormDraft } from '../../../src/host/tasks/generate/formDraft.ts';

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
const picture = { type: 'image', mimeType: 'image/png', data: png.toString('base64') } as const;
const other = { ...picture, data: Buffer.concat([png, png]).toString('base64') } as const;

describe('the form of the Generate page after a reload of the window', () => {
  let folder: string;
  let stored: Map<string, unknown>;
  const warnings: string[] = [];
  const form: FormContent = {
    model: 'maker/clips',
    route: 'videoSynthesis',
    values: { input: { prompt: 'A cat' } },
    count: 3,
    frames: { first: picture },
    isUnsent: true,
  };

  function openWindow(): FormDraft {
    const state = {
      get: (key: string) => structuredClone(stored.get(key)),
      update: async (key: string, value: unknown) => void stored.set(key, structuredClone(value)),
    } as unknown as Memento;
    return new FormDraft(state, folder, { warn: (_, message) => warnings.push(message) });
  }

  async function storeForm(content: FormContent): Promise<void> {
    const draft = openWindow();
    draft.read();
    draft.storeSoon(content);
    await draft.flush();
  }

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'form-')), 'pictures');
    stored = new Map();
  });
  afterEach(() => {
    rmSync(join(folder, '..'), { recursive: true });
    assert.deepEqual(warnings.splice(0), []);
  });

  it('has its prompt, model, route, number and pictures', async () => {
    assert.equal(openWindow().read(), undefined);
    await storeForm(form);
    assert.deepEqual(openWindow().read(), form);
    await storeForm({ ...form, frames: { first: other, last: picture } });
    assert.deepEqual(openWindow().read()?.frames, { first: other, last: picture });
  });

  it('has no files of removed pictures, and only this user can read its files', async () => {
    await storeForm({ ...form, frames: { first: picture, last: other } });
    assert.equal(readdirSync(folder).length, 2);
    if (process.platform !== 'win32') {
      for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o077, 0);
    }
    await storeForm({ ...form, frames: {} });
    assert.deepEqual([readdirSync(folder), openWindow().read()?.frames], [[], {}]);
  });

  it('omits pictures whose file was changed', async () => {
    await storeForm(form);
    const [name = ''] = readdirSync(folder);
    for (const damaged of ['text', Buffer.concat([png, Buffer.from('x')]), '']) {
      writeFileSync(join(folder, name), damaged);
      assert.deepEqual(openWindow().read(), { ...form, frames: {} });
    }
  });

  it('is empty if the stored value is invalid', () => {
    for (const damaged of [7, 'text', [], { ...form, frames: {} }, { route: 'none' }]) {
      stored.set('generateDraft', damaged);
      assert.equal(openWindow().read(), undefined);
    }
  });

  it('deletes pictures of other workspaces after a month, but not its own', async () => {
    await storeForm(form);
    const [name = ''] = readdirSync(folder);
    const old = new Date(Date.now() - 31 * 24 * 3_600_000);
    for (const each of ['old-first', name]) writeFileSync(join(folder, each), png);
    writeFileSync(join(folder, 'recent-first'), png);
    for (const each of ['old-first', name]) utimesSync(join(folder, each), old, old);
    assert.deepEqual(openWindow().read()?.frames, form.frames);
    assert.deepEqual(readdirSync(folder).toSorted(), [name, 'recent-first'].toSorted());
  });
});
