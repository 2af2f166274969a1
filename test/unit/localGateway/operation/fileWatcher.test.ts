import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileWatcher } from '../../../../src/localGateway/operation/fileWatcher.ts';

describe('a watched file', function () {
  this.timeout(30_000);
  let folder: string;
  let path: string;
  let file: FileWatcher | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'watched-'));
    path = join(folder, 'config.json');
    writeFileSync(path, 'one');
  });
  afterEach(() => {
    file?.dispose();
    rmSync(folder, { recursive: true });
  });

  const nextChange = (watched: FileWatcher) => {
    // Keeps the process alive, because only the test waits for the change.
    const alive = setInterval(() => {}, 1_000);
    return new Promise<void>((resolve) => watched.watch(resolve)).finally(() => clearInterval(alive));
  };

  it('reports a change that happened before watching began', async () => {
    file = new FileWatcher(path);
    writeFileSync(`${path}.new`, 'two');
    renameSync(`${path}.new`, path);
    await nextChange(file);
  });

  it('reports its deletion and its creation', async () => {
    for (const change of [() => rmSync(path), () => writeFileSync(path, 'three')]) {
      file?.dispose();
      file = new FileWatcher(path);
      change();
      await nextChange(file);
    }
  });
});
