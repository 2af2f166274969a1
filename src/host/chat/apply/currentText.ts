import * as vscode from 'vscode';
import { readFileText } from '../context/fileText.ts';
import { isReadOnlyBySettings } from '../replies/readOnlyFiles.ts';

/** What the file is now, as it is edited; undefined where there is none. */
export async function textOf(file: vscode.Uri): Promise<string | undefined> {
  if (!(await isThere(file))) return undefined;
  return withUnixEnds((await readFileText(file)).text);
}

/** Whether the user's settings keep what is in a file from being changed. */
export async function isReadOnly(file: vscode.Uri): Promise<boolean> {
  if (!(await isThere(file))) return false;
  return vscode.workspace.openTextDocument(file).then(isReadOnlyBySettings, () => false);
}

/** A text with `\n` as its line ends. */
export function withUnixEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Whether something is typed into the file that the disk does not have, even where the file itself is gone. */
function isUnsaved(file: vscode.Uri): boolean {
  const key = file.toString();
  return vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.toString() === key);
}

async function isThere(file: vscode.Uri): Promise<boolean> {
  if (file.scheme === 'untitled' || isUnsaved(file)) return true;
  return vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
}
