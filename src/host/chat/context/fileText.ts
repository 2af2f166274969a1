import * as vscode from 'vscode';
import { ContextError, formatDisplayPath } from './contextReference.ts';

/** The maximum size of a file, in bytes. Larger files are too long for most models. */
export const maxFileBytes = 1024 * 1024;

interface FileText {
  readonly text: string;
  readonly languageId: string;
}

/**
 * Reads the text of a file: the text with unsaved edits, otherwise the text on disk.
 *
 * @throws {ContextError} if the file cannot be read, is a folder, is not a text file, or is too large
 */
export async function readFileText(uri: vscode.Uri): Promise<FileText> {
  const document = findOpenDocument(uri);
  const languageId = document?.languageId ?? readExtension(uri);
  const hasEdits = document?.isDirty || uri.scheme === 'untitled';
  const text = document && hasEdits ? document.getText() : await readText(uri);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxFileBytes) throw createTooLargeError(formatDisplayPath(uri), bytes);
  return { text, languageId };
}

export function createUnreadableError(name: string): ContextError {
  return new ContextError(vscode.l10n.t('“{0}” does not exist or cannot be read.', name));
}

export function createNotTextError(name: string): ContextError {
  return new ContextError(vscode.l10n.t('“{0}” is not a text file.', name));
}

/** Creates the error for an item that exceeds the maximum size. */
export function createTooLargeError(name: string, bytes: number): ContextError {
  return new ContextError(
    vscode.l10n.t(
      '“{0}” is too large: {1} MB, but a context item can have at most {2} MB. Add only the relevant lines instead.',
      name,
      (bytes / maxFileBytes).toFixed(1),
      '1',
    ),
  );
}

function findOpenDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((each) => !each.isClosed && each.uri.toString() === key);
}

/** Reads the file extension, which models also understand as the name of a language. */
function readExtension({ path }: vscode.Uri): string {
  return /\.(\w+)$/.exec(path)?.[1] ?? '';
}

async function readText(uri: vscode.Uri): Promise<string> {
  const name = formatDisplayPath(uri);
  const { type, size } = await withContextError(vscode.workspace.fs.stat(uri), name);
  if ((type & vscode.FileType.Directory) !== 0) {
    throw new ContextError(vscode.l10n.t('“{0}” is a folder. Add the files in it one by one.', name));
  }
  // Pipes and devices may never end.
  if ((type & vscode.FileType.File) === 0) throw createNotTextError(name);
  if (size > maxFileBytes) throw createTooLargeError(name, size);
  const bytes = await withContextError(vscode.workspace.fs.readFile(uri), name);
  // VS Code rejects zero bytes only if it guesses the encoding.
  const text = await vscode.workspace.decode(bytes, { uri }).then(undefined, () => '\0');
  if (text.includes('\0')) throw createNotTextError(name);
  return text;
}

/** Waits for an operation on a file. @throws {ContextError} if the operation fails */
async function withContextError<Result>(operation: Thenable<Result>, name: string): Promise<Result> {
  try {
    return await operation;
  } catch {
    throw createUnreadableError(name);
  }
}
