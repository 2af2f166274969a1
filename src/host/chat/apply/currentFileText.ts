import * as vscode from 'vscode';
import { fileExists } from '../../kit/display/editors.ts';
import { readFileText } from '../context/fileText.ts';
import { isReadOnlyBySettings } from '../replies/readOnlyFiles.ts';

/**
 * Reads the current text of a file, with unsaved edits and `\n` as its line ends; undefined if the file does not exist.
 *
 * @throws {ContextError} if it cannot be read, is not a text file, or is too large
 */
export async function readCurrentText(file: vscode.Uri): Promise<string | undefined> {
  if (!(await exists(file))) return undefined;
  return toUnixLineEnds((await readFileText(file)).text);
}

/** Whether the user's settings make a file read-only. */
export async function isReadOnly(file: vscode.Uri): Promise<boolean> {
  if (!(await exists(file))) return false;
  return vscode.workspace.openTextDocument(file).then(isReadOnlyBySettings, () => false);
}

export function toUnixLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Whether the file exists, at least as an unsaved document. */
async function exists(file: vscode.Uri): Promise<boolean> {
  const key = file.toString();
  const { textDocuments } = vscode.workspace;
  const isUnsaved = textDocuments.some(({ uri, isDirty }) => isDirty && uri.toString() === key);
  return file.scheme === 'untitled' || isUnsaved || fileExists(file);
}
