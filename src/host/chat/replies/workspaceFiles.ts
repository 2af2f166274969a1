import { lstat, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import * as vscode from 'vscode';
import { type FileReference, readFileReference } from '../../../base/fileReference.ts';

/** A file of the workspace that a reply names, and the lines of it. */
export interface FoundFile {
  readonly uri: vscode.Uri;
  readonly selection: vscode.Range | undefined;
}

/**
 * Finds the file that a reply names in the folders of the workspace, and nowhere else: not by `..`, and not by a
 * link that leads out of them.
 */
export async function findWorkspaceFile(text: string): Promise<FoundFile | undefined> {
  const reference = readFileReference(text);
  if (!reference) return undefined;
  for (const uri of candidates(reference.path)) {
    if (await isWorkspaceFile(uri)) return { uri, selection: selectionOf(reference) };
  }
  return undefined;
}

/** The path of a file within its workspace folder, after all links; undefined for one outside. */
export async function pathInWorkspace(uri: vscode.Uri): Promise<string | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (!folder) return undefined;
  if (uri.scheme !== 'file') return uri.path.slice(folder.uri.path.length);
  const [file, home] = await Promise.all([realPath(uri.fsPath), realPath(folder.uri.fsPath)]);
  if (file === undefined || home === undefined || !file.startsWith(home.endsWith(sep) ? home : home + sep))
    return undefined;
  return file.slice(home.length).replaceAll(sep, '/');
}

/**
 * Whether code of a reply may go into a file: into none outside the workspace, and into none that steers tools
 * (T19), also where it is not there yet.
 */
export async function mayChange(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme === 'untitled') return true;
  const path = (await pathInWorkspace(uri)) ?? (await newPathInWorkspace(uri));
  if (path === undefined) return false;
  const parts = path.split('/').filter((part) => part !== '');
  return !parts.some((part) => part.startsWith('.') || part.includes(':') || /\.code-workspace$/i.test(part));
}

/**
 * Where a file would be that a reply names and that is not there yet: in a folder of the workspace, and nowhere
 * else, as for `findWorkspaceFile`.
 */
export async function newWorkspaceFile(text: string): Promise<vscode.Uri | undefined> {
  const reference = readFileReference(text);
  if (!reference) return undefined;
  // By the name of a folder before the first folder of all.
  for (const uri of candidates(reference.path).toReversed()) {
    if (await isThere(uri)) continue;
    if ((await newPathInWorkspace(uri)) !== undefined) return uri;
  }
  return undefined;
}

/** The path within its workspace folder of a file that is not there yet; undefined for one outside, after all links. */
async function newPathInWorkspace(uri: vscode.Uri): Promise<string | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (!folder || (await isThere(uri))) return undefined;
  const path = uri.path.slice(folder.uri.path.length);
  if (path.split('/').includes('..')) return undefined;
  let above = vscode.Uri.joinPath(uri, '..');
  while (above.path.length > folder.uri.path.length && !(await isThere(above))) {
    above = vscode.Uri.joinPath(above, '..');
  }
  if (above.path === folder.uri.path) return path;
  const real = await pathInWorkspace(above);
  return real === undefined ? undefined : real + uri.path.slice(above.path.length);
}

/** Whether there is anything, a link that leads nowhere included. */
async function isThere(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme === 'file') {
    return lstat(uri.fsPath).then(
      () => true,
      () => false,
    );
  }
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** Where the file may be: in each folder, and by the name of a folder, as in a workspace of several. */
function candidates(path: string): readonly vscode.Uri[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const relative = path.replace(/^\//, '');
  return folders.flatMap(({ uri, name }) => {
    const within = [vscode.Uri.joinPath(uri, relative)];
    if (relative.startsWith(`${name}/`))
      within.push(vscode.Uri.joinPath(uri, relative.slice(name.length + 1)));
    if (path.startsWith(`${uri.path}/`)) within.push(uri.with({ path }));
    return within;
  });
}

async function isWorkspaceFile(uri: vscode.Uri): Promise<boolean> {
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0) return false;
    return (await pathInWorkspace(uri)) !== undefined;
  } catch {
    return false;
  }
}

async function realPath(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

function selectionOf({ line, column = 1, endLine }: FileReference): vscode.Range | undefined {
  if (line === undefined) return undefined;
  const begin = new vscode.Position(line - 1, column - 1);
  if (endLine === undefined || endLine < line) return new vscode.Range(begin, begin);
  // To the end of the last line, wherever that is.
  return new vscode.Range(begin, new vscode.Position(endLine - 1, 100_000));
}
