import * as vscode from 'vscode';
import { readFileText } from '../context/fileText.ts';
import { isReadOnlyBySettings } from '../replies/readOnlyFiles.ts';
import { fileExists } from '../replies/workspaceFiles.ts';

/** The current text of a file, with unsaved edits; undefined if the file does not exist. */
export async function currentText(file: vscode.Uri): Promise<string | undefined> {
  if (!(await exists(file))) return undefined;
  return withUnixEnds((await readFileText(file)).text);
}

/** Whether the user's settings make a file read-only. */
export async function isReadOnly(file: vscode.Uri): Promise<boolean> {
  if (!(await exists(file))) return false;
  return vscode.workspace.openTextDocument(file).then(isReadOnlyBySettings, () => false);
}

/** The text with `\n` as its line ends. */
export function withUnixEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Whether the file has unsaved edits, even if it does not exist on disk. */
function isUnsaved(file: vscode.Uri): boolean {
  const key = file.toString();
  return vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.toString() === key);
}

/** Whether the file exists, at least as an unsaved document. */
async function exists(file: vscode.Uri): Promise<boolean> {
  if (file.scheme === 'untitled' || isUnsaved(file)) return true;
  return fileExists(file);
}
