import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import * as vscode from 'vscode';
import { type FileReference, readFileReference } from '../../base/fileReference.ts';

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
