import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { clipped } from '../../kit/display/plainText.ts';

type Globs = Readonly<Record<string, unknown>>;

/** The permission to write of the user whose file it is. */
const ownerWrites = 0o200;

/**
 * Whether the user's settings make a file read-only. VS Code tells no extension so, and its own check is of what is
 * typed only.
 */
export async function isReadOnlyBySettings(document: vscode.TextDocument): Promise<boolean> {
  const settings = vscode.workspace.getConfiguration('files', document.uri);
  const matches = (name: string) => matchesAny(settings.get<Globs>(name), document);
  if (matches('readonlyInclude')) return !matches('readonlyExclude');
  return settings.get('readonlyFromPermissions') === true && (await isLocked(document.uri));
}

/** VS Code's own globs: of paths within the workspace folder, or whole ones. */
function matchesAny(globs: Globs = {}, document: vscode.TextDocument): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  return Object.entries(globs).some(([glob, isOn]) => {
    if (isOn !== true) return false;
    const pattern = folder && !isAbsolute(glob) ? new vscode.RelativePattern(folder, glob) : glob;
    return vscode.languages.match({ pattern }, document) > 0;
  });
}

async function isLocked({ scheme, fsPath }: vscode.Uri): Promise<boolean> {
  if (scheme !== 'file') return false;
  return stat(fsPath).then(
    ({ mode }) => (mode & ownerWrites) === 0,
    () => false,
  );
}

/** Why code of a reply does not go into such a file. */
export function readOnlyRefusal({ path }: vscode.Uri): string {
  return vscode.l10n.t(
    '“{0}” is read-only in your settings, so nothing was changed: see “files.readonlyInclude”. Copy the code instead.',
    clipped(path.split('/').at(-1) ?? '', 60),
  );
}
