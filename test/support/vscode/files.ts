// Files: operations on the disk and in file system providers, and the search for files.
import {
  copyFile,
  glob,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, matchesGlob } from 'node:path';
import type * as vscode from 'vscode';
import { URI } from 'vscode-uri';
import { Disposable, EventEmitter, FileSystemError, FileType } from './values.ts';

/** The path of the open folder. */
export const folder: string = process.env.MODEL_GATEWAY_TEST_WORKSPACE ?? process.cwd();

const providers = new Map<string, vscode.FileSystemProvider>();
const changedFiles = new EventEmitter<readonly vscode.FileChangeEvent[]>();

/** Fires when a file system provider reports changed files. */
export const onDidChangeProvidedFiles = changedFiles.event;

/** Finds the file system provider of a scheme; undefined for the disk. */
export function findProvider({ scheme }: vscode.Uri): vscode.FileSystemProvider | undefined {
  const found = providers.get(scheme);
  if (!found && scheme !== 'file') throw FileSystemError.Unavailable(`no file system for “${scheme}”`);
  return found;
}

/** Adds the file system provider of a scheme. */
export function registerFileSystemProvider(scheme: string, provider: vscode.FileSystemProvider): Disposable {
  providers.set(scheme, provider);
  const following = provider.onDidChangeFile((events) => changedFiles.fire(events));
  return new Disposable(() => {
    providers.delete(scheme);
    following.dispose();
  });
}

/** Runs an operation on the disk, and throws the errors of VS Code. */
async function runOnDisk<T>(uri: vscode.Uri, run: (path: string) => Promise<T>): Promise<T> {
  try {
    return await run(uri.fsPath);
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'ENOENT':
        throw FileSystemError.FileNotFound(uri);
      case 'EEXIST':
        throw FileSystemError.FileExists(uri);
      case 'EISDIR':
        throw FileSystemError.FileIsADirectory(uri);
      case 'ENOTDIR':
        throw FileSystemError.FileNotADirectory(uri);
      case 'EACCES':
      case 'EPERM':
        throw FileSystemError.NoPermissions(uri);
    }
    throw error;
  }
}

function readType(entry: { isDirectory(): boolean; isFile(): boolean }): vscode.FileType {
  if (entry.isDirectory()) return FileType.Directory;
  return entry.isFile() ? FileType.File : FileType.Unknown;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Throws an error if a file exists on the disk. */
export async function rejectExisting(uri: vscode.Uri): Promise<void> {
  if (await exists(uri.fsPath)) throw FileSystemError.FileExists(uri);
}

/** The operations of `workspace.fs`, without their effect on open documents. */
export const files = {
  stat: async (uri: vscode.Uri): Promise<vscode.FileStat> =>
    findProvider(uri)?.stat(uri) ??
    runOnDisk(uri, async (path) => {
      const found = await stat(path);
      const link = (await lstat(path)).isSymbolicLink() ? FileType.SymbolicLink : 0;
      return { type: readType(found) | link, ctime: found.ctimeMs, mtime: found.mtimeMs, size: found.size };
    }),
  readFile: async (uri: vscode.Uri): Promise<Uint8Array> =>
    findProvider(uri)?.readFile(uri) ?? runOnDisk(uri, (path) => readFile(path)),
  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const provider = findProvider(uri);
    if (provider) return provider.writeFile(uri, content, { create: true, overwrite: true });
    await runOnDisk(uri, async (path) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    });
  },
  readDirectory: async (uri: vscode.Uri): Promise<[string, vscode.FileType][]> =>
    findProvider(uri)?.readDirectory(uri) ??
    runOnDisk(uri, async (path) => {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.map((entry) => [entry.name, readType(entry)]);
    }),
  createDirectory: async (uri: vscode.Uri) =>
    runOnDisk(uri, async (path) => void (await mkdir(path, { recursive: true }))),
  async delete(uri: vscode.Uri, { recursive = false }: { recursive?: boolean } = {}): Promise<void> {
    const own = findProvider(uri);
    if (own) return own.delete(uri, { recursive });
    await runOnDisk(uri, async (path) => {
      if (recursive || !(await stat(path)).isDirectory()) await rm(path, { recursive });
      else await rm(path, { recursive: (await readdir(path)).length === 0 });
    });
  },
  copy: (from: vscode.Uri, to: vscode.Uri, { overwrite = false }: { overwrite?: boolean } = {}) =>
    runOnDisk(from, async (path) => {
      if (!overwrite) await rejectExisting(to);
      await mkdir(dirname(to.fsPath), { recursive: true });
      await copyFile(path, to.fsPath);
    }),
  rename: (from: vscode.Uri, to: vscode.Uri, { overwrite = false }: { overwrite?: boolean } = {}) =>
    runOnDisk(from, async (path) => {
      if (!overwrite) await rejectExisting(to);
      await rename(path, to.fsPath);
    }),
  isWritableFileSystem: (scheme: string) => scheme === 'file' || providers.has(scheme),
};

/** Searches the open folder, or the base folder of a pattern, for files. */
export async function findFiles(
  include: vscode.GlobPattern,
  exclude?: vscode.GlobPattern | null,
  maxResults = Number.POSITIVE_INFINITY,
): Promise<vscode.Uri[]> {
  const readPattern = (pattern: vscode.GlobPattern) =>
    typeof pattern === 'string' ? pattern : pattern.pattern;
  const base = typeof include === 'string' ? folder : include.baseUri.fsPath;
  const found: vscode.Uri[] = [];
  for await (const path of glob(readPattern(include), { cwd: base })) {
    if (found.length >= maxResults) break;
    if (exclude && matchesGlob(path, readPattern(exclude))) continue;
    if ((await stat(join(base, path))).isFile()) found.push(URI.file(join(base, path)));
  }
  return found;
}
