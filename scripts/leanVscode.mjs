// VS Code with only the parts that our workbench tests need. It opens a window in half the time of a complete one.
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { serverFolder, workFolder } from './vscodeInstall.mjs';

/**
 * The themes, the languages of the files that the tests open, and the extensions that ours calls: Git and the
 * Markdown preview.
 */
const names = [
  'theme-defaults',
  'theme-seti',
  'javascript',
  'json',
  'markdown-basics',
  'typescript-basics',
  // Checks the schemas that our extension contributes.
  'json-language-features',
  'git',
  'git-base',
  'markdown-language-features',
];

/** Turns off VS Code's features that the extension does not need; its own chat stays on. */
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
    // Windows that start at the same time may do this at once; their links have the same target.
    await symlink(join(serverFolder, 'extensions', name), join(folder, name)).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return folder;
}
