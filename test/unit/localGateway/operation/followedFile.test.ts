import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FollowedFile } from '../../../../src/localGateway/operation/followedFile.ts';

describe('a file that is followed', function () {
  this.timeout(30_000);
  let folder: string;
  let path: string;
  let file: FollowedFile | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'followed-'));
    path = join(folder, 'config.json');
    writeFileSync(path, 'one');
  });
  afterEach(() => {
    file?.dispose();
    rmSync(folder, { recursive: true });
  });

  const nextChange = (followed: FollowedFile) => {
    // The test waits for it, and nothing else does.
    const alive = setInterval(() => {}, 1_000);
    return new Promise<void>((resolve) => followed.follow(resolve)).finally(() => clearInterval(alive));
  };

  it('tells a change that came before anybody looked', async () => {
    file = new FollowedFile(path);
    writeFileSync(`${path}.new`, 'two');
    renameSync(`${path}.new`, path);
    await nextChange(file);
  });

  it('tells that it was made, and that it is gone', async () => {
    for (const change of [() => rmSync(path), () => writeFileSync(path, 'three')]) {
      file?.dispose();
      file = new FollowedFile(path);
      change();
      await nextChange(file);
    }
  });
});
