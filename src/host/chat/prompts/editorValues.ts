import { basename, dirname, extname } from 'node:path';
import * as vscode from 'vscode';
import type { EditorVariable } from './promptTemplate.ts';

/** What a variable of the editor stands for now; empty where there is nothing. */
export async function editorValue(
  name: EditorVariable,
  editor: vscode.TextEditor | undefined,
): Promise<string> {
  switch (name) {
    case 'selection':
    case 'selectedText':
      return editor ? selectedText(editor) : '';
    case 'clipboard':
      return vscode.env.clipboard.readText();
    case 'workspaceFolder':
      return folderOf(editor) ?? '';
    case 'workspaceFolderBasename':
      return basename(folderOf(editor) ?? '');
    default:
      return editor ? fileValue(name, editor.document) : '';
  }
}

type FileVariable = Exclude<
  EditorVariable,
  'selection' | 'selectedText' | 'clipboard' | 'workspaceFolder' | 'workspaceFolderBasename'
>;

function fileValue(name: FileVariable, document: vscode.TextDocument): string {
  const path = pathOf(document.uri);
  switch (name) {
    case 'file':
      return path;
    case 'relativeFile':
      return vscode.workspace.asRelativePath(document.uri, false);
    case 'fileBasename':
      return basename(path);
    case 'fileBasenameNoExtension':
      return basename(path, extname(path));
    case 'fileDirname':
      return dirname(path);
    case 'fileContent':
      return document.getText();
    case 'language':
      return document.languageId;
  }
}

/** All that is selected, one part below the other. */
function selectedText({ document, selections }: vscode.TextEditor): string {
  return selections
    .filter(({ isEmpty }) => !isEmpty)
    .map((selection) => document.getText(selection))
    .join('\n');
}

function folderOf(editor: vscode.TextEditor | undefined): string | undefined {
  const { workspace } = vscode;
  const folder = editor && workspace.getWorkspaceFolder(editor.document.uri);
  const uri = (folder ?? workspace.workspaceFolders?.[0])?.uri;
  return uri && pathOf(uri);
}

function pathOf(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : uri.path;
}
