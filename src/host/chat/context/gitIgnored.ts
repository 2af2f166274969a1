import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import * as vscode from 'vscode';
import { untilAborted } from '../../../base/untilAborted.ts';
import { gitApi } from './gitExtension.ts';

/** How long git may take to tell about one file, in milliseconds. */
const answerMs = 5000;

/**
 * Whether git ignores a file, also one whose repository is not open in VS Code.
 *
 * @param ms how long git may take
 * @returns undefined where it is in a repository, and git does not tell
 */
export async function isGitIgnored(file: vscode.Uri, ms = answerMs): Promise<boolean | undefined> {
  if (file.scheme !== 'file') return false;
  const api = await gitApi();
  const repository = api?.getRepository(file);
  try {
    if (repository) {
      const ignored = repository.checkIgnore([file.fsPath]);
      return (await untilAborted(ignored, AbortSignal.timeout(ms))).size > 0;
    }
    const root = await repositoryAbove(file.fsPath);
    if (root === undefined) return false;
    // Git reads settings of the repository, which may name programs.
    if (!api || !vscode.workspace.isTrusted) return undefined;
    const isIgnored = await askGit(api.git.path, file.fsPath, ms);
    const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath;
    // Who opens a folder that is ignored as a whole works with its files.
    const isWhole = isIgnored && folder !== undefined && isWithin(folder, root);
    return isWhole && (await askGit(api.git.path, folder, ms)) ? false : isIgnored;
  } catch {
    return undefined;
  }
}

/** The nearest folder above that is a repository, or a work tree of one. */
async function repositoryAbove(path: string): Promise<string | undefined> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const isRepository = await lstat(join(folder, '.git')).then(
      () => true,
      () => false,
    );
    if (isRepository) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function isWithin(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function askGit(git: string, path: string, ms: number): Promise<boolean | undefined> {
  const options = { cwd: dirname(path), timeout: ms, windowsHide: true };
  return new Promise((resolve) => {
    execFile(git, ['check-ignore', '--quiet', '--', `./${basename(path)}`], options, (error) => {
      // Git exits with 0 for an ignored file, with 1 for another, and with more where it failed.
      if (!error) resolve(true);
      else resolve(error.code === 1 ? false : undefined);
    });
  });
}
