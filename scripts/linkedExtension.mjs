// The extension under development, as VS Code's server is to see it.
import { mkdir, readlink, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';
import { workFolder } from './vscodeInstall.mjs';

const home = fileURLToPath(root);

/**
 * Makes a link to the project's folder and returns its path. The folder's own path will not do: VS Code takes
 * every theme below the path of an extension under development for one that is being developed and puts it
 * on, and the server with all its themes lies below ours. A folder of links to the parts will not do either:
 * VS Code knows an extension's calls by the real path of its code.
 *
 * @returns {Promise<string>}
 */
export async function linkedExtension() {
  const link = join(workFolder, 'extension');
  if ((await readlink(link).catch(() => undefined)) === home) return link;
  await mkdir(workFolder, { recursive: true });
  // Windows that start at once meet here: each makes a link of its own, and the last one is put in place whole.
  const own = `${link}-${process.pid}-${performance.now()}`;
  await symlink(home, own);
  await rename(own, link);
  return link;
}
