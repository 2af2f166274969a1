import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';

// The worker can only read and write files of this machine. VS Code copies the files of other file systems.

/**
 * Lets the user choose a file to export to. The dialog starts in the first workspace folder, otherwise in the home
 * folder.
 *
 * @param name the suggested file name
 */
export async function pickExportTarget(
  title: string,
  name: string,
  filters: Readonly<Record<string, string[]>>,
): Promise<vscode.Uri | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return vscode.window.showSaveDialog({
    title,
    saveLabel: vscode.l10n.t('Export'),
    defaultUri: folder ? vscode.Uri.joinPath(folder.uri, name) : vscode.Uri.file(join(homedir(), name)),
    filters,
  });
}

/** Calls `write` with a local path. If `target` is on another file system, copies the written file there. */
export async function writeLocally<Result>(
  target: vscode.Uri,
  write: (file: string) => Promise<Result>,
): Promise<Result> {
  if (target.scheme === 'file') return write(target.fsPath);
  return withTemporaryFile(basename(target.path), async (copy) => {
    const result = await write(copy.fsPath);
    await vscode.workspace.fs.copy(copy, target, { overwrite: true });
    return result;
  });
}

/** Calls `read` with the local paths of files. Files of other file systems are copied under their own names. */
export function readLocally<Result>(
  files: readonly vscode.Uri[],
  read: (paths: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const [first, ...others] = files;
  if (!first) return read([]);
  const withFirst = (path: string) => readLocally(others, (paths) => read([path, ...paths]));
  if (first.scheme === 'file') return withFirst(first.fsPath);
  return withTemporaryFile(basename(first.path), async (copy) => {
    await vscode.workspace.fs.copy(first, copy, { overwrite: true });
    return withFirst(copy.fsPath);
  });
}

/** Calls `use` with a path in a temporary folder, which is removed afterwards. */
async function withTemporaryFile<Result>(
  name: string,
  use: (copy: vscode.Uri) => Promise<Result>,
): Promise<Result> {
  const folder = join(tmpdir(), `model-gateway-${randomUUID()}`);
  try {
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(folder));
    return await use(vscode.Uri.file(join(folder, name)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
