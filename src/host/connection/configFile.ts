import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { errorCode } from '../../base/errors.ts';
import { showDocument } from '../kit/display/editors.ts';
import { emptyConfig } from './emptyConfig.ts';

/** The file is open in an editor with changes that are not saved. */
export class UnsavedConfigError extends Error {
  override readonly name = 'UnsavedConfigError';
}

/** The text of the configuration; empty where there is no file yet. */
export async function readConfigText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Replaces the text of the configuration, at once or not at all.
 *
 * @throws {UnsavedConfigError}
 */
export async function writeConfigText(path: string, text: string): Promise<void> {
  if (isBeingEdited(path)) throw new UnsavedConfigError();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const half = `${path}.${process.pid}.part`;
  await writeFile(half, text, { mode: 0o600 });
  await rename(half, path);
}

/** Opens the configuration in an editor, and makes it where there is none. */
export async function openConfig(path: string): Promise<void> {
  await makeConfig(path);
  await showDocument(vscode.Uri.file(path), { preview: false });
}

/** Makes a configuration that names nothing, where there is none. */
export async function makeConfig(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, emptyConfig, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
}

function isBeingEdited(path: string): boolean {
  const { fsPath } = vscode.Uri.file(path);
  return vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.fsPath === fsPath);
}
