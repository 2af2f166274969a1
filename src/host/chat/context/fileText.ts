import * as vscode from 'vscode';
import { ContextError } from './contextError.ts';
import { fileName } from './contextReference.ts';

/** In bytes. More would be too much for most models. */
export const maxFileBytes = 1024 * 1024;

export interface FileText {
  readonly text: string;
  readonly languageId: string;
}

/**
 * The text of a file as the user sees it: as it is edited, else what is on disk.
 *
 * @throws {ContextError} when it is gone, a folder, no text, or too big
 */
export async function readFileText(uri: vscode.Uri): Promise<FileText> {
  const open = openDocument(uri);
  const languageId = open?.languageId ?? endingOf(uri);
  const text = open && (open.isDirty || uri.scheme === 'untitled') ? open.getText() : await readText(uri);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxFileBytes) throw tooBig(fileName(uri), bytes);
  return { text, languageId };
}

export function noText(name: string): ContextError {
  return new ContextError(vscode.l10n.t('“{0}” is not a text file.', name));
}

/** That something is bigger than what goes along. */
export function tooBig(name: string, bytes: number): ContextError {
  return new ContextError(
    vscode.l10n.t(
      '“{0}” is too large: {1} MB, and a context item has at most {2} MB. Add only the relevant lines instead.',
      name,
      (bytes / maxFileBytes).toFixed(1),
      '1',
    ),
  );
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((each) => !each.isClosed && each.uri.toString() === key);
}

/** What models know languages by as well. */
function endingOf({ path }: vscode.Uri): string {
  return /\.(\w+)$/.exec(path)?.[1] ?? '';
}

async function readText(uri: vscode.Uri): Promise<string> {
  const name = fileName(uri);
  const { type, size } = await statOf(uri);
  if ((type & vscode.FileType.Directory) !== 0) {
    throw new ContextError(vscode.l10n.t('“{0}” is a folder. Add the files in it one by one.', name));
  }
  // Pipes and devices may have no end.
  if ((type & vscode.FileType.File) === 0) throw noText(name);
  if (size > maxFileBytes) throw tooBig(name, size);
  const bytes = await vscode.workspace.fs.readFile(uri);
  // VS Code looks for zero bytes only where it guesses the encoding.
  const text = await vscode.workspace.decode(bytes, { uri }).then(undefined, () => '\0');
  if (text.includes('\0')) throw noText(name);
  return text;
}

async function statOf(uri: vscode.Uri): Promise<vscode.FileStat> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch {
    throw new ContextError(vscode.l10n.t('“{0}” does not exist or cannot be read.', fileName(uri)));
  }
}
