import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** What editors and version control leave in a folder that people work in and send each other. */
const marks = ['.git', '.hg', '.svn', '.vscode', '.idea', '.devcontainer'];

/**
 * The workspace that a file belongs to, by its path or by where links lead: the nearest folder around it with
 * such a mark. The home folder is none, where programs keep settings under the same names.
 */
export function workspaceOf(file: string, home = homedir()): string | undefined {
  const path = resolve(file);
  return [path, realPath(path)].map((each) => marked(dirname(each), home)).find((each) => each !== undefined);
}

function marked(folder: string, home: string): string | undefined {
  if (folder !== home && marks.some((mark) => existsSync(join(folder, mark)))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : marked(parent, home);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
