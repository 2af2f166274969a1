// The path of the extension under development for VS Code's server.
import { mkdir, readlink, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';
import { workFolder } from './vscodeInstall.mjs';

const home = fileURLToPath(root);

/**
 * Makes a link to the project's folder and returns its path. The folder's own path does not work: VS Code treats
 * every theme below the path of an extension under development as one under development and activates it, and the
 * server with all its themes is below ours. A folder with links to the parts does not work either: VS Code
 * recognizes an extension's calls by the real path of its code.
 *
 * @returns {Promise<string>}
 */
export async function linkedExtension() {
  const link = join(workFolder, 'extension');
  if ((await readlink(link).catch(() => undefined)) === home) return link;
  await mkdir(workFolder, { recursive: true });
  // Windows that start at the same time may do this at once: each makes its own link, and the last one replaces
  // the others atomically.
  const own = `${link}-${process.pid}-${performance.now()}`;
  await symlink(home, own);
  await rename(own, link);
  return link;
}
