import { lstat, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import * as vscode from 'vscode';
import { type FileReference, readFileReference } from '../../../base/fileReference.ts';
import { fileExists } from '../../kit/display/editors.ts';

/** A workspace file named in a reply, with the named lines. */
interface FoundFile {
  readonly uri: vscode.Uri;
  readonly selection: vscode.Range | undefined;
}

/**
 * Finds a file named in a reply. Only files within the workspace folders are found, even if the path contains `..` or
 * links.
 */
export async function findWorkspaceFile(text: string): Promise<FoundFile | undefined> {
  const reference = readFileReference(text);
  if (!reference) return undefined;
  for (const uri of listCandidates(reference.path)) {
    if (await isWorkspaceFile(uri)) return { uri, selection: toSelection(reference) };
  }
  return undefined;
}

/** Returns the path of a file within its workspace folder, with links resolved; undefined for a file outside. */
export async function resolvePathInWorkspace(uri: vscode.Uri): Promise<string | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (!folder) return undefined;
  if (uri.scheme !== 'file') return uri.path.slice(folder.uri.path.length);
  const [file, root] = await Promise.all([resolveLinks(uri.fsPath), resolveLinks(folder.uri.fsPath)]);
  if (file === undefined || root === undefined || !file.startsWith(root.endsWith(sep) ? root : root + sep))
    return undefined;
  return file.slice(root.length).replaceAll(sep, '/');
}

/**
 * Whether code of a reply may be written to an existing or new file. Files outside the workspace and files that
 * configure tools must not be changed.
 */
export async function mayChange(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme === 'untitled') return true;
  const path = (await resolvePathInWorkspace(uri)) ?? (await resolveNewPath(uri));
  if (path === undefined) return false;
  const parts = path.split('/').filter((part) => part !== '');
  return !parts.some((part) => part.startsWith('.') || part.includes(':') || /\.code-workspace$/i.test(part));
}

/** Finds the location for a new file named in a reply; undefined outside the workspace folders. */
export async function findNewFileLocation(text: string): Promise<vscode.Uri | undefined> {
  const reference = readFileReference(text);
  if (!reference) return undefined;
  // A path that starts with a folder's name takes precedence over the first folder.
  for (const uri of listCandidates(reference.path).toReversed()) {
    if (await pathExists(uri)) continue;
    if ((await resolveNewPath(uri)) !== undefined) return uri;
  }
  return undefined;
}

/** Returns the path of a new file within its workspace folder, with links resolved; undefined for a file outside. */
async function resolveNewPath(uri: vscode.Uri): Promise<string | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (!folder || (await pathExists(uri))) return undefined;
  const path = uri.path.slice(folder.uri.path.length);
  if (path.split('/').includes('..')) return undefined;
  let parent = vscode.Uri.joinPath(uri, '..');
  while (parent.path.length > folder.uri.path.length && !(await pathExists(parent))) {
    parent = vscode.Uri.joinPath(parent, '..');
  }
  if (parent.path === folder.uri.path) return path;
  const real = await resolvePathInWorkspace(parent);
  return real === undefined ? undefined : real + uri.path.slice(parent.path.length);
}

/** Whether anything exists at the path, including a broken link. */
async function pathExists(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme !== 'file') return fileExists(uri);
  return lstat(uri.fsPath).then(
    () => true,
    () => false,
  );
}

/** Lists the possible locations of a path in each folder. The path may start with the name or path of the folder. */
function listCandidates(path: string): readonly vscode.Uri[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const relative = path.replace(/^\//, '');
  return folders.flatMap(({ uri, name }) => {
    const uris = [vscode.Uri.joinPath(uri, relative)];
    if (relative.startsWith(`${name}/`)) uris.push(vscode.Uri.joinPath(uri, relative.slice(name.length + 1)));
    if (path.startsWith(`${uri.path}/`)) uris.push(uri.with({ path }));
    return uris;
  });
}

async function isWorkspaceFile(uri: vscode.Uri): Promise<boolean> {
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0) return false;
    return (await resolvePathInWorkspace(uri)) !== undefined;
  } catch {
    return false;
  }
}

async function resolveLinks(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

function toSelection({ line, column = 1, endLine }: FileReference): vscode.Range | undefined {
  if (line === undefined) return undefined;
  const begin = new vscode.Position(line - 1, column - 1);
  if (endLine === undefined || endLine < line) return new vscode.Range(begin, begin);
  // VS Code limits a position after the end of a line to the end of the line.
  return new vscode.Range(begin, new vscode.Position(endLine - 1, 100_000));
}
