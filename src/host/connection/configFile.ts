import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { errorCode } from '../../base/errors.ts';
import { renameWithRetry } from '../../storage/renameWithRetry.ts';
import { showDocument } from '../kit/display/editors.ts';
import { emptyConfig } from './emptyConfig.ts';

/** The configuration file has unsaved changes in an editor. */
export class UnsavedConfigError extends Error {
  override readonly name = 'UnsavedConfigError';
}

/** Reads the text of the configuration; empty if the file does not exist yet. */
export async function readConfigFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Replaces the text of the configuration atomically.
 *
 * @throws {UnsavedConfigError} if the file has unsaved changes in an editor, or an error of the file system
 */
export async function writeConfigText(path: string, text: string): Promise<void> {
  if (hasUnsavedChanges(path)) throw new UnsavedConfigError();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.part`;
  await writeFile(temporary, text, { mode: 0o600 });
  await renameWithRetry(temporary, path);
}

/** Opens the configuration in an editor, and creates the file if it is missing. */
export async function openConfig(path: string): Promise<void> {
  await createConfigIfMissing(path);
  await showDocument(vscode.Uri.file(path), { preview: false });
}

/** Creates an empty configuration if the file is missing. */
export async function createConfigIfMissing(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, emptyConfig, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
}

function hasUnsavedChanges(path: string): boolean {
  const { fsPath } = vscode.Uri.file(path);
  return vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.fsPath === fsPath);
}
