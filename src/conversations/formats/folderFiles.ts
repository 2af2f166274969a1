import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../base/errors.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import { fileSource, type MemberFile } from './reading/byteSource.ts';
import { guarded, SourceError } from './reading/sourceError.ts';

/** Exports lie in a folder, their attachments in folders in it; a folder with more was chosen by mistake. */
const maxDepth = 3;
const maxFiles = 50_000;

/**
 * The files of a folder and of the folders in it. Links are not followed.
 *
 * @throws SourceError where it cannot be read, or holds far more than an export
 * @throws the reason of the signal when it is aborted
 */
export async function folderFiles(
  folder: string,
  signal: AbortSignal | undefined,
): Promise<readonly MemberFile[]> {
  const files: MemberFile[] = [];
  let level: readonly string[] = [''];
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const inner: string[] = [];
    for (const within of level) {
      signal?.throwIfAborted();
      const { names, folders } = await entriesOf(folder, within);
      inner.push(...folders);
      for (const name of names) files.push(await memberFile(folder, name, signal));
      if (files.length > maxFiles) throw new SourceError(explain('import-folder-too-large'));
    }
    level = inner;
  }
  return files;
}

async function entriesOf(
  folder: string,
  within: string,
): Promise<{ readonly names: readonly string[]; readonly folders: readonly string[] }> {
  try {
    const entries = await readdir(join(folder, within), { withFileTypes: true });
    const pathOf = (name: string) => (within === '' ? name : `${within}/${name}`);
    return {
      names: entries.filter((entry) => entry.isFile()).map(({ name }) => pathOf(name)),
      folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => pathOf(name)),
    };
  } catch (thrown) {
    throw new SourceError(explain('import-unreadable', { cause: errorMessage(thrown) }), { cause: thrown });
  }
}

async function memberFile(
  folder: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<MemberFile> {
  const path = join(folder, name);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  async function* bytes() {
    yield* (await fileSource(path)).read();
  }
  return { name, size, read: () => guarded(bytes(), signal) };
}
