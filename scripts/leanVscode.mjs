// VS Code with as little as our tests of the workbench need, which opens a window in half the time of a whole one.
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { serverFolder, workFolder } from './vscodeInstall.mjs';

/** The themes, the languages of what the tests open, and what our extension asks: Git and the Markdown preview. */
const names = [
  ...['theme-defaults', 'theme-seti', 'javascript', 'json', 'markdown-basics', 'typescript-basics'],
  // The schemas that our extension brings along are checked by it.
  'json-language-features',
  ...['git', 'git-base', 'markdown-language-features'],
];

/** Switch off what VS Code does beside showing the extension; its own chat stays. */
export const leanSettings = {
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'extensions.webWorker': false,
  'workbench.reduceMotion': 'on',
};

/**
 * Makes a folder with few of the extensions that VS Code brings along, and returns its path.
 *
 * @returns {Promise<string>}
 */
export async function leanExtensions() {
  const folder = join(workFolder, 'lean-extensions');
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    // Windows that start at once meet here: each of their links leads to the same place.
    await symlink(join(serverFolder, 'extensions', name), join(folder, name)).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return folder;
}
