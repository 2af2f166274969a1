// `vscode.workspace`: one open folder, with its files, documents and settings.
import { basename, relative } from 'node:path';
import type * as vscode from 'vscode';
import { URI } from 'vscode-uri';
import { getConfiguration, onDidChangeConfiguration } from './configuration.ts';
import {
  documentEvents,
  fs,
  openDocuments,
  openTextDocument,
  registerTextDocumentContentProvider,
} from './documents.ts';
import { applyEdit } from './edits.ts';
import { findFiles, folder, registerFileSystemProvider } from './files.ts';
import { noEvent } from './noEvent.ts';

const workspaceFolder: vscode.WorkspaceFolder = { uri: URI.file(folder), name: basename(folder), index: 0 };

/** The open folder if it contains the file. */
function getWorkspaceFolder(uri: vscode.Uri): vscode.WorkspaceFolder | undefined {
  return uri.scheme === 'file' && !relative(folder, uri.fsPath).startsWith('..')
    ? workspaceFolder
    : undefined;
}

/** The path below the open folder, or the whole path of a file outside it. */
function asRelativePath(pathOrUri: string | vscode.Uri): string {
  const path = typeof pathOrUri === 'string' ? pathOrUri : pathOrUri.fsPath;
  const below = relative(folder, path);
  return below.startsWith('..') || below === '' ? path : below;
}

/** The namespace `workspace` of the module. */
export const workspace = {
  name: workspaceFolder.name,
  workspaceFile: undefined,
  workspaceFolders: [workspaceFolder] as readonly vscode.WorkspaceFolder[],
  isTrusted: true,
  onDidGrantWorkspaceTrust: noEvent,
  onDidChangeWorkspaceFolders: noEvent,
  getWorkspaceFolder,
  asRelativePath,

  getConfiguration,
  onDidChangeConfiguration,

  get textDocuments(): readonly vscode.TextDocument[] {
    return openDocuments();
  },
  ...documentEvents,
  openTextDocument,
  applyEdit,
  registerTextDocumentContentProvider,
  async decode(bytes: Uint8Array): Promise<string> {
    return new TextDecoder().decode(bytes);
  },

  fs,
  findFiles,
  registerFileSystemProvider,
  onDidCreateFiles: noEvent,
  onDidDeleteFiles: noEvent,
  onDidRenameFiles: noEvent,
  createFileSystemWatcher: () => ({
    onDidChange: noEvent,
    onDidCreate: noEvent,
    onDidDelete: noEvent,
    dispose: () => {},
  }),
};
